"""The client against the stand-in: what it reads, what it signs, and what became of an order."""

import json
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.venue.hyperliquid import FILLS_LATE_MS
from durable_objects.bot_owner.venue.protocol import Unsure, Venue
from tests.unit.durable_objects.bot_owner.venue.real import ACCOUNT, RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import free
from tests.venue_server.exchange import signer_of
from tests.venue_server.server import Answer
from tests.venue_server.state import Order

MINUTE_MS = 60_000
CLOID = "0x" + "1e" * 16


def venue(rig: RealRig) -> Venue:
    return rig.owner.desk.venues.active


def action(*, asset: int = 0, price: str = "60010", size: str = "0.01", tif: str = "Ioc") -> dict[str, Any]:
    row = {
        "a": asset, "b": True, "p": price, "s": size, "r": False, "t": {"limit": {"tif": tif}}, "c": CLOID,
    }  # fmt: skip
    return {"type": "order", "orders": [row], "grouping": "na"}


async def sent(rig: RealRig, **fields: Any) -> dict[str, Any]:
    at, now = venue(rig), rig.clock.ms
    nonce = now + len(rig.sent)
    body = await at.prepare(action(**fields), {"BTC": 0}, nonce, now + 45_000, free)
    answer: dict[str, Any] = json.loads((await at.send(body)).text)
    return answer


