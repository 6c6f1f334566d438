"""The page over a crash of the server in the middle of a command: nothing is lost, nothing is done twice."""

import os
import re
import signal

from playwright.sync_api import Page, expect

from local.launcher.host_keeper import HostKeeper
from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch, until
from tests.browser.threads import (
    bot_thread,
    cards,
    command,
    gate,
    in_thread,
    new_bot,
    open_gate,
    say,
    standing,
)

# What was on its way when it crashed ends in any of these.
OUTAGE = ("WebSocket", "net::ERR_", "502", "Unable to preload", "dynamically imported module")


def test_page_goes_on_after_a_crash(mortal: LocalStack, visit: Visit, watch: Watch) -> None:
    watch.expected = OUTAGE
    page = visit(mortal.url)
    new_bot(page)
    card = command(page, f"rm -f seen; for i in 1 2 3; do echo line $i | tee -a seen; done; {gate('go')}")
    expect(card.locator("code")).to_contain_text("line 3")
    expect(standing(card, "running")).to_be_visible()
    mortal.kill_host()
    say(page, "$ sort seen | uniq -d | wc -l")
    expect(cards(page, "user").last).to_have_attribute("data-send", "queued")
    mortal.start_host()
    expect(page.locator("[data-connection=live]")).to_be_attached()
    expect(cards(page, "user").last).to_have_attribute("data-send", "sent")
    open_gate(page, "go")
    expect(standing(card, "running")).to_have_count(0)
    repeated = cards(page, "terminal").last
    expect(standing(repeated, "finished")).to_be_visible()
    expect(repeated.locator("code")).to_have_text("0")
    expect(cards(page, "user")).to_have_count(2)
    expect(cards(page, "terminal")).to_have_count(2)


def said(page: Page) -> list[str]:
    """What stands in the thread, as a reader of either size has it."""
    told = page.locator("[data-card=terminal] code, [data-card=user], [data-card=assistant]")
    return [text.strip() for text in told.all_inner_texts()]


def test_two_browsers_have_the_same_after_a_crash_in_the_middle_of_output(
    mortal: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = OUTAGE
    wide = bot_thread(visit, mortal.url)
    small = visit(wide.url, phone=True)
    in_thread(small)
    card = command(wide, "for i in $(seq 1 80); do echo mark-$i; sleep 0.15; done")
    for page in (wide, small):
        expect(page.locator("[data-card=terminal] code").first).to_contain_text("mark-5")
    mortal.kill_host()
    for page in (wide, small):
        expect(page.get_by_text("Reconnecting…")).to_be_visible()
    say(wide, "written meanwhile")
    expect(cards(wide, "user").last).to_have_attribute("data-send", "queued")
    mortal.start_host()
    for page in (wide, small):
        expect(page.locator("[data-connection=live]")).to_be_attached()
        expect(standing(cards(page, "terminal"), "running")).to_have_count(0)
        expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
        expect(page.get_by_text("Reconnecting…")).to_have_count(0)
    expect(standing(card, "finished")).to_be_visible()
    for page in (wide, small):
        page.get_by_role("button", name=re.compile("^Show (all|more)")).first.click()
        shown = page.locator("[data-card=terminal] code").first
        expect(shown).to_contain_text("mark-1\n")
        assert re.findall(r"mark-\d+", shown.inner_text()) == [f"mark-{n}" for n in range(1, 81)]
        expect(cards(page, "user")).to_have_count(2)
        expect(cards(page, "user").last).to_contain_text("written meanwhile")
        # Its Markdown comes with a part of the page that is loaded by then, or was when nobody answered.
        expect(cards(page, "assistant").locator("li").first).to_be_visible()
    assert said(wide) == said(small)


def test_without_a_server_nothing_counts_on_and_nothing_is_offered_that_it_would_not_hear(
    mortal: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = OUTAGE
    page = bot_thread(visit, mortal.url)
    card = command(page, f"echo up; {gate('never')}")
    expect(card.locator("code")).to_contain_text("up")
    stops = page.get_by_role("button", name=re.compile("^Stop"))
    expect(stops).to_have_count(2)
    mortal.kill_host()
    unknown = "Reconnecting… What runs is shown as last seen, and Stop would not reach it."
    expect(page.get_by_text(unknown)).to_be_visible()
    running = standing(card, "running")
    expect(running).to_contain_text("Last seen at")
    for stop in stops.all():
        expect(stop).to_be_disabled()
        expect(stop).to_have_attribute("title", re.compile("Stop would not reach it"))
    # The page's own clock goes on meanwhile.
    shown = running.inner_text()
    page.wait_for_timeout(2_500)
    assert running.inner_text() == shown
    page.keyboard.press("Control+.")
    mortal.start_host()
    expect(page.locator("[data-connection=live]")).to_be_attached()
    expect(running).to_have_text(re.compile("^Running"))
    card.get_by_role("button", name="Stop").click()
    expect(standing(card, "stopped")).to_be_visible()


def test_a_reload_without_a_server_shows_what_was_known_and_what_waits_is_sent_once(
    mortal: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = OUTAGE
    page = bot_thread(visit, mortal.url, service_workers="allow")
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")
    expect(standing(command(page, "echo first"), "finished")).to_be_visible()
    mortal.kill_host()
    say(page, "$ echo second")
    expect(cards(page, "user").last).to_have_attribute("data-send", "queued")
    page.reload()
    assert page.locator("html[data-kept]").count() == 1
    expect(page.get_by_text("The newest of this thread, as of")).to_be_visible()
    expect(cards(page, "terminal").locator("code")).to_have_text("first")
    expect(cards(page, "user")).to_have_count(2)
    expect(cards(page, "user").last).to_have_attribute("data-send", "queued")
    say(page, "$ echo third")
    expect(cards(page, "user").last).to_have_attribute("data-send", "queued")
    mortal.start_host()
    page.evaluate("dispatchEvent(new Event('online'))")
    for _ in range(2):
        expect(page.locator("[data-connection=live]")).to_be_attached()
        expect(page.locator("[data-card=user][data-send=sent]")).to_have_count(3)
        expect(cards(page, "terminal").locator("code")).to_have_text(["first", "second", "third"])
        expect(cards(page, "user")).to_contain_text(["first", "second", "third"])
        expect(page.get_by_text("The newest of this thread")).to_have_count(0)
        page.reload()


def test_a_killed_host_is_started_again_and_the_page_goes_on(
    mortal: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = OUTAGE
    page = bot_thread(visit, mortal.url)
    url = mortal.url
    keeper = HostKeeper(mortal)
    card = command(page, f"rm -f seen; for i in 1 2 3; do echo line $i | tee -a seen; done; {gate('back')}")
    expect(card.locator("code")).to_contain_text("line 3")
    # Its workerd outlives it and has the port.
    os.kill(mortal.host_pid, signal.SIGKILL)
    until(page, keeper.look)
    say(page, "$ sort seen | uniq -d | wc -l")
    expect(page.locator("[data-connection=live]")).to_be_attached()
    expect(cards(page, "user").last).to_have_attribute("data-send", "sent")
    open_gate(page, "back")
    assert mortal.url == url
    expect(standing(card, "running")).to_have_count(0)
    repeated = cards(page, "terminal").last
    expect(standing(repeated, "finished")).to_be_visible()
    expect(repeated.locator("code")).to_have_text("0")
    expect(cards(page, "user")).to_have_count(2)
    expect(cards(page, "terminal")).to_have_count(2)
