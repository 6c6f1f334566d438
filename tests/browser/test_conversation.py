"""Writing, sending and reading, against a pretended server."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.browsing import Visit, Watch
from tests.browser.threads import ENDLESS, cards, command, composer, new_thread, say, standing

# Rows that come into view are measured, and may move the others: the place is what several frames agree on.
SETTLED_PLACE = """async e => {
  for (let [before, same] = [NaN, 0]; same < 5; same = before === e.scrollTop ? same + 1 : 0) {
    before = e.scrollTop;
    await new Promise(resume => requestAnimationFrame(() => setTimeout(resume, 20)));
  }
  return e.scrollTop;
}"""


def test_answer_is_written_and_then_recorded(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "hello")
    answer = cards(page, "assistant")
    expect(answer).to_have_attribute("data-done", "true")
    expect(answer.locator("strong")).to_have_text("hello")


def test_thread_takes_its_title_from_the_first_message(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "weekly report")
    expect(page.get_by_role("heading", name="weekly report")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_text("weekly report")).to_be_visible()


def test_shift_enter_makes_a_line_and_enter_sends(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    composer(page).press_sequentially("one")
    composer(page).press("Shift+Enter")
    composer(page).press_sequentially("two")
    expect(composer(page)).to_have_value("one\ntwo")
    composer(page).press("Enter")
    expect(cards(page, "user")).to_contain_text("one\ntwo")
    expect(composer(page)).to_have_value("")


def test_enter_that_ends_an_input_method_does_not_send(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    composer(page).focus()
    keyboard = page.context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    composer(page).dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "isComposing": True})
    keyboard.send("Input.insertText", {"text": "你好"})
    expect(composer(page)).to_have_value("你好")
    expect(cards(page, "user")).to_have_count(0)
    composer(page).press("Enter")
    expect(cards(page, "user")).to_contain_text("你好")


def test_draft_stays_with_its_thread_over_a_reload(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "first")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    composer(page).fill("not sent yet")
    page.get_by_role("button", name="New thread with Quill").click()
    expect(composer(page)).to_have_value("")
    page.go_back()
    page.reload()
    expect(composer(page)).to_have_value("not sent yet")


def test_attached_files_go_with_the_message(mock: str, visit: Visit, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a,b\n1,2\n")
    page = visit(mock)
    new_thread(page)
    page.locator("input[type=file]").set_input_files(data)
    expect(page.get_by_text("data.csv")).to_be_visible()
    say(page, "look at this")
    expect(cards(page, "user")).to_contain_text("data.csv")
    expect(cards(page, "user")).to_have_attribute("data-send", "sent")


def test_dropped_and_pasted_files_are_attached(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    transfer = "() => { const t = new DataTransfer(); t.items.add(new File(['x'], NAME)); return t; }"
    dropped = page.evaluate_handle(transfer.replace("NAME", "'dropped.txt'"))
    zone = page.get_by_role("main").locator("form")
    zone.dispatch_event("dragover", {"dataTransfer": dropped})
    expect(page.get_by_text("Drop files to attach them")).to_be_visible()
    zone.dispatch_event("drop", {"dataTransfer": dropped})
    pasted = page.evaluate_handle(transfer.replace("NAME", "'pasted.txt'"))
    composer(page).evaluate(
        "(e, t) => e.dispatchEvent("
        "new ClipboardEvent('paste', {clipboardData: t, bubbles: true, cancelable: true}))",
        pasted,
    )
    expect(page.get_by_label(re.compile("^Remove "))).to_have_count(2)
    page.get_by_label("Remove dropped.txt").click()
    expect(page.get_by_text("dropped.txt")).to_have_count(0)


def test_refused_message_can_be_retried_and_discarded(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("422",)
    page = visit(mock)
    new_thread(page)
    say(page, "!refuse this")
    message = cards(page, "user")
    expect(message).to_have_attribute("data-send", "failed")
    message.get_by_role("button", name="Try again").click()
    expect(message).to_have_attribute("data-send", "failed")
    message.get_by_role("button", name="Discard").click()
    expect(message).to_have_count(0)


def test_message_written_without_a_network_is_sent_later(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("ERR_INTERNET_DISCONNECTED", "WebSocket")
    page = visit(mock)
    new_thread(page)
    page.context.set_offline(True)
    say(page, "later")
    expect(cards(page, "user")).to_have_attribute("data-send", "queued")
    page.context.set_offline(False)
    expect(cards(page, "user")).to_have_attribute("data-send", "sent")
    expect(cards(page, "assistant")).to_have_count(1)


def test_what_could_not_be_sent_outlives_a_reload_and_is_sent_once_in_its_order(
    mock: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("net::ERR_FAILED",)
    page = visit(mock)
    new_thread(page)
    page.route("**/messages", lambda route: route.abort())
    say(page, "one")
    say(page, "two")
    expect(page.locator("[data-send=queued]").first).to_be_attached()
    page.reload()
    expect(cards(page, "user")).to_have_count(2)
    expect(page.locator("[data-send=sent]")).to_have_count(0)
    page.unroute("**/messages")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-send=sent]")).to_have_count(2)
    expect(cards(page, "user")).to_contain_text(["one", "two"])
    page.reload()
    expect(cards(page, "user")).to_contain_text(["one", "two"])
    expect(cards(page, "user")).to_have_count(2)


def test_command_shows_output_state_and_place_of_its_log(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    card = command(page, "pytest -q")
    expect(standing(card, "failed")).to_have_text("Failed · exit 1")
    expect(card).to_contain_text("E   assert 2.31 < 2.0")
    expect(card).to_contain_text("One process was still running at the end and was ended.")
    expect(card).to_contain_text("/workspace/.berth/logs/")


def test_long_output_is_cut_to_its_end_and_can_be_opened(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    card = command(page, "flood")
    expect(standing(card, "finished")).to_be_visible()
    expect(card).to_contain_text("characters in 3,700 lines between were left out")
    expect(card.locator("code")).to_have_text(re.compile(r"^39\d\d x"))
    card.get_by_role("button", name="Show more").click()
    expect(card.locator("code")).to_have_text(re.compile(r"^0 x"))


def test_whoever_reads_above_is_not_moved_by_what_arrives(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    for n in range(6):
        expect(standing(command(page, f"pytest -q {n}"), "failed")).to_be_visible()
    log = page.get_by_role("log")
    card = command(page, ENDLESS.replace("sleep 1", "sleep 0.05"))
    expect(standing(card, "running")).to_be_visible()
    log.hover()
    page.mouse.wheel(0, -400)
    expect(page.get_by_role("button", name="Latest")).to_be_visible()
    place = log.evaluate(SETTLED_PLACE)
    last = re.findall(r"line \d+", card.locator("code").inner_text())[-1]
    expect(card.locator("code")).not_to_contain_text(re.compile(rf"\b{last}\b"))
    page.get_by_role("button", name="Stop run").click()
    expect(page.get_by_role("button", name="Stop run")).to_have_count(0)
    assert log.evaluate(SETTLED_PLACE) == place
    page.get_by_role("button", name="Latest").click()
    expect(standing(card, "stopped")).to_be_in_viewport()


def test_question_of_the_bot_is_answered_by_a_choice_and_stays_in_the_thread(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "?")
    waiting = cards(page, "waiting")
    expect(waiting).to_contain_text("Which file do you mean?")
    waiting.get_by_role("button", name="b.csv").click()
    expect(cards(page, "user").last).to_contain_text("b.csv")
    expect(waiting).to_have_count(0)
    expect(cards(page, "question")).to_contain_text("Which file do you mean?")
    expect(cards(page, "question").get_by_role("button")).to_have_count(0)


def test_message_during_a_run_is_queued_or_taken_back_as_the_person_wants(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    card = command(page, ENDLESS)
    expect(standing(card, "running")).to_be_visible()
    for text in ("after that", "and then"):
        composer(page).fill(text)
        page.get_by_role("button", name="Send after this run").click()
    queued = page.locator("[data-queued]")
    expect(queued).to_have_count(2)
    with page.expect_response("**/stop"):
        queued.last.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Stop run").click()
    expect(cards(page, "assistant")).to_contain_text("after that")
    expect(queued).to_have_count(0)
    expect(cards(page, "assistant")).to_have_count(1)


def test_failure_of_the_model_leads_to_the_settings(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "!model")
    failed = cards(page, "run-failed")
    expect(failed).to_contain_text("The endpoint answered 401.")
    failed.get_by_role("button", name="Bot settings").click()
    expect(page.get_by_role("dialog")).to_be_visible()