async def test_markets_are_those_that_are_listed_and_have_a_mid(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.state.coins["ETH"].delisted = True
    btc, sol = await venue(rig).markets()
    assert (btc.symbol, btc.asset, btc.size_decimals, btc.leverage, btc.mid) == (
        "BTC",
        0,
        5,
        40,
        Decimal(60_000),
    )
    # Whoever is left out keeps its number.
    assert (sol.symbol, sol.asset) == ("SOL", 2)
    assert btc.at_ms == rig.clock.ms


async def test_a_name_that_only_looks_like_one_is_no_market(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.state.coins["ETH"].name = "\u0415TH"
    assert [one.symbol for one in await venue(rig).markets()] == ["BTC", "SOL"]


async def test_two_markets_of_one_name_are_none(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.state.coins["ETH"].name = "BTC"
    with pytest.raises(BerthError, match="one name"):
        await venue(rig).markets()


async def test_the_book_the_candles_the_fees_and_the_leverage_are_read(owner_at_venue: RealRig) -> None:
    at = venue(owner_at_venue)
    book = await at.book("BTC")
    assert (book.bids[0].price, book.asks[0].price) == (Decimal(59_999), Decimal(60_001))
    candles = await at.candles("BTC", MINUTE_MS, 5)
    assert len(candles.rows) == 5
    assert candles.rows[-1].at_ms == owner_at_venue.clock.ms // MINUTE_MS * MINUTE_MS
    fees = await at.fees()
    assert (fees.taker, fees.maker) == (Decimal("0.00045"), Decimal("0.00015"))
    assert await at.leverage("BTC") == 20


@pytest.mark.parametrize(
    ("kind", "lie"),
    [
        ("l2Book", {"coin": "ETH", "levels": [[], []]}),
        ("l2Book", {"coin": "BTC", "levels": [[{"px": "2.0", "sz": "1.0"}], [{"px": "1.0", "sz": "1.0"}]]}),
        ("l2Book", {"coin": "BTC", "levels": [[{"px": "1.0", "sz": "1.0"}, {"px": "2.0", "sz": "1.0"}], []]}),
        ("l2Book", {"coin": "BTC", "levels": [[]]}),
        ("l2Book", None),
    ],
)
async def test_a_book_that_is_none_is_refused(owner_at_venue: RealRig, kind: str, lie: Any) -> None:
    owner_at_venue.stand_in.lies[kind] = [Answer(200, json.dumps(lie))]
    with pytest.raises(BerthError) as caught:
        await venue(owner_at_venue).book("BTC")
    assert caught.value.code == ErrorCode.VENUE_UNAVAILABLE


async def test_the_account_has_its_positions_and_open_orders(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    await sent(rig)
    await sent(rig, price="50000", tif="Gtc")
    account = await venue(rig).account()
    assert (account.value, account.available, account.position("BTC")) == (
        Decimal(10_000),
        Decimal(10_000),
        Decimal("0.01"),
    )
    (order,) = account.orders
    assert (order.cloid, order.symbol, order.side, order.price, order.state) == (
        CLOID, "BTC", "buy", Decimal(50_000), "open",
    )  # fmt: skip


async def test_a_unified_account_has_its_money_in_its_balances(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.state.modes[ACCOUNT] = "unifiedAccount"
    account = await venue(rig).account()
    assert (account.value, account.available) == (Decimal(10_000), Decimal("9998.5"))


async def test_reads_name_the_account_and_never_its_agent(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.questions.clear()
    await venue(rig).account()
    await venue(rig).order(CLOID, 0)
    users = {one["user"] for one in rig.stand_in.questions if "user" in one}
    assert users == {ACCOUNT}


async def test_what_is_sent_is_signed_by_the_agent_for_the_testnet(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    answer = await sent(rig)
    assert answer["response"]["data"]["statuses"] == [
        {"filled": {"totalSz": "0.01", "avgPx": "60001", "oid": 7_001}}
    ]
    (body,) = rig.sent
    assert list(body) == ["action", "nonce", "signature", "vaultAddress", "expiresAfter"]
    assert signer_of(body) == rig.agent
    assert signer_of(body, mainnet=True) != rig.agent
    assert body["vaultAddress"] is None


async def test_a_market_whose_number_has_changed_is_not_signed(owner_at_venue: RealRig) -> None:
    rig, at = owner_at_venue, venue(owner_at_venue)
    await at.markets()
    coins = rig.stand_in.state.coins
    rig.stand_in.state.coins = {"NEW": coins["SOL"], **coins}
    coins["SOL"].name = "NEW"
    now = rig.clock.ms
    for assets in ({"BTC": 0}, {"BTC": 99}):
        with pytest.raises(BerthError, match="not what it was"):
            await at.prepare(action(), assets, now, now + 1, free)
    coins["BTC"].delisted = True
    with pytest.raises(BerthError, match="not what it was"):
        await at.prepare(action(asset=1), {"BTC": 1}, now, now + 1, free)
    assert rig.sent == []


async def test_an_order_is_what_its_state_and_its_fills_say(owner_at_venue: RealRig) -> None:
    rig, at = owner_at_venue, venue(owner_at_venue)
    assert await at.order(CLOID, 0) is None
    rig.stand_in.state.coins["BTC"].depth = Decimal("0.004")
    await sent(rig, tif="Gtc")
    found = await at.order(CLOID, 0)
    assert found
    assert (found.state, found.filled, found.size, found.average) == (
        "open", Decimal("0.004"), Decimal("0.01"), Decimal(60_001),
    )  # fmt: skip
    rig.stand_in.state.move("BTC", "59000")
    rig.clock.pass_seconds(5)
    found = await at.order(CLOID, 0)
    assert found
    assert (found.state, found.filled, found.average) == ("filled", Decimal("0.01"), Decimal("60006.4"))


def ended(rig: RealRig, status: str, *, left: str = "0.01", at_ms: int | None = None) -> Order:
    now = rig.clock.ms if at_ms is None else at_ms
    order = Order(
        9, ACCOUNT, "BTC", "B", Decimal(60_000), Decimal("0.01"), Decimal(left), "Gtc", False, CLOID, now,
        status, now,
    )  # fmt: skip
    rig.stand_in.state.orders.append(order)
    return order


@pytest.mark.parametrize(
    ("word", "state"),
    [("canceled", "cancelled"), ("marginCanceled", "cancelled"), ("scheduledCancel", "cancelled"),
     ("reduceOnlyCanceled", "cancelled"), ("someNewCanceled", "cancelled"), ("tickRejected", "rejected"),
     ("rejected", "rejected"), ("someNewRejected", "rejected"), ("triggered", "open"), ("open", "open")],
)  # fmt: skip
async def test_the_venues_words_for_an_end(owner_at_venue: RealRig, word: str, state: str) -> None:
    ended(owner_at_venue, word)
    found = await venue(owner_at_venue).order(CLOID, 0)
    assert found
    assert (found.state, found.filled) == (state, Decimal(0))
    assert found.note == ("" if word == "open" else word)


async def test_a_new_word_leaves_the_outcome_open(owner_at_venue: RealRig) -> None:
    ended(owner_at_venue, "halfway")
    with pytest.raises(Unsure, match="halfway"):
        await venue(owner_at_venue).order(CLOID, 0)


async def test_an_order_that_is_filled_without_fills_is_not_known_yet(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    ended(rig, "filled", left="0")
    for seconds in (0, 60):
        rig.clock.pass_seconds(seconds)
        with pytest.raises(Unsure, match="do not fit"):
            await venue(rig).order(CLOID, 0)


async def test_fills_that_come_late_are_waited_for(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    order = ended(rig, "canceled", left="0.01")
    order.left = Decimal("0.006")
    with pytest.raises(Unsure, match="not there yet"):
        await venue(rig).order(CLOID, 0)
    # What the fills do not say by then has not been filled: a reduce-only order shrinks too.
    rig.clock.ms += FILLS_LATE_MS + 1
    found = await venue(rig).order(CLOID, 0)
    assert found
    assert (found.state, found.filled) == ("cancelled", Decimal(0))


async def test_more_fills_than_the_order_do_not_fit(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    order = ended(rig, "filled")
    order.left = Decimal("0.02")
    rig.stand_in.state.fill(order, Decimal("0.02"), Decimal(60_000))
    with pytest.raises(Unsure, match="do not fit"):
        await venue(rig).order(CLOID, 0)


async def test_an_order_that_the_venue_forgot_is_known_by_its_fills(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    await sent(rig)
    rig.stand_in.state.orders.clear()
    found = await venue(rig).order(CLOID, rig.clock.ms)
    assert found
    assert (found.state, found.filled, found.average) == ("filled", Decimal("0.01"), Decimal(60_001))
    rig.clock.pass_seconds(5)
    assert await venue(rig).order("0x" + "0" * 32, 0) is None


async def test_an_answer_about_another_order_is_none(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    ended(rig, "open").cloid = "0x" + "77" * 16
    text = rig.stand_in.answer("/info", json.dumps(
        {"type": "orderStatus", "user": ACCOUNT, "oid": "0x" + "77" * 16}
    )).text  # fmt: skip
    rig.stand_in.lies["orderStatus"] = [Answer(200, text)]
    with pytest.raises(Unsure, match="another"):
        await venue(rig).order(CLOID, 0)


async def test_fills_are_read_page_by_page_and_given_up_where_they_are_too_many(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    other = ended(rig, "open")
    other.cloid, other.left, other.size = None, Decimal(10), Decimal(10)
    for _ in range(2_500):
        rig.clock.ms += 1
        rig.stand_in.state.fill(other, Decimal("0.0001"), Decimal(60_000))
    await sent(rig)
    rig.stand_in.state.orders.clear()
    found = await venue(rig).order(CLOID, 0)
    assert found
    assert found.filled == Decimal("0.01")
    # Pages that never end, as all stand in one millisecond.
    for _ in range(2_000):
        rig.stand_in.state.fill(other, Decimal("0.0001"), Decimal(60_000))
    rig.clock.pass_seconds(60)
    with pytest.raises(Unsure, match="too many"):
        await venue(rig).order("0x" + "0" * 32, 0)


async def test_what_the_model_reads_says_of_when_it_is(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    await rig.call("hl__get_markets", {"symbols": ["BTC"]})
    first = rig.results()[-1]["text"]
    assert first.startswith("hyperliquid (testnet), as of 2027-01-15T08:00:00Z\nBTC: mid 60000")
    rig.stand_in.state.coins["BTC"].mid = Decimal(61_000)
    rig.clock.ms += 1_500
    await rig.call("hl__get_markets", {"symbols": ["BTC"]})
    assert rig.results()[-1]["text"] == first
    rig.clock.ms += 500
    await rig.call("hl__get_markets", {"symbols": ["BTC"]})
    assert "as of 2027-01-15T08:00:02Z\nBTC: mid 61000" in rig.results()[-1]["text"]


async def test_a_model_that_asks_too_much_is_told_when_to_ask_again(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    for limit in range(1, 40):
        await rig.call("hl__get_candles", {"symbol": "BTC", "interval": "1h", "limit": limit})
        if rig.results()[-1]["error"]:
            break
    error = rig.results()[-1]["error"]
    assert (error["code"], error["retry_after_s"] > 0) == ("venue_throttled", True)
