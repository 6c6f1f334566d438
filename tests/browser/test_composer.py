"""The composer beyond plain text: commands behind a slash, a model for one message, quotations, dictation."""

import json

import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.test_accessibility import violations
from tests.browser.threads import (
    ENDLESS,
    bot_thread,
    cards,
    command,
    composer,
    new_thread,
    post,
    say,
    standing,
)

# What a browser does that understands speech, but for the understanding.
SPEECH = """
window.SpeechRecognition = class {
  start() { window.heard = this; }
  stop() { this.onend(); }
  abort() { this.onend(); }
};
window.say = (words, isFinal) => window.heard.onresult(
  { resultIndex: 0, results: [{ isFinal, 0: { transcript: words } }] });
"""


AT_END = """() => {
    const log = document.querySelector("[role=log]");
    return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
}"""


def test_slash_offers_what_the_bot_and_the_page_can_do(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    composer(page).press_sequentially("/")
    offers = page.get_by_role("listbox", name="Commands")
    expect(offers.get_by_role("option").first).to_contain_text("/read")
    expect(offers.get_by_role("option", name="/settings")).to_be_attached()
    assert violations(page) == []
    composer(page).press_sequentially("wr")
    expect(offers.get_by_role("option")).to_have_count(1)
    composer(page).press("Enter")
    expect(composer(page)).to_have_value("/write ")
    expect(offers).to_have_count(0)
    composer(page).fill("")
    composer(page).press_sequentially("/nothing")
    expect(offers).to_have_count(0)
    composer(page).press("Enter")
    expect(cards(page, "user")).to_contain_text("/nothing")


def test_slash_commands_of_the_page_are_done_and_not_sent(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True)
    new_thread(page)
    card = command(page, ENDLESS)
    expect(standing(card, "running")).to_be_visible()
    composer(page).press_sequentially("/stop")
    page.get_by_role("option", name="/stop").tap()
    expect(standing(card, "stopped")).to_be_visible()
    expect(composer(page)).to_have_value("")
    composer(page).press_sequentially("/sett")
    composer(page).press("Enter")
    expect(page.get_by_role("heading", name="Settings").first).to_be_visible()
    page.go_back()
    expect(cards(page, "user")).to_have_count(1)


def test_escape_closes_the_list_until_something_else_is_written(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    composer(page).press_sequentially("/set")
    offers = page.get_by_role("listbox", name="Commands")
    expect(offers).to_be_visible()
    composer(page).press("Escape")
    expect(offers).to_have_count(0)
    composer(page).press("Backspace")
    expect(offers).to_be_visible()


def test_list_leaves_the_keys_of_an_input_method_alone(mock: str, visit: Visit) -> None:
    page = visit(mock, locale="zh-CN")
    page.get_by_role("main").get_by_role("button", name="新对话").click()
    field = page.get_by_role("textbox", name="消息")
    field.press_sequentially("/")
    expect(page.get_by_role("listbox")).to_be_visible()
    field.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "isComposing": True})
    field.dispatch_event("keydown", {"key": "ArrowDown", "keyCode": 229, "isComposing": True})
    expect(field).to_have_value("/")
    expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    expect(cards(page, "user")).to_have_count(0)


def with_model(page: Page, mock: str) -> None:
    """A thread of a bot that has a model, at the pretended server."""
    body = {"name": "Thinker", "model": {"provider": "anthropic", "model": "plain", "effort": "low"}}
    bot = post(page, "/api/bots", body)
    thread = post(page, "/api/threads", {"bot_id": bot["id"]})
    page.goto(f"{mock}/t/{thread['id']}")


@pytest.mark.parametrize("phone", [False, True])
def test_a_message_is_for_another_model_and_effort_and_the_next_one_is_not(
    mock: str, visit: Visit, phone: bool
) -> None:
    page = visit(mock, phone=phone, color_scheme="dark" if phone else "light")
    with_model(page, mock)
    page.get_by_role("button", name="Model of this message").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Model", exact=True).fill("clever")
    dialog.get_by_label("Thinking effort").select_option("high")
    assert violations(page, besides=frozenset({"region"})) == []
    dialog.get_by_role("button", name="Done").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("For this message: clever · High")).to_be_visible()
    with page.expect_request("**/messages") as sent:
        say(page, "think hard")
    assert json.loads(sent.value.post_data or "")["model"] == "clever"
    expect(cards(page, "user")).to_contain_text("For this message: clever · High")
    with page.expect_request("**/messages") as sent:
        say(page, "and now as ever")
    assert json.loads(sent.value.post_data or "")["model"] is None
    expect(cards(page, "user").last).not_to_contain_text("For this message")


