"""The paper market as its owner has it: recorded candles that play the same way, and losses."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    FENCE_AFTER_SECONDS,
    REPLAY_CANDLES_MAX,
    REPLAY_SECONDS_MAX,
    REPLAY_SECONDS_MIN,
)
from contracts.paper import PaperSettings
from contracts.states import IntentState
from durable_objects.bot_owner.venue.paper_market import LISTINGS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig, states
from tests.unit.durable_objects.conftest import Clock

S = IntentState
FLAT = ["50000", "50000", "50000", "50000"]
FALLS = ["50000", "50000", "40000", "45000"]


class PaperRig(TradingRig):
    """Trades on the paper venue that every owner has, with the owner's own market."""

    def _trading(self) -> dict[str, Any]:
        kept = super()._trading()
        return {"sleep": kept["sleep"]}

    async def set(self, **fields: Any) -> None:
        trading = self.owner.trading
        await trading.venues.paper.account()
        trading.paper.choose(PaperSettings.model_validate(fields))

    async def mid(self, symbol: str = "BTC") -> Decimal:
        markets = await self.owner.desk.venues.active.markets()
        return next(one.mid for one in markets if one.symbol == symbol)


def replay(*rows: list[str], symbol: str = "BTC", **more: Any) -> dict[str, Any]:
    return {"replay": {"interval_seconds": 60, "candles": {symbol: list(rows)}, **more}}


@pytest.fixture
def rig(context: Context, clock: Clock) -> PaperRig:
    return PaperRig(context, clock)


async def test_recorded_candles_play_from_the_moment_at_which_they_are_set(rig: PaperRig) -> None:
    waves, eth = await rig.mid(), await rig.mid("ETH")
    await rig.set(**replay(FALLS, FLAT))
    seen = []
    for _ in range(7):
        seen.append(int(await rig.mid()))
        rig.clock.pass_seconds(20)
    assert seen == [50_000, 40_000, 50_000, 50_000, 50_000, 50_000, 50_000]
    assert rig.owner.trading.paper.settings.replay is not None
    # A new object plays on where it was; the other markets have their waves.
    rig.reborn()
    rig.clock.pass_seconds(-120)
    assert int(await rig.mid()) == 40_000
    rig.clock.pass_seconds(-20)
    assert (int(await rig.mid()), await rig.mid("ETH")) == (50_000, eth)
    await rig.set()
    assert await rig.mid() == waves


async def test_the_same_recording_is_the_same_market_whenever_it_begins(rig: PaperRig) -> None:
    async def played() -> list[Decimal]:
        await rig.set(**replay(FALLS, ["45000", "47001", "44000.5", "46000"]))
        found = []
        for _ in range(24):
            found.append(await rig.mid())
            rig.clock.pass_seconds(5)
        return found

    first = await played()
    rig.clock.pass_seconds(1_234_567)
    assert await played() == first


async def test_orders_fill_at_recorded_prices_and_what_rests_meets_both_markets(rig: PaperRig) -> None:
    await rig.set(**replay(FLAT))
    done = await rig.decide(await rig.buy(price="50010"), 1)
    assert (states(done), done.outcomes[0].price) == ((S.EXECUTED, ["filled"]), "50001")
    resting = await rig.decide(await rig.buy(price="45000", tif="Gtc"), 1)
    other = await rig.decide(await rig.buy(price="30000", tif="Gtc"), 1)
    rig.clock.pass_seconds(30)
    # Half a minute of a flat market has passed before this one, in which the price falls to 40,000.
    await rig.set(**replay(FALLS))
    await rig.owner.desk.sweep()
    assert states(rig.owner.desk.intent(resting.id))[1] == ["resting"]
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    assert states(rig.owner.desk.intent(resting.id))[1] == ["filled"]
    assert states(rig.owner.desk.intent(other.id))[1] == ["resting"]


