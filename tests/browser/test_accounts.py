"""Accounts at the exchange on the page: the served Berth, its real signer, and a stand-in of the exchange."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from eth_account import Account
from playwright.sync_api import Locator, Page, Request, expect

from local.stack import LocalStack
from tests.browser.browsing import PATIENCE_MS, Visit, Watch, headers_at, known
from tests.browser.serving import serving
from tests.browser.test_accessibility import violations
from tests.browser.test_settings import section
from tests.browser.threads import cards, new_bot, say
from tests.venue_server.exchange import signer_of
from tests.venue_server.server import VenueStandIn, served

LONG_MS = 60_000


class Holder:
    """Somebody with an account at the stand-in, and an agent of it."""

    def __init__(self, venue: VenueStandIn, name: str, *, until: int | None = None) -> None:
        self.key = hashlib.sha256(f"agent of {name}".encode()).hexdigest()
        self.agent = str(Account.from_key(self.key).address).lower()
        self.address = "0x" + hashlib.sha256(f"account of {name}".encode()).hexdigest()[:40]
        self.short = f"{self.address[:6]}…{self.address[-4:]}"
        venue.account(self.address, self.agent, until=until)


@pytest.fixture(scope="module")
def venue() -> VenueStandIn:
    return VenueStandIn()


@pytest.fixture(scope="module")
def exchange(
    built: Path, venue: VenueStandIn, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalStack]:
    """A served Berth whose exchange is the stand-in."""
    assert (built / "index.html").exists()
    folder = tmp_path_factory.mktemp("exchange")
    with serving(served(venue)) as url, LocalStack(folder, vars={"BERTH_VENUE_URL": url}) as running:
        yield known(running)


def at(stack: LocalStack, name: str) -> str:
    """The address of an owner of the test's own."""
    return stack.url.replace("127.0.0.1", f"{name}.localhost")


def connect(trading: Locator, address: str, key: str = "") -> None:
    trading.get_by_label("Address of the account").fill(address)
    trading.get_by_label("Agent key").fill(key)
    trading.get_by_role("button", name="Connect" if key else "Watch only", exact=True).click()


def trading_of(page: Page) -> Locator:
    trading = section(page, "Trading")
    expect(trading.get_by_text("Every order asks you first.")).to_be_visible(timeout=LONG_MS)
    return trading


