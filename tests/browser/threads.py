"""What a person does on the page, in the words of a person."""

import uuid
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.browser.browsing import PATIENCE_MS, Visit, headers_at, until

# On the pretended computer: goes on until it is stopped.
ENDLESS = "for i in $(seq 1 10000); do echo $i; sleep 1; done"


def new_thread(page: Page) -> None:
    page.get_by_role("main").get_by_role("button", name="New thread").click()
    in_thread(page)


def in_thread(page: Page) -> None:
    """Wait until a thread is open and its stream is live: what happens now is seen while it happens."""
    expect(composer(page)).to_be_visible()
    expect(page.locator("[data-connection=live]")).to_be_attached()


def new_bot(page: Page) -> None:
    """The first bot, without a model; its first thread opens by itself."""
    page.get_by_role("main").get_by_role("button", name="New bot").click()
    page.get_by_role("button", name="Create bot").click()
    in_thread(page)


def bot_thread(visit: Visit, url: str, **options: Any) -> Page:
    """The page at a new thread of a new bot without a model, which were made over the API."""
    with httpx.Client(base_url=url, headers=headers_at(url), timeout=PATIENCE_MS / 1000) as api:
        bot = api.post("/api/bots", json={"name": "Bot"}).raise_for_status().json()
        thread = api.post("/api/threads", json={"bot_id": bot["id"]}).raise_for_status().json()
    page = visit(f"{url}/t/{thread['id']}", **options)
    in_thread(page)
    return page


def about_computer(page: Page, word: str) -> Locator:
    """What the computer runs, reaches and costs, opened by the button that says how it is."""
    page.get_by_role("button", name=f"Computer: {word}").click()
    page.get_by_role("tab", name="About").click()
    return page.get_by_role("tabpanel", name="About")


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


def post(page: Page, path: str, body: dict[str, Any]) -> Any:
    """What the page's server answers when the page asks: only a browser resolves `NAME.localhost`."""
    return page.evaluate(
        """async ([path, body]) => (await fetch(path, {
            method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
        })).json()""",
        [path, body],
    )


def gate(name: str) -> str:
    """The part of a real command that waits for `open_gate`, so that what is before it lasts."""
    return f"until rm gate-{name} 2>/dev/null; do sleep 0.1; done"


def open_gate(page: Page, name: str) -> None:
    """Let a command go on: by another command, in another thread of the same bot."""
    origin, thread_id = page.url.split("/t/")
    bot_id = page.request.get(f"{origin}/api/threads/{thread_id}").json()["bot_id"]
    other = post(page, "/api/threads", {"bot_id": bot_id})
    message = {"client_id": uuid.uuid4().hex, "text": f"$ touch gate-{name}"}
    assert "code" not in post(page, f"/api/threads/{other['id']}/messages", message)


def fall_asleep(page: Page) -> None:
    """Put the computer on standby, as soon as whatever still ran in it has ended."""
    until(page, lambda: post(page, "/api/computer/standby", {}).get("state") == "standby")


def standing(card: Locator, tone: str) -> Locator:
    return card.locator(f"[data-tone={tone}]")
