"""The paper venue keeps the real venue's rules, and its market is the same for everybody."""

import json
from decimal import Decimal
from typing import Any

import pytest

from durable_objects.bot_owner.venue.numbers import price_legal
from durable_objects.bot_owner.venue.paper import OPEN_ORDERS_MAX, PaperVenue
from durable_objects.bot_owner.venue.paper_market import LISTINGS, Replay, Waves, book, candles, mid
from durable_objects.bot_owner.venue.paper_state import NONCES_KEPT, ORDERS_KEPT, PaperState
from durable_objects.bot_owner.venue.protocol import Candle
from durable_objects.bot_owner.venue.schema import VENUE_SCHEMA
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.trading import StillMarket, free
from tests.unit.durable_objects.conftest import Clock

BTC = LISTINGS["BTC"]


class Table:
    """A venue and the shortest way to place an order there."""

    def __init__(self, context: Context, clock: Clock) -> None:
        for statement in VENUE_SCHEMA:
            context.sql.run(statement)
        self.clock, self.market = clock, StillMarket()
        self.venue = PaperVenue(context, self.market)
        self.nonce = 0

    async def place(self, *, buy: bool = True, price: str = "60010", size: str = "0.01", **more: Any) -> Any:
        self.nonce += 1
        fields = {"tif": "Ioc", "reduce": False, "asset": 0, "nonce": self.nonce, **more}
        row = {
            "a": fields["asset"], "b": buy, "p": price, "s": size, "r": fields["reduce"],
            "t": {"limit": {"tif": fields["tif"]}}, "c": f"0x{self.nonce:032x}",
        }  # fmt: skip
        action = {"type": "order", "orders": [row], "grouping": "na"}
        expires = self.clock.ms + fields.get("expires", 1_000)
        reply = await self.venue.send(await self.venue.prepare(action, {}, fields["nonce"], expires, free))
        body = json.loads(reply.text)
        return body["response"]["data"]["statuses"][0] if body["status"] == "ok" else body["response"]

    async def held(self, symbol: str = "BTC") -> Decimal:
        return (await self.venue.account()).position(symbol)


@pytest.fixture
def table(context: Context, clock: Clock) -> Table:
    return Table(context, clock)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"price": "60010.5"}, "Price must be divisible by tick size. asset=0"),
        ({"size": "0.000001"}, "Order has invalid size. asset=0"),
        ({"size": "0.00016"}, "Order must have minimum value of $10. asset=0"),
        ({"reduce": True}, "Reduce only order would increase position. asset=0"),
        ({"size": "7"}, "Insufficient margin to place order. asset=0"),
        ({"tif": "Alo"}, "Post only order would have immediately matched. asset=0"),
        ({"price": "60000"}, "Order could not immediately match against any resting orders. asset=0"),
    ],
)
async def test_orders_are_refused_in_the_venues_words(
    table: Table, order: dict[str, Any], words: str
) -> None:
    assert await table.place(**order) == {"error": words}
    assert await table.held() == 0
    known = await table.venue.order(f"0x{table.nonce:032x}", 0)
    assert known and known.state == "rejected"


async def test_the_minimum_value_is_ten_and_a_whole_close_is_free_of_it(table: Table) -> None:
    assert "filled" in await table.place(size="0.00017")
    await table.place(size="0.0002")
    part: dict[str, Any] = {"buy": False, "price": "50000", "reduce": True}
    assert "minimum value" in (await table.place(size="0.0001", **part))["error"]
    table.market.shift = -40_000
    whole: dict[str, Any] = {"buy": False, "price": "15000", "reduce": True}
    assert "filled" in await table.place(size="0.00037", **whole)
    assert await table.held() == 0


async def test_an_order_eats_the_book_level_by_level(table: Table) -> None:
    levels = (await table.venue.book("HYPE")).asks
    wanted = levels[0].size + levels[1].size / 2
    filled = (await table.place(asset=159, price="31", size=str(wanted)))["filled"]
    value = levels[0].size * levels[0].price + levels[1].size / 2 * levels[1].price
    assert Decimal(filled["totalSz"]) == wanted
    assert abs(Decimal(filled["avgPx"]) - value / wanted) < Decimal("0.000001")
    account = await table.venue.account()
    fees = value * Decimal("0.00045")
    spread = value - wanted * 30
    assert abs(account.value - (10_000 - fees - spread)) < Decimal("0.000001")


