"""A large file on its way: the network goes away, the page is reloaded, the person thinks better of it."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from contracts.limits import MIB
from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch, until
from tests.browser.threads import cards, new_bot, say

PART = re.compile(r"/api/uploads/(\w+)/parts/(\d+)$")
UNLIMITED = -1
# The part of 5 MiB on its way takes minutes: what is seen meanwhile lasts.
CRAWL_BYTES_A_SECOND = 16 * 1024
GONE = ("ERR_INTERNET_DISCONNECTED", "ERR_ABORTED", "WebSocket", "404")


@pytest.fixture
def page(stack: LocalStack, visit: Visit, watch: Watch) -> Page:
    watch.expected = GONE
    page = visit(stack.url)
    new_bot(page)
    return page


@pytest.fixture
def big(tmp_path: Path) -> Path:
    path = tmp_path / "big.bin"
    path.write_bytes(b"".join(n.to_bytes(4) for n in range(3 * MIB)))
    return path


class Network:
    """The page's network as somebody turns it, and the parts that it has carried or lost."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Network.enable")
        self._slow = False
        self.sent: list[tuple[str, int]] = []
        self.lost: list[tuple[str, int]] = []
        page.on("requestfinished", self._finished)
        page.on("requestfailed", self._failed)
        page.route(re.compile(r"/parts/2$"), self._second_part, times=1)

    def _second_part(self, route: Route) -> None:
        self._conditions(upload=CRAWL_BYTES_A_SECOND)
        route.continue_()
        self._slow = True

    def _finished(self, request: Request) -> None:
        if found := PART.search(request.url):
            self.sent.append((found[1], int(found[2])))

    def _failed(self, request: Request) -> None:
        if found := PART.search(request.url):
            self.lost.append((found[1], int(found[2])))

    def _conditions(self, *, offline: bool = False, upload: int = UNLIMITED) -> None:
        conditions: dict[str, Any] = {"offline": offline, "latency": 0, "downloadThroughput": -1}
        self._devtools.send("Network.emulateNetworkConditions", conditions | {"uploadThroughput": upload})

    def until_second_part(self) -> None:
        """Wait until one part is there and the next one is on its way, where it stays."""
        until(self._page, lambda: self._slow)

    def cut(self) -> None:
        self._conditions(offline=True)

    def mend(self) -> None:
        self._conditions()


def attach(page: Page, file: Path) -> Locator:
    page.locator("input[type=file]").set_input_files(file)
    chip = page.locator("[data-stage]").filter(has_text=file.name)
    expect(chip).to_be_visible()
    return chip


def is_in_the_computer(page: Page, file: Path) -> None:
    say(page, f"$ sha256sum < uploads/{file.name}")
    expect(cards(page, "terminal").last).to_contain_text(hashlib.sha256(file.read_bytes()).hexdigest())


def test_a_dead_network_is_waited_out_and_the_upload_goes_on_from_its_part(page: Page, big: Path) -> None:
    network = Network(page)
    chip = attach(page, big)
    network.until_second_part()
    expect(chip).to_contain_text(re.compile(r"4\d%"))
    network.cut()
    expect(chip).to_have_attribute("data-stage", "waiting")
    expect(chip).to_contain_text("Waiting for the network")
    until(page, lambda: len(network.lost) >= 3)
    expect(chip).to_have_attribute("data-stage", "waiting")
    network.mend()
    expect(chip).to_have_attribute("data-stage", "done")
    expect(chip).to_contain_text("12.0 MB")
    (upload_id,) = {upload_id for upload_id, _ in network.sent}
    assert network.sent == [(upload_id, number) for number in (1, 2, 3)]
    is_in_the_computer(page, big)


def test_after_a_reload_the_same_file_goes_on_where_it_was(page: Page, big: Path, tmp_path: Path) -> None:
    network = Network(page)
    attach(page, big)
    network.until_second_part()
    page.reload()
    network.mend()
    chip = page.locator("[data-stage=lost]").filter(has_text=big.name)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    other = tmp_path / "other" / big.name
    other.parent.mkdir()
    other.write_bytes(b"not the same")
    with page.expect_file_chooser() as chosen:
        chip.get_by_role("button", name="Choose again to go on").click()
    chosen.value.set_files(other)
    expect(page.locator("[data-stage=done]")).to_contain_text("12 B")
    expect(chip).to_be_visible()
    page.locator("input[type=file]").set_input_files(big)
    expect(page.locator("[data-stage=done]").filter(has_text="12.0 MB")).to_be_visible()
    expect(chip).to_have_count(0)
    assert [number for _, number in network.sent] == [1, 2, 3]
    page.get_by_role("button", name=f"Remove {big.name}").last.click()
    expect(page.locator("[data-stage]")).to_have_count(1)
    page.reload()
    expect(page.get_by_role("button", name="Attach files")).to_be_visible()
    expect(page.locator("[data-stage]")).to_have_count(0)


def test_a_cancelled_upload_is_given_up_on_the_server(page: Page, big: Path) -> None:
    network = Network(page)
    chip = attach(page, big)
    network.until_second_part()
    ((upload_id, _),) = network.sent
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as given_up:
        page.get_by_role("button", name=f"Remove {big.name}").click()
    assert (given_up.value.status, given_up.value.url.rsplit("/", 1)[1]) == (204, upload_id)
    expect(chip).to_have_count(0)
    assert page.evaluate(f"fetch('/api/uploads/{upload_id}').then(r => r.status)") == 404
    page.reload()
    expect(page.get_by_role("button", name="Attach files")).to_be_visible()
    expect(page.locator("[data-stage]")).to_have_count(0)
