"""What a person does on the page, in the words of a person."""

from playwright.sync_api import Locator, Page


def new_thread(page: Page) -> None:
    page.get_by_role("main").get_by_role("button", name="New thread").click()
    composer(page).wait_for()


def new_bot(page: Page) -> None:
    """The first bot, without a model; its first thread opens by itself."""
    page.get_by_role("main").get_by_role("button", name="New bot").click()
    page.get_by_role("button", name="Create bot").click()
    composer(page).wait_for()


def composer(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


def say(page: Page, text: str) -> None:
    composer(page).fill(text)
    composer(page).press("Enter")


def cards(page: Page, kind: str) -> Locator:
    return page.locator(f"[data-card={kind}]")


def command(page: Page, text: str) -> Locator:
    """Run a command of the person's own and give its card."""
    say(page, f"$ {text}")
    return terminal(page, text)


def terminal(page: Page, text: str) -> Locator:
    """The newest card of this command."""
    button = page.get_by_role("button", name=text, exact=True)
    return cards(page, "terminal").filter(has=button).last


def standing(card: Locator, tone: str) -> Locator:
    return card.locator(f"[data-tone={tone}]")
