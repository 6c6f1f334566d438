"""The page over a crash of the server in the middle of a command: nothing is lost, nothing is done twice."""

from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.threads import cards, command, gate, new_bot, open_gate, say, standing


def test_page_goes_on_after_a_crash(mortal: LocalStack, visit: Visit, watch: Watch) -> None:
    # What was on its way when it crashed ends in any of these.
    watch.expected = ("WebSocket", "net::ERR_")
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
