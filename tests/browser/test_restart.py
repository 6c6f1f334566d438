"""The page over a crash of the server in the middle of a command: nothing is lost, nothing is done twice."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.threads import cards, command, new_bot, say, standing

RESTART_MS = 60_000


def test_page_goes_on_after_a_crash(
    built: Path, visit: Visit, watch: Watch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert (built / "index.html").exists()
    watch.expected = ("WebSocket", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_SOCKET")
    with LocalStack(tmp_path_factory.mktemp("berth")) as stack:
        page = visit(stack.url)
        new_bot(page)
        card = command(page, "for i in $(seq 1 8); do echo line $i | tee -a seen; sleep 0.5; done")
        expect(card.locator("code")).to_contain_text("line 2")
        stack.kill_host()
        say(page, "$ sort seen | uniq -d | wc -l")
        expect(cards(page, "user").last).to_have_attribute("data-send", "queued")
        stack.start_host()
        expect(page.locator("[data-connection=live]")).to_be_attached(timeout=RESTART_MS)
        expect(cards(page, "user").last).to_have_attribute("data-send", "sent", timeout=RESTART_MS)
        expect(standing(card, "running")).to_have_count(0, timeout=RESTART_MS)
        repeated = cards(page, "terminal").last
        expect(standing(repeated, "finished")).to_be_visible(timeout=RESTART_MS)
        expect(repeated.locator("code")).to_have_text("0")
        expect(cards(page, "user")).to_have_count(2)
        page.context.close()
