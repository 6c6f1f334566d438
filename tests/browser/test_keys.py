"""Everything by the keyboard: the palette, the keys and their list, threads, searching, the list put away."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import Visit
from tests.browser.test_accessibility import violations
from tests.browser.threads import (
    ENDLESS,
    cards,
    command,
    composer,
    in_thread,
    new_thread,
    post,
    say,
    standing,
)


def call_palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()


@pytest.mark.parametrize("phone", [False, True])
def test_palette_finds_what_can_be_done_and_where_to_go(mock: str, visit: Visit, phone: bool) -> None:
    page = visit(mock, phone=phone, color_scheme="light" if phone else "dark")
    new_thread(page)
    say(page, "weekly report")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    thread = page.url
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Commands and threads")
    expect(palette.get_by_role("combobox")).to_be_focused()
    assert violations(page) == []
    page.keyboard.type("settings usage")
    expect(palette.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(palette).to_have_count(0)
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    call_palette(page)
    page.keyboard.type("report")
    page.keyboard.press("Enter")
    expect(page).to_have_url(thread)
    call_palette(page)
    page.keyboard.type("no such thing")
    expect(palette.get_by_role("status")).to_have_text("Nothing has these words.")
    page.keyboard.press("Escape")
    expect(palette).to_have_count(0)


def test_palette_moves_by_arrows_around_its_end(mock: str, visit: Visit) -> None:
    page = visit(mock, locale="zh-CN")
    expect(page.get_by_role("main").get_by_role("button", name="新对话")).to_be_visible()
    page.keyboard.press("Control+k")
    options = page.get_by_role("dialog").get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    expect(options.last).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.type("设置 机器人")
    expect(options.first).to_contain_text("机器人")


def test_question_mark_shows_the_keys_and_single_ones_can_be_switched_off(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    composer(page).press("?")
    expect(composer(page)).to_have_value("?")
    composer(page).fill("")
    page.get_by_role("log").or_(page.get_by_role("main")).first.click(position={"x": 5, "y": 5})
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_contain_text("Find in this thread")
    assert violations(page) == []
    keys.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    expect(composer(page)).to_be_focused()
    expect(keys).to_have_count(0)
    page.reload()
    in_thread(page)
    call_palette(page)
    page.keyboard.type("keyboard")
    page.keyboard.press("Enter")
    expect(keys.get_by_role("checkbox")).not_to_be_checked()


def test_threads_are_gone_through_and_begun_by_keys(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "first")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("heading", name="What should Quill do?")).to_be_visible()
    in_thread(page)
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_role("heading", name="first")).to_be_visible()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_role("heading", name="What should Quill do?")).to_be_visible()
    in_thread(page)
    card = command(page, ENDLESS)
    expect(standing(card, "running")).to_be_visible()
    page.keyboard.press("Control+.")
    expect(standing(card, "stopped")).to_be_visible()


def test_list_is_put_out_of_the_way_and_stays_so(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    threads = page.get_by_role("navigation", name="Threads")
    expect(threads).to_be_visible()
    threads.get_by_role("button", name="Hide threads").click()
    expect(threads).to_be_hidden()
    expect(page.get_by_role("button", name="Open threads")).to_be_focused()
    page.reload()
    in_thread(page)
    expect(threads).to_be_hidden()
    page.keyboard.press("Control+b")
    expect(threads).to_be_visible()
    page.keyboard.press("Control+b")
    expect(threads).to_be_hidden()
    page.keyboard.press("Control+Shift+F")
    expect(threads.get_by_role("searchbox")).to_be_focused()


def thread_with(page: Page, *texts: str) -> None:
    new_thread(page)
    for number, text in enumerate(texts, 1):
        say(page, text)
        expect(cards(page, "assistant")).to_have_count(number)
        expect(cards(page, "assistant").last).to_have_attribute("data-done", "true")


def test_words_are_found_in_the_thread_and_marked(mock: str, visit: Visit) -> None:
    page = visit(mock)
    thread_with(page, "the penguin", "something else", "another PENGUIN")
    page.keyboard.press("Control+f")
    field = page.get_by_role("textbox", name="Find in this thread")
    expect(field).to_be_focused()
    field.press_sequentially("penguin")
    count = page.locator("search [role=status]")
    expect(count).to_have_text("4/4")
    expect(page.locator("[data-found]")).to_contain_text("another PENGUIN")
    # Once in each message, and once in the answer that repeats it.
    marks = "() => CSS.highlights.get('found-words').size"
    page.wait_for_function(f"({marks})() === 4")
    field.press("Enter")
    expect(count).to_have_text("3/4")
    page.get_by_role("button", name="Next").click()
    expect(count).to_have_text("4/4")
    page.get_by_role("button", name="Next").click()
    expect(count).to_have_text("1/4")
    expect(page.locator("[data-found]")).to_be_in_viewport()
    assert violations(page) == []
    field.fill("nowhere")
    expect(count).to_have_text("0/0")
    expect(page.locator("[data-found]")).to_have_count(0)
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(composer(page)).to_be_focused()
    assert page.evaluate("CSS.highlights.size") == 0


def test_what_came_meanwhile_is_marked_in_the_list_and_in_the_thread(mock: str, visit: Visit) -> None:
    page = visit(mock)
    thread_with(page, "first")
    thread = page.url
    page.get_by_role("button", name="New thread with Quill").click()
    expect(page.get_by_role("heading", name="What should Quill do?")).to_be_visible()
    unread = page.get_by_role("navigation").get_by_role("img", name="Unread")
    expect(unread).to_have_count(0)
    message = {"client_id": "elsewhere-1", "text": "from another window"}
    post(page, f"/api/threads/{thread.split('/t/')[1]}/messages", message)
    expect(unread).to_have_count(1)
    page.get_by_role("navigation").get_by_role("link", name=re.compile("first")).click()
    line = page.locator("[data-news]")
    expect(line).to_have_text("New")
    expect(unread).to_have_count(0)
    say(page, "I have read it")
    expect(line).to_have_count(0)
    page.get_by_role("button", name="New thread with Quill").click()
    expect(page.get_by_role("heading", name="What should Quill do?")).to_be_visible()
    expect(unread).to_have_count(0)