async def test_an_ioc_order_loses_what_it_does_not_fill(table: Table) -> None:
    first = (await table.venue.book("HYPE")).asks[0]
    filled = (await table.place(asset=159, price="30.001", size="900"))["filled"]
    assert Decimal(filled["totalSz"]) == first.size
    known = await table.venue.order(f"0x{1:032x}", 0)
    assert known and (known.state, known.filled) == ("filled", first.size)
    assert (await table.venue.account()).orders == ()


async def test_reduce_only_shrinks_and_never_turns_a_position(table: Table) -> None:
    await table.place(size="0.01")
    filled = (await table.place(buy=False, price="59990", size="5", reduce=True))["filled"]
    assert filled["totalSz"] == "0.01"
    assert await table.held() == 0


async def test_a_resting_reduce_only_order_ends_when_there_is_nothing_to_reduce(table: Table) -> None:
    await table.place(size="0.01")
    assert "resting" in await table.place(buy=False, price="61000", size="0.01", reduce=True, tif="Gtc")
    resting = f"0x{table.nonce:032x}"
    await table.place(buy=False, price="59990", size="0.01", reduce=True)
    table.market.shift = 2_000
    table.clock.pass_seconds(5)
    known = await table.venue.order(resting, 0)
    assert known and (known.state, known.note) == ("cancelled", "reduceOnlyCanceled")


async def test_what_rests_fills_at_its_price_when_the_market_comes(table: Table) -> None:
    assert "resting" in await table.place(price="59900", tif="Gtc")
    table.clock.pass_seconds(100)
    assert await table.held() == 0
    table.market.shift = -101
    assert await table.held() == 0
    table.clock.pass_seconds(1)
    assert await table.held() == Decimal("0.01")
    known = await table.venue.order(f"0x{1:032x}", 0)
    assert known and (known.state, known.average) == ("filled", Decimal(59_900))


async def test_a_nonce_counts_once_and_an_action_has_an_end(table: Table) -> None:
    assert "filled" in await table.place(nonce=7)
    assert await table.place(nonce=7) == "Invalid nonce: duplicate nonce 7"
    assert "filled" in await table.place(expires=0)
    assert await table.place(expires=-1) == "Action expired before it was processed."
    assert await table.held() == Decimal("0.02")


async def test_turning_a_position_realises_the_first(table: Table) -> None:
    await table.place(size="0.01")
    table.market.shift = 1_000
    await table.place(buy=False, price="60000", size="0.03")
    account = await table.venue.account()
    (position,) = account.positions
    assert (position.size, position.entry) == (Decimal("-0.02"), Decimal(60_999))
    # Bought at 60,001, sold at 60,999, the mid is 61,000.
    fees = (Decimal("0.01") * 60_001 + Decimal("0.03") * 60_999) * Decimal("0.00045")
    assert account.value == 10_000 + Decimal("0.01") * 998 - Decimal("0.02") - fees


async def test_memory_is_bounded(table: Table, context: Context) -> None:
    for n in range(ORDERS_KEPT + 1):
        await table.place(price="1", size="0.00001")
        assert n >= 0
    kept = json.loads(context.sql.execute("SELECT state FROM paper")[0]["state"])
    assert (len(kept["orders"]), len(kept["nonces"])) == (ORDERS_KEPT, NONCES_KEPT)
    assert await table.venue.order(f"0x{1:032x}", 0) is None
    assert await table.venue.order(f"0x{2:032x}", 0) is not None


def test_the_market_follows_from_the_time_alone() -> None:
    waves, at = Waves(), 1_800_000_000_000
    assert [int(mid(waves, one, at) / one.step) for one in LISTINGS.values()] == [60232, 30225, 14836, 29912]
    assert book(waves, BTC, at) == book(Waves(), BTC, at + 999)
    assert book(waves, BTC, at) != book(waves, BTC, at + 1_000)


