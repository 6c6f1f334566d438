"""The page on a served Berth with real computers: what a person sees of a command from end to end."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.threads import (
    about_computer,
    bot_thread,
    cards,
    command,
    composer,
    fall_asleep,
    gate,
    open_gate,
    say,
    standing,
)
from tests.integration.chat.r2 import delete_snapshots


@pytest.fixture
def page(stack: LocalStack, visit: Visit) -> Page:
    """A new thread of a bot that has no model, with its computer awake."""
    page = bot_thread(visit, stack.url)
    expect(standing(command(page, "true"), "finished")).to_be_visible()
    return page


def test_output_comes_line_by_line_while_the_command_runs(page: Page) -> None:
    card = command(page, f"for i in 1 2; do echo line $i; {gate('next')}; done; echo line 3")
    expect(card.locator("code")).to_have_text(re.compile(r"^line 1\s*$"))
    expect(standing(card, "running")).to_be_visible()
    open_gate(page, "next")
    expect(card.locator("code")).to_have_text(re.compile(r"^line 1\nline 2\s*$"))
    expect(standing(card, "running")).to_be_visible()
    open_gate(page, "next")
    expect(standing(card, "finished")).to_be_visible()
    expect(card.locator("code")).to_have_text("line 1\nline 2\nline 3")


def test_stop_ends_the_command_and_all_it_started(page: Page) -> None:
    card = command(page, "setsid sleep 987 & sleep 987")
    expect(standing(card, "running")).to_be_visible()
    card.get_by_role("button", name="Stop").click()
    expect(standing(card, "stopped")).to_be_visible()
    left = command(page, "pgrep -c -f 'sleep 98[7]'")
    expect(standing(left, "failed")).to_be_visible()
    expect(left.locator("code")).to_have_text("0")


def test_reload_in_the_middle_shows_the_tail_and_goes_on(page: Page) -> None:
    card = command(
        page,
        f"for i in 1 2 3; do echo line $i; done; {gate('go')}; for i in $(seq 4 12); do echo line $i; done",
    )
    expect(card.locator("code")).to_contain_text("line 3")
    page.reload()
    expect(standing(card, "running")).to_be_visible()
    expect(card.locator("code")).to_have_text(re.compile(r"^line 1\nline 2\nline 3\s*$"))
    open_gate(page, "go")
    expect(standing(card, "finished")).to_be_visible()
    whole = "\n".join(f"line {n}" for n in range(1, 13))
    expect(card.locator("code")).to_have_text(whole)
    expect(cards(page, "terminal")).to_have_count(2)


def test_chart_is_shown_and_can_be_downloaded(page: Page, tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
    say(page, f"/write chart.svg\n{svg}\n/export chart.svg")
    card = cards(page, "artifact")
    expect(card).to_contain_text("chart.svg")
    picture = card.get_by_role("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("async e => { await e.decode(); return e.naturalWidth }") > 0
    with page.expect_download() as started:
        card.get_by_role("link", name="Download").click()
    assert started.value.suggested_filename == "chart.svg"
    started.value.save_as(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text().strip() == svg


def test_table_is_shown_as_one(page: Page) -> None:
    say(page, "/write table.csv\nmarket,mean\nBTC,0.5\nETH,0.25\n/export table.csv")
    card = cards(page, "artifact")
    card.get_by_role("button", name="Preview").click()
    expect(card.get_by_role("columnheader")).to_have_text(["market", "mean"])
    expect(card.get_by_role("cell", name="0.25")).to_be_visible()


def test_attached_file_is_in_the_computer(page: Page, tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("1\n2\n3\n")
    page.locator("input[type=file]").set_input_files(tmp_path / "numbers.txt")
    card = command(page, "wc -l < uploads/numbers.txt")
    expect(standing(card, "finished")).to_be_visible()
    expect(card.locator("code")).to_have_text("3")


def test_attached_pictures_are_shown_and_open_large(page: Page, tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
    (tmp_path / "dot.svg").write_text(svg)
    # By its name a picture, and by its bytes none.
    (tmp_path / "fake.png").write_text("no picture")
    page.locator("input[type=file]").set_input_files([tmp_path / "dot.svg", tmp_path / "fake.png"])
    say(page, "look at these")
    message = cards(page, "user").last
    expect(message).to_have_attribute("data-send", "sent")
    picture = message.get_by_role("img")
    expect(picture).to_have_count(1)
    assert picture.evaluate("async e => { await e.decode(); return e.naturalWidth }") > 0
    expect(message.get_by_text("fake.png")).to_be_visible()
    message.get_by_role("button", name="dot.svg").click()
    expect(page.get_by_role("dialog").get_by_role("img")).to_be_visible()


def test_denied_host_is_said_plainly(page: Page) -> None:
    card = command(page, "curl -sS --max-time 20 https://example.com/")
    expect(card.locator("[data-egress=denied]")).to_contain_text("GET example.com was denied")


def test_denied_host_is_opened_after_a_warning_and_closed_again(page: Page) -> None:
    fetch = "curl -sS -o /dev/null --max-time 20 https://opened.invalid/x"
    denied = command(page, fetch).locator("[data-egress=denied]")
    denied.get_by_role("button", name="Allow…").click()
    warning = page.get_by_role("dialog", name="Allow opened.invalid?")
    expect(warning).to_contain_text("whoever runs this host can learn what is in the computer")
    warning.get_by_role("button", name="Allow", exact=True).click()
    expect(denied).to_contain_text("Allowed from the next command on.")
    expect(command(page, fetch).locator("[data-egress=allowed]")).to_contain_text("opened.invalid")
    panel = about_computer(page, "Running")
    expect(panel).to_contain_text("opened.invalid/")
    panel.get_by_role("button", name="Close opened.invalid").click()
    expect(panel).not_to_contain_text("opened.invalid")
    again = command(page, fetch).locator("[data-egress=denied]")
    expect(again).to_contain_text("GET opened.invalid was denied")


def test_an_address_is_asked_about_before_a_command_tries_it(page: Page) -> None:
    say(page, "$ true")
    panel = about_computer(page, "Running")
    check = panel.locator("[data-egress-check]")
    check.get_by_role("textbox").fill("asked.invalid/x")
    check.get_by_role("textbox").press("Enter")
    expect(check.get_by_role("status")).to_contain_text("Denied")
    check.get_by_role("button", name="Allow…").click()
    page.get_by_role("dialog").get_by_role("button", name="Allow", exact=True).click()
    expect(panel.get_by_role("button", name="Close asked.invalid")).to_be_visible()
    check.get_by_role("button", name="Check").click()
    expect(check.get_by_role("status")).to_contain_text("Allowed")
    # An answer does not stay beside another address.
    check.get_by_role("textbox").fill("http://localhost/")
    expect(check.get_by_role("status")).to_be_empty()
    check.get_by_role("button", name="Check").click()
    expect(check.get_by_role("status")).to_contain_text("Denied")
    expect(check.get_by_role("button", name="Allow…")).to_have_count(0)
    panel.get_by_role("button", name="Close asked.invalid").click()


def test_a_wake_from_a_backup_is_told_in_a_card(page: Page, stack: LocalStack) -> None:
    fall_asleep(page)
    assert delete_snapshots(stack) > 0
    expect(standing(command(page, "true"), "finished")).to_be_visible()
    told = cards(page, "restored")
    expect(told).to_contain_text("It did not start from its snapshot.")
    expect(told).to_contain_text("Its files come from a backup and are as they were at")
    expect(told).not_to_contain_text("Later changes are gone.")


def test_output_beyond_the_basic_plane_arrives_whole(page: Page) -> None:
    text = f"for i in $(seq 1 9); do printf '🚢%s 泊位\\n' $i; sleep 0.2; done; {gate('seen')}"
    card = command(page, text)
    expected = "\n".join(f"🚢{n} 泊位" for n in range(2, 10))
    expect(card.locator("code")).to_have_text(expected)
    expect(standing(card, "running")).to_be_visible()
    open_gate(page, "seen")
    expect(standing(card, "finished")).to_be_visible()


def test_program_that_floods_leaves_the_page_usable(page: Page) -> None:
    card = command(page, "seq 1 300000")
    expect(standing(card, "finished")).to_be_visible()
    expect(card.locator("code")).to_contain_text("300000")
    composer(page).fill("still here")
    expect(composer(page)).to_have_value("still here")


def test_edited_message_goes_on_in_a_thread_of_its_own(page: Page) -> None:
    expect(standing(command(page, "echo one"), "finished")).to_be_visible()
    before = page.url
    message = cards(page, "user").last
    message.hover()
    message.get_by_role("button", name="Edit message").click()
    message.get_by_role("textbox", name="Edit message").fill("$ echo two")
    message.get_by_role("button", name="Send").click()
    page.wait_for_url(lambda url: url != before)
    expect(standing(cards(page, "terminal").last, "finished")).to_be_visible()
    expect(cards(page, "terminal").last.locator("code")).to_have_text("two")
    expect(cards(page, "terminal")).to_have_count(2)
    page.goto(before)
    expect(cards(page, "terminal").last.locator("code")).to_have_text("one")
    expect(cards(page, "terminal")).to_have_count(2)
