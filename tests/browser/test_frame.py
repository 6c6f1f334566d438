"""What stands around the conversation: threads, language, theme, and the small screen."""

from playwright.sync_api import expect

from tests.browser.browsing import Visit
from tests.browser.threads import (
    ENDLESS,
    about_computer,
    cards,
    command,
    in_thread,
    new_thread,
    say,
    standing,
)


def test_thread_is_renamed_deleted_and_brought_back(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "old title")
    expect(page.get_by_role("heading", name="old title")).to_be_visible()
    page.get_by_role("button", name="Thread menu").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").get_by_label("Title").fill("new title")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="new title")).to_be_visible()
    page.get_by_role("button", name="Thread menu").click()
    page.get_by_role("menuitem", name="Delete thread").click()
    # The offer does not run out under the pointer.
    page.get_by_role("button", name="Undo").hover()
    threads = page.get_by_role("navigation", name="Threads")
    expect(threads.get_by_text("new title")).to_have_count(0)
    expect(page.get_by_role("heading", name="new title")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="new title")).to_be_visible()
    expect(threads.get_by_text("new title")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(cards(page, "user")).to_contain_text("old title")


def test_search_by_keyboard_opens_the_thread_at_the_message(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "find the 企鹅 here")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    page.goto(mock)
    field = page.get_by_role("searchbox", name="Search messages")
    field.fill("企鹅")
    results = page.get_by_role("region", name="Search results")
    expect(results.locator("mark").first).to_have_text("企鹅")
    expect(page.get_by_role("group", name="Quill")).to_be_hidden()
    field.press("Tab")
    results.get_by_role("link").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-found]")).to_be_in_viewport()
    expect(page.locator("[data-found]")).to_contain_text("企鹅")
    field.press("Escape")
    expect(page.get_by_role("group", name="Quill")).to_be_visible()


def test_a_search_says_which_words_did_not_count(mock: str, visit: Visit) -> None:
    page = visit(mock)
    field = page.get_by_role("searchbox", name="Search messages")
    results = page.get_by_role("region", name="Search results")
    field.fill("a b c d e f g h i j k l m n o p")
    expect(results.get_by_role("status")).to_have_text("No messages")
    field.fill("a b c d e f g h i j k l m n o p q r")
    expect(results.get_by_role("status")).to_have_text("No messages · the last 2 words were not looked for")


def test_address_of_a_thread_opens_it(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "hello")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    again = visit(page.url)
    expect(cards(again, "assistant")).to_contain_text("hello")


def test_address_of_no_thread_says_so(mock: str, visit: Visit) -> None:
    page = visit(f"{mock}/t/nothing")
    expect(page.get_by_role("heading", name="No such thread").first).to_be_visible()


def test_language_is_kept_and_told_to_the_server(mock: str, visit: Visit) -> None:
    page = visit(mock)
    page.get_by_role("button", name="Language").click()
    with page.expect_request(lambda asked: asked.method == "PATCH") as told:
        page.get_by_role("menuitemradio", name="简体中文").click()
    assert told.value.url == f"{mock}/api/me"
    assert told.value.post_data_json == {"locale": "zh-Hans"}
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page.reload()
    expect(page.get_by_role("button", name="新对话", exact=True)).to_be_visible()


def test_browser_of_hong_kong_gets_traditional_characters(mock: str, visit: Visit) -> None:
    page = visit(mock, locale="zh-HK")
    expect(page.get_by_role("button", name="新增機器人").first).to_be_visible()


def test_theme_follows_the_system_until_one_is_chosen(mock: str, visit: Visit) -> None:
    page = visit(mock, color_scheme="dark")
    theme = page.locator("html")
    expect(theme).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="light")
    expect(theme).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(theme).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(theme).to_have_attribute("data-theme", "dark")


def test_phone_has_the_threads_in_a_sheet(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True)
    expect(page.get_by_role("navigation")).to_be_hidden()
    page.get_by_role("button", name="Open threads").tap()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="New thread with Quill").tap()
    expect(sheet).to_have_count(0)
    in_thread(page)
    line = "a line that is rather longer than a small screen is wide, for it goes on and on"
    card = command(page, f"echo {line}")
    expect(standing(card, "finished")).to_be_visible()
    expect(card.locator("code")).to_have_text(line)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_change_of_width_keeps_the_thread_and_its_stream(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    opened: list[str] = []
    page.on("websocket", lambda socket: opened.append(socket.url))
    card = command(page, ENDLESS)
    for width in (430, 1440, 700):
        page.set_viewport_size({"width": width, "height": 900})
        expect(standing(card, "running")).to_be_in_viewport()
    card.get_by_role("button", name="Stop").click()
    expect(standing(card, "stopped")).to_be_visible()
    assert opened == []


def test_machine_without_a_sandbox_is_warned_of_on_every_page(unsandboxed: str, visit: Visit) -> None:
    page = visit(unsandboxed)
    expect(page.get_by_role("alert")).to_contain_text("without a sandbox")
    new_thread(page)
    expect(page.get_by_role("alert")).to_contain_text("without a sandbox")


def test_computer_is_reset_only_after_saying_what_goes(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "$ echo hi")
    about = about_computer(page, "Running")
    about.get_by_role("button", name="Reset the computer").click()
    question = page.get_by_role("dialog", name="Reset the computer?")
    expect(question).to_contain_text("every file in the computer is deleted for good")
    question.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Computer: Running")).to_be_visible()
    about.get_by_role("button", name="Reset the computer").click()
    sure = question.get_by_role("button", name="Reset", exact=True)
    question.get_by_label("Type reset to confirm").fill("rese")
    expect(sure).to_be_disabled()
    question.get_by_label("Type reset to confirm").fill("reset")
    sure.click()
    expect(question).to_be_hidden()


def test_everything_is_deleted_only_after_its_owner_is_typed(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "$ echo hi")
    about_computer(page, "Running").get_by_role("button", name="Delete everything").click()
    question = page.get_by_role("dialog", name="Delete everything?")
    expect(question).to_contain_text("deleted for good")
    sure = question.get_by_role("button", name="Delete everything")
    expect(sure).to_be_disabled()
    typed = question.get_by_label("Type owner to confirm")
    typed.fill("owne")
    expect(sure).to_be_disabled()
    typed.fill("owner")
    question.get_by_label("Delete at once, without a way back").check()
    sure.click()
    expect(page.get_by_text("A bot with a computer of its own")).to_be_visible()
    assert [key for key in page.evaluate("Object.keys(localStorage)") if "draft" in key or "out" in key] == []


def test_computer_can_be_put_on_standby(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    expect(page.get_by_role("button", name="Computer: Standby")).to_be_visible()
    say(page, "$ echo hi")
    panel = about_computer(page, "Running")
    panel.get_by_role("button", name="Put on standby").click()
    expect(panel).to_contain_text("Files are kept. It wakes with the next command.")