@pytest.mark.parametrize("listing", LISTINGS.values(), ids=lambda one: one.symbol)
def test_every_price_of_a_book_is_legal_and_the_market_stays_near_its_base(listing: Any) -> None:
    for day in range(30):
        at = 1_800_000_000_000 + day * 86_400_000 + day * 7_777_777
        seen = book(Waves(), listing, at)
        assert abs(mid(Waves(), listing, at) - listing.base * listing.step) < listing.base * listing.step / 40
        assert all(price_legal(level.price, listing.size_decimals) for level in (*seen.bids, *seen.asks))
        assert seen.bids[0].price < mid(Waves(), listing, at) < seen.asks[0].price


def test_candles_join_up_and_the_newest_is_under_way() -> None:
    rows = candles(Waves(), BTC, 1_800_000_030_000, 60_000, 3)
    assert [one.at_ms for one in rows] == [1_799_999_880_000, 1_799_999_940_000, 1_800_000_000_000]
    assert all(one.low <= min(one.open, one.close) <= max(one.open, one.close) <= one.high for one in rows)


def test_recorded_candles_are_played_again_and_again() -> None:
    recorded = [Candle(0, *map(Decimal, prices)) for prices in ((100, 130, 90, 120), (120, 125, 110, 111))]
    replay = Replay({"BTC": recorded}, 60, starts=7, otherwise=Waves())
    seconds = (7, 27, 47, 66, 67, 127)
    assert [replay.steps(BTC, second) for second in seconds] == [100, 90, 130, 120, 120, 100]
    # What was before it began is the end of the turn before.
    assert replay.steps(BTC, 6) == 111
    eth = LISTINGS["ETH"]
    assert replay.steps(eth, 7) == Waves().steps(eth, 7)


class CountedVenue(PaperVenue):
    writes = 0

    def _write(self, state: PaperState) -> None:
        self.writes += 1
        super()._write(state)


async def test_all_lines_that_are_looked_up_in_a_second_take_one_look(table: Table, context: Context) -> None:
    for _ in range(20):
        await table.place(price="50000", tif="Gtc")
    table.clock.pass_seconds(60)
    counted = CountedVenue(context, table.market)
    for n in range(1, 21):
        known = await counted.order(f"0x{n:032x}", 0)
        assert known and known.state == "open"
    assert counted.writes == 1
    # What was done since is seen in the same second, and what the market did in the next one.
    await table.place()
    latest = await counted.order(f"0x{table.nonce:032x}", 0)
    assert latest and latest.state == "filled"
    table.market.shift = -10_001
    table.clock.pass_seconds(1)
    first = await counted.order(f"0x{1:032x}", 0)
    assert first and first.state == "filled"


async def test_open_orders_have_a_limit_and_a_cancel_makes_room(table: Table) -> None:
    async def act(action: dict[str, Any]) -> list[Any]:
        table.nonce += 1
        body = await table.venue.prepare(action, {}, table.nonce, table.clock.ms + 1_000, free)
        statuses: list[Any] = json.loads((await table.venue.send(body)).text)["response"]["data"]["statuses"]
        return statuses

    rest = {"a": 0, "b": True, "p": "1000", "s": "0.01", "r": False, "t": {"limit": {"tif": "Gtc"}}}
    rows = [rest | {"c": f"0x{n:032x}"} for n in range(10_000, 10_000 + OPEN_ORDERS_MAX + 1)]
    *placed, last = await act({"type": "order", "orders": rows, "grouping": "na"})
    assert all("resting" in one for one in placed)
    refused = {"error": f"Too many open orders: {OPEN_ORDERS_MAX} are the most. asset=0"}
    assert last == refused
    assert await table.place(price="1000", tif="Gtc") == refused
    cancel = [{"asset": 0, "cloid": rows[0]["c"]}]
    assert await act({"type": "cancelByCloid", "cancels": cancel}) == ["success"]
    assert "resting" in await table.place(price="1000", tif="Gtc")