def test_an_account_is_connected_traded_for_and_disconnected(
    exchange: LocalStack, venue: VenueStandIn, visit: Visit
) -> None:
    person = Holder(venue, "connected")
    page = visit(at(exchange, "connected"))
    told: list[str] = []

    def note(request: Request) -> None:
        if person.key in (request.post_data or ""):
            told.append(request.url)

    page.on("request", note)
    trading = trading_of(page)
    expect(trading.get_by_text("No account is connected.")).to_be_visible()
    connect(trading, person.address, f"0x{person.key}")
    item = trading.get_by_role("listitem").filter(has_text=person.address)
    expect(item).to_contain_text("Testnet")
    expect(item).to_contain_text("Key holds until")
    # It was pasted once, went once, and is nowhere on the page any more.
    expect(trading.get_by_label("Agent key")).to_have_value("")
    assert len(told) == 1
    assert person.key not in page.content()
    assert venue.questions[-1]["type"] == "extraAgents"
    item.get_by_role("button", name=f"Use {person.short}").click()
    expect(item).to_contain_text("In use")
    expect(trading.get_by_text("The venue's test network. No real money.")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Back to the conversation").click()
    new_bot(page)
    say(page, "/orders\nbuy 0.01 BTC 70000 Ioc\nbuy 0.1 ETH 3500 Ioc")
    card = cards(page, "approval")
    expect(card).to_contain_text("Testnet", timeout=LONG_MS)
    expect(card).to_contain_text(person.short)
    expect(cards(page, "tool")).to_contain_text("Waiting for you")
    # What is counted is what is chosen.
    expect(card.locator("[data-totals]")).to_contain_text("Value1050 USDC")
    card.get_by_role("checkbox", name="Approve line 2").uncheck()
    expect(card.locator("[data-totals]")).to_contain_text("Value700 USDCFee, about0.315 USDCMargin35 USDC")
    expect(card.get_by_role("row").nth(2).get_by_role("cell").last).to_have_text("—")
    card.get_by_role("button", name="Approve 1 of 2").click()
    expect(card).to_have_attribute("data-state", "executed", timeout=LONG_MS)
    expect(card.locator("[data-totals]")).to_contain_text("Value700 USDC")
    expect(cards(page, "tool")).not_to_contain_text("Waiting for you")
    assert [signer_of(one) for one in venue.received] == [person.agent]
    assert str(venue.state.positions(person.address)["BTC"]) == "0.01"
    trading = trading_of(page)
    item = trading.get_by_role("listitem").filter(has_text=person.address)
    item.get_by_role("button", name=f"Remove {person.short}").click()
    expect(item.get_by_role("alert")).to_contain_text("and its key?")
    item.get_by_role("button", name=f"Remove {person.short}").click()
    expect(item).to_have_count(0)
    expect(trading.get_by_text("A simulated market. No real money.")).to_be_visible()
    page.reload()
    expect(trading.get_by_text("No account is connected.")).to_be_visible()


def test_an_account_without_a_key_is_watched_and_cannot_be_chosen(
    exchange: LocalStack, venue: VenueStandIn, visit: Visit
) -> None:
    person = Holder(venue, "watching")
    page = visit(at(exchange, "watching"))
    trading = trading_of(page)
    connect(trading, person.address)
    item = trading.get_by_role("listitem").filter(has_text=person.address)
    expect(item).to_contain_text("Watch only")
    expect(item.get_by_role("button", name="Use")).to_have_count(0)
    # Given a key later, it is the same account.
    connect(trading, person.address, person.key)
    expect(item).to_contain_text("Key holds until")
    expect(item.get_by_role("button", name=f"Use {person.short}")).to_be_visible()
    expect(trading.get_by_role("listitem").filter(has_text="0x")).to_have_count(1)


def test_a_key_that_is_wrong_expired_or_of_somebody_else_is_refused_with_the_reason(
    exchange: LocalStack, venue: VenueStandIn, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("status of 422",)
    person, other = Holder(venue, "careful"), Holder(venue, "somebody else")
    late = Holder(venue, "late", until=1)
    page = visit(at(exchange, "careful"))
    trading = trading_of(page)
    for address, key, words in (
        (person.address, "4d" * 32, "The venue knows no agent with this key."),
        (late.address, late.key, "This agent has expired. Make a new one."),
        (person.address, other.key, "This is the key of an agent of another account."),
        (other.agent, person.key, "This is the address of an agent. Give that of its account."),
        ("0x" + "77" * 20, person.key, "The venue knows no such account on this network."),
    ):
        connect(trading, address, key)
        expect(trading.get_by_text(words)).to_be_visible()
        expect(trading.get_by_label("Agent key")).to_have_value("")
        assert key not in page.content()
    expect(trading.get_by_text("No account is connected.")).to_be_visible()
    assert violations(page) == []


def test_a_decision_that_is_refused_says_why_in_the_persons_language(
    exchange: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("status of 403",)
    url = at(exchange, "refused")
    as_owner = {"host": urlsplit(url).netloc, **headers_at(url)}
    with httpx.Client(base_url=exchange.url, headers=as_owner, timeout=PATIENCE_MS / 1000) as api:
        bot = api.post("/api/bots", json={"name": "Trader"}).raise_for_status().json()
        thread = api.post("/api/threads", json={"bot_id": bot["id"]}).raise_for_status().json()
        order = {"client_id": "refused-0001", "text": "/orders\nbuy 0.01 BTC 70000 Ioc"}
        api.post(f"/api/threads/{thread['id']}/messages", json=order).raise_for_status()
    page = visit(f"{url}/t/{thread['id']}", locale="zh-CN")
    card = cards(page, "approval")
    expect(cards(page, "tool")).to_contain_text("等你决定", timeout=LONG_MS)
    approve = card.get_by_role("button", name="批准", exact=True)
    expect(approve).to_be_enabled(timeout=LONG_MS)
    # Halted by another device, of which this page hears nothing yet.
    standing = page.evaluate("async () => await (await fetch('/api/trading')).json()")
    page.route("**/api/trading", lambda route: route.fulfill(json=standing))
    page.evaluate(
        """() => fetch("/api/trading/switch", {
            method: "PUT", headers: { "content-type": "application/json" }, body: '{"state": "halted"}',
        })"""
    )
    approve.click()
    problem = card.get_by_role("group", name="不允许")
    expect(problem).to_contain_text("交易已停止")
    expect(problem).not_to_contain_text("Trading")
    expect(card).to_have_attribute("data-state", "pending")
