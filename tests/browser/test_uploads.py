"""A large file on its way: the network goes away, the page is reloaded, the person thinks better of it."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from contracts.limits import MIB
from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.threads import cards, new_bot, say

PART = re.compile(r"/api/uploads/(\w+)/parts/(\d+)$")
# Slow enough that a part of 5 MiB takes a second or two.
UPLOAD_BYTES_A_SECOND = 4 * MIB
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
    """The page's network as somebody turns it, and the parts that it has carried."""

    def __init__(self, page: Page) -> None:
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Network.enable")
        self.sent: list[tuple[str, int]] = []
        page.on("requestfinished", self._finished)

    def _finished(self, request: Request) -> None:
        if found := PART.search(request.url):
            self.sent.append((found[1], int(found[2])))

    def set(self, *, offline: bool = False) -> None:
        conditions: dict[str, Any] = {"offline": offline, "latency": 0, "downloadThroughput": -1}
        conditions["uploadThroughput"] = UPLOAD_BYTES_A_SECOND
        self._devtools.send("Network.emulateNetworkConditions", conditions)


def attach(page: Page, file: Path) -> Locator:
    page.locator("input[type=file]").set_input_files(file)
    chip = page.locator("[data-stage]").filter(has_text=file.name)
    expect(chip).to_be_visible()
    return chip


def until_percent(chip: Locator, least: int) -> None:
    """Wait until a part is there and the next one is on its way."""
    tens = "|".join([str(n) for n in range(least // 10, 10)])
    expect(chip).to_contain_text(re.compile(rf"({tens})\d%"), timeout=30_000)


def is_in_the_computer(page: Page, file: Path) -> None:
    say(page, f"$ sha256sum < uploads/{file.name}")
    expect(cards(page, "terminal").last).to_contain_text(
        hashlib.sha256(file.read_bytes()).hexdigest(), timeout=60_000
    )


def test_a_dead_network_is_waited_out_and_the_upload_goes_on_from_its_part(page: Page, big: Path) -> None:
    network = Network(page)
    network.set()
    chip = attach(page, big)
    until_percent(chip, 50)
    network.set(offline=True)
    expect(chip).to_have_attribute("data-stage", "waiting")
    expect(chip).to_contain_text("Waiting for the network")
    page.wait_for_timeout(3_000)
    expect(chip).to_have_attribute("data-stage", "waiting")
    network.set()
    expect(chip).to_have_attribute("data-stage", "done", timeout=30_000)
    expect(chip).to_contain_text("12.0 MB")
    (upload_id,) = {upload_id for upload_id, _ in network.sent}
    assert network.sent == [(upload_id, number) for number in (1, 2, 3)]
    is_in_the_computer(page, big)


def test_after_a_reload_the_same_file_goes_on_where_it_was(page: Page, big: Path, tmp_path: Path) -> None:
    network = Network(page)
    network.set()
    until_percent(attach(page, big), 50)
    page.reload()
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
    expect(page.locator("[data-stage=done]").filter(has_text="12.0 MB")).to_be_visible(timeout=30_000)
    expect(chip).to_have_count(0)
    assert [number for _, number in network.sent] == [1, 2, 3]
    page.get_by_role("button", name=f"Remove {big.name}").last.click()
    expect(page.locator("[data-stage]")).to_have_count(1)
    page.reload()
    expect(page.get_by_role("button", name="Attach files")).to_be_visible()
    expect(page.locator("[data-stage]")).to_have_count(0)


def test_a_cancelled_upload_is_given_up_on_the_server(page: Page, big: Path) -> None:
    network = Network(page)
    network.set()
    chip = attach(page, big)
    until_percent(chip, 50)
    ((upload_id, _),) = network.sent
    with page.expect_response(lambda answer: answer.request.method == "DELETE") as given_up:
        page.get_by_role("button", name=f"Remove {big.name}").click()
    assert (given_up.value.status, given_up.value.url.rsplit("/", 1)[1]) == (204, upload_id)
    expect(chip).to_have_count(0)
    assert page.evaluate(f"fetch('/api/uploads/{upload_id}').then(r => r.status)") == 404
    page.reload()
    expect(page.get_by_role("button", name="Attach files")).to_be_visible()
    expect(page.locator("[data-stage]")).to_have_count(0)
