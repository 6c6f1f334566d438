"""The dialog of a bot: who answers it, with which key, and how; on the pretended server and the real one."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch, until
from tests.browser.threads import composer, in_thread

KEY = "sk-typed-by-a-person"


def opened(page: Page) -> Locator:
    page.get_by_role("navigation").get_by_role("button", name="New bot").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Scout")
    return dialog


def again(page: Page) -> Locator:
    page.get_by_role("button", name="Settings of Scout").click()
    return page.get_by_role("dialog")


def test_a_bot_with_a_model_is_made_and_its_key_is_never_shown_again(
    stack: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("status of 422",)
    page = visit(stack.url.replace("127.0.0.1", "dialog.localhost"))
    dialog = opened(page)
    dialog.get_by_label("OpenAI-compatible").check()
    dialog.get_by_label("Base URL").fill("models.example")
    dialog.get_by_label("Rounds").fill("0")
    dialog.get_by_role("button", name="Create bot").click()
    expect(dialog.get_by_text("Give an address that begins with")).to_be_visible()
    expect(dialog.get_by_text("Give the model's name.")).to_be_visible()
    expect(dialog.get_by_text("Give a whole number from 1 to 200.")).to_be_visible()
    dialog.get_by_label("Base URL").fill("https://10.0.0.1/v1")
    dialog.get_by_role("textbox", name="Model").fill("m-1")
    dialog.get_by_label("API key").fill(KEY)
    dialog.get_by_label("Temperature").fill("0.5")
    dialog.get_by_label("Rounds").fill("12")
    dialog.get_by_label("Instructions").fill("Be short.")
    dialog.get_by_role("button", name="Create bot").click()
    expect(dialog.get_by_text("This is no address for a model")).to_be_visible()
    dialog.get_by_label("Base URL").fill("https://models.example/v1/")
    dialog.get_by_role("button", name="Create bot").click()
    expect(composer(page)).to_have_attribute("placeholder", "Message Scout")
    page.reload()
    dialog = again(page)
    expect(dialog.get_by_label("OpenAI-compatible")).to_be_checked()
    expect(dialog.get_by_label("Base URL")).to_have_value("https://models.example/v1")
    expect(dialog.get_by_label("API key")).to_have_value("")
    expect(dialog.get_by_text("A key is stored. Leave empty to keep it.")).to_be_visible()
    expect(dialog.get_by_label("Temperature")).to_have_value("0.5")
    expect(dialog.get_by_label("Rounds")).to_have_value("12")
    expect(dialog.get_by_label("Instructions")).to_have_value("Be short.")
    dialog.get_by_label("Thinking effort").select_option("high")
    expect(dialog.get_by_label("Temperature")).to_have_count(0)
    dialog.get_by_label("Remove the stored key").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    dialog = again(page)
    expect(dialog.get_by_label("Thinking effort")).to_have_value("high")
    expect(dialog.get_by_text("Encrypted on the server.")).to_be_visible()
    assert KEY not in page.content()


def test_a_stored_key_belongs_to_its_provider_and_address(mock: str, visit: Visit) -> None:
    page = visit(mock)
    dialog = opened(page)
    dialog.get_by_label("Anthropic Messages").check()
    expect(dialog.get_by_text("Leave empty to use this platform's key.")).to_be_visible()
    expect(dialog.get_by_label("Base URL")).to_have_attribute("placeholder", "https://api.anthropic.com")
    dialog.get_by_role("textbox", name="Model").fill("m-1")
    dialog.get_by_label("API key").fill(KEY)
    dialog.get_by_label("Temperature").fill("1.5")
    dialog.get_by_role("button", name="Create bot").click()
    expect(dialog.get_by_text("Give a number from 0 to 1.")).to_be_visible()
    dialog.get_by_label("Temperature").fill("")
    dialog.get_by_role("button", name="Create bot").click()
    expect(dialog).to_have_count(0)
    in_thread(page)
    dialog = again(page)
    expect(dialog.get_by_text("A key is stored.")).to_be_visible()
    dialog.get_by_label("Base URL").fill("https://elsewhere.example")
    expect(dialog.get_by_text("The stored key belongs to another address")).to_be_visible()
    expect(dialog.get_by_label("Remove the stored key")).to_have_count(0)
    dialog.get_by_label("OpenAI Responses").check()
    expect(dialog.get_by_text("The stored key belongs to another address")).to_be_visible()
    expect(dialog.get_by_label("A recorded conversation")).to_have_count(0)
    dialog.get_by_label("None, I type commands").check()
    expect(dialog.get_by_label("API key")).to_have_count(0)
    expect(dialog.get_by_label("Rounds")).to_have_count(0)


def test_where_no_key_can_be_kept_none_is_asked_for(unsandboxed: str, visit: Visit) -> None:
    dialog = opened(visit(unsandboxed))
    dialog.get_by_label("OpenAI-compatible").check()
    expect(dialog.get_by_label("API key")).to_be_disabled()
    expect(dialog.get_by_text("This server cannot keep keys.")).to_be_visible()


def test_a_thread_that_opens_late_leaves_the_focus_in_the_dialog(mock: str, visit: Visit) -> None:
    page = visit(mock)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/threads", hold)
    page.get_by_role("main").get_by_role("button", name="New thread").click()
    until(page, lambda: held != [])
    page.get_by_role("button", name="Settings of Quill").click()
    name = page.get_by_role("dialog").get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    held[0].continue_()
    expect(page.locator("[data-connection=live]")).to_be_attached()
    expect(name).to_be_focused()


@pytest.mark.parametrize(
    ("locale", "button", "provider", "effort", "hint"),
    [
        ("zh-CN", "新建机器人", "兼容 OpenAI", "思考强度", "加密保存"),
        ("zh-TW", "新增機器人", "相容 OpenAI", "思考強度", "加密儲存"),
    ],
)
def test_the_dialog_speaks_chinese(
    mock: str, visit: Visit, locale: str, button: str, provider: str, effort: str, hint: str
) -> None:
    page = visit(mock, locale=locale)
    page.get_by_role("navigation").get_by_role("button", name=button).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(provider).check()
    expect(dialog.get_by_label(effort)).to_be_visible()
    expect(dialog.get_by_text(hint)).to_be_visible()