async def test_a_lost_order_is_unknown_then_fenced_and_known_as_never_placed(rig: PaperRig) -> None:
    await rig.set(**replay(FLAT), loses="orders")
    intent = await rig.buy(price="50010")
    began = rig.clock.ms
    assert states(await rig.decide(intent, 1)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.clock.ms - began == FENCE_AFTER_SECONDS * 1000
    told = [one["state"] for one in rig.events("intent.updated")]
    assert told == ["submitting", "unknown", "rejected_by_venue"]
    assert (await rig.owner.desk.venues.active.account()).positions == ()


async def test_a_lost_answer_is_unknown_then_found_out_and_nothing_is_sent_twice(rig: PaperRig) -> None:
    await rig.set(**replay(FLAT), loses="answers")
    assert states(await rig.decide(await rig.buy(price="50010"), 1)) == (S.EXECUTED, ["filled"])
    assert [one["state"] for one in rig.events("intent.updated")] == ["submitting", "unknown", "executed"]
    assert (await rig.owner.desk.venues.active.account()).position("BTC") == Decimal("0.01")
    await rig.set(**replay(FLAT))
    await rig.decide(await rig.buy(price="50010"), 1)
    assert rig.events("intent.updated")[-1]["state"] == "executed"
    assert len(rig.events("intent.updated")) == 5


def over(count: int) -> dict[str, Any]:
    return replay(*[FLAT] * count)


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({}, True),
        (over(REPLAY_CANDLES_MAX), True),
        (over(REPLAY_CANDLES_MAX + 1), False),
        (over(0), False),
        (replay(FLAT, interval_seconds=REPLAY_SECONDS_MIN), True),
        (replay(FLAT, interval_seconds=REPLAY_SECONDS_MIN - 1), False),
        (replay(FLAT, interval_seconds=REPLAY_SECONDS_MAX), True),
        (replay(FLAT, interval_seconds=REPLAY_SECONDS_MAX + 1), False),
        (replay(FLAT, interval_seconds="60"), False),
        (replay(FLAT[:3]), False),
        (replay([*FLAT, "50000"]), False),
        (replay(["50000", "49999", "40000", "45000"]), False),
        (replay(["50000", "50000", "50001", "50000"]), False),
        (replay(["0", "50000", "0", "45000"]), False),
        (replay(["NaN", "NaN", "NaN", "NaN"]), False),
        (replay(["5e4", "5e4", "5e4", "5e4"]), False),
        ({"loses": "everything"}, False),
        ({"speed": 2}, False),
    ],
)
def test_what_may_be_set_has_limits(fields: dict[str, Any], *, right: bool) -> None:
    if right:
        PaperSettings.model_validate(fields)
    else:
        with pytest.raises(ValidationError):
            PaperSettings.model_validate(fields)


@pytest.mark.parametrize("symbol", [*LISTINGS, "DOGE"])
async def test_a_market_plays_prices_that_it_has(rig: PaperRig, symbol: str) -> None:
    listing = LISTINGS.get(symbol, LISTINGS["BTC"])
    least = 21 * listing.step
    most = (9_999_999 if symbol == "BTC" else 99_999) * listing.step - least

    def rows(price: Decimal) -> dict[str, Any]:
        return replay([str(price)] * 4, symbol=symbol)

    for price in (least, most):
        if symbol in LISTINGS:
            await rig.set(**rows(price))
            book = await rig.owner.desk.venues.active.book(symbol)
            assert all(level.price > 0 for level in (*book.bids, *book.asks))
    for price in (least - listing.step, most + listing.step):
        with pytest.raises(BerthError) as caught:
            await rig.set(**rows(price))
        assert caught.value.code == ErrorCode.INVALID_REQUEST


async def test_what_was_stored_under_older_rules_is_not_set(rig: PaperRig) -> None:
    rig.owner.catalog.set_setting("paper_market", '{"loses": "sometimes"}')
    rig.reborn()
    assert rig.owner.trading.paper.settings == PaperSettings()