def test_a_bot_without_a_model_has_none_to_choose(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    expect(page.get_by_role("button", name="Attach files")).to_be_visible()
    expect(page.get_by_role("button", name="Model of this message")).to_have_count(0)


def test_a_message_is_quoted_whole_or_as_far_as_it_is_selected(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "first line")
    answer = cards(page, "assistant")
    expect(answer).to_have_attribute("data-done", "true")
    message = cards(page, "user")
    message.hover()
    message.get_by_role("button", name="Quote").click()
    expect(composer(page)).to_have_value("> first line\n\n")
    expect(composer(page)).to_be_focused()
    answer.locator("strong").evaluate("e => getSelection().selectAllChildren(e)")
    answer.hover()
    answer.get_by_role("button", name="Quote").click()
    expect(composer(page)).to_have_value("> first line\n\n> first line\n\n")
    page.reload()
    expect(composer(page)).to_have_value("> first line\n\n> first line\n\n")


def test_whoever_is_at_the_end_stays_there_while_the_composer_grows(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True)
    new_thread(page)
    for n in range(4):
        expect(standing(command(page, f"pytest -q {n}"), "failed")).to_be_visible()
    page.wait_for_function(AT_END)
    composer(page).fill("\n" * 9)
    page.wait_for_function(AT_END)
    expect(standing(cards(page, "terminal").last, "failed")).to_be_in_viewport()


def test_a_phone_finds_in_the_thread_from_its_menu(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True, locale="zh-TW", color_scheme="dark")
    page.get_by_role("main").get_by_role("button", name="新對話").tap()
    page.get_by_role("textbox", name="訊息").fill("企鵝")
    page.get_by_role("textbox", name="訊息").press("Enter")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    page.get_by_role("button", name="對話選單").tap()
    page.get_by_role("menuitem", name="在此對話中尋找").tap()
    page.get_by_role("textbox", name="在此對話中尋找").fill("企鵝")
    expect(page.locator("search [role=status]").last).to_have_text("2/2")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_said_is_written(mock: str, visit: Visit) -> None:
    page = visit(mock)
    page.add_init_script(SPEECH)
    page.reload()
    new_thread(page)
    dictate = page.get_by_role("button", name="Dictate")
    dictate.click()
    expect(page.get_by_text("Listening…")).to_be_visible()
    page.evaluate("say('count the', false)")
    expect(page.get_by_text("count the", exact=True)).to_be_visible()
    expect(composer(page)).to_have_value("")
    page.evaluate("say('count the penguins', true)")
    page.evaluate("say('by island', true)")
    expect(composer(page)).to_have_value("count the penguins by island")
    dictate.click()
    expect(page.get_by_text("Listening…")).to_have_count(0)
    dictate.click()
    page.evaluate("heard.onerror({ error: 'not-allowed' }); heard.onend()")
    expect(page.get_by_text("The browser does not let this page hear you.")).to_be_visible()
    expect(dictate).to_have_attribute("aria-pressed", "false")


def test_files_of_the_computer_are_named_without_waking_it(stack: LocalStack, visit: Visit) -> None:
    page = bot_thread(visit, stack.url)
    made = command(page, "mkdir -p data && touch data/penguins.csv 'data/two words.csv' notes.md && ls")
    expect(standing(made, "finished")).to_be_visible()
    composer(page).press_sequentially("/read @")
    files = page.get_by_role("listbox", name="Files")
    files.get_by_role("option", name="data/").click()
    expect(composer(page)).to_have_value("/read @data/")
    composer(page).press_sequentially("pen")
    expect(files.get_by_role("option")).to_have_text(["data/penguins.csv"])
    composer(page).press("Tab")
    expect(composer(page)).to_have_value("/read data/penguins.csv ")
    address = f"{page.url.split('/t/')[0]}/api/computer"
    assert "code" not in post(page, "/api/computer/standby?stop=true", {})
    page.reload()
    composer(page).fill("")
    composer(page).press_sequentially("look at @")
    expect(files.get_by_role("option", name="notes.md")).to_be_visible()
    assert page.request.get(address).json()["state"] == "standby"
    # An @ in a command is the command's own.
    composer(page).fill("")
    composer(page).press_sequentially("$ git log @")
    expect(files).to_have_count(0)
