"""Reading the exchange: kept for a moment, weighed, and not believed where it is not what it should be."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import VENUE_WEIGHT_A_MINUTE
from durable_objects.bot_owner.venue import exchange as asked
from durable_objects.bot_owner.venue.exchange import Exchange, Query, closed
from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.bot_owner.venue.weights import REST_SECONDS
from tests.unit.durable_objects.conftest import Clock

ORDER = {
    "coin": "ETH", "side": "B", "limitPx": "1670.1", "sz": "0.0", "oid": 7003, "timestamp": 1760000000123,
    "reduceOnly": False, "origSz": "0.0147", "cloid": "0x1e60610f0b3d420597c88c1fed2ad5ee",
}  # fmt: skip
FILL = {
    "coin": "ETH", "px": "1670.1", "sz": "0.01", "side": "B", "time": 1760000000123, "oid": 1, "tid": 2,
    "cloid": ORDER["cloid"],
}  # fmt: skip
LISTED = {"name": "BTC", "szDecimals": 5, "maxLeverage": 40}
STATUS = {"order": ORDER, "status": "filled", "statusTimestamp": 1760000000456}
STATE = {
    "marginSummary": {"accountValue": "10.5"}, "withdrawable": "-0.5",
    "assetPositions": [{"position": {"coin": "BTC", "szi": "-0.5", "entryPx": None}}],
}  # fmt: skip
CANDLE = {"t": 1, "s": "BTC", "o": "1.0", "h": "1.0", "l": "1.0", "c": "1.0"}
LEVEL = {"px": "1.0", "sz": "2.0", "n": 1}
# A good answer of each kind.
GOOD: Mapping[str, tuple[Query[Any], Any]] = {
    "meta": (asked.META, {"universe": [LISTED]}),
    "mids": (asked.MIDS, {"BTC": "60000.5", "@1": "14.0"}),
    "book": (asked.BOOK, {"coin": "BTC", "time": 1, "levels": [[LEVEL], []]}),
    "candles": (asked.CANDLES, [CANDLE]),
    "state": (asked.CLEARINGHOUSE, STATE),
    "spot": (asked.SPOT, {"balances": [{"coin": "USDC", "token": 0, "total": "5.0", "hold": "0.0"}]}),
    "mode": (asked.MODE, "unifiedAccount"),
    "orders": (asked.OPEN_ORDERS, [ORDER, {**ORDER, "cloid": None}]),
    "fees": (asked.FEES, {"userCrossRate": "0.00045", "userAddRate": "-0.00001"}),
    "asset": (asked.ACTIVE_ASSET, {"coin": "BTC", "leverage": {"type": "cross", "value": 20}}),
    "order": (asked.ORDER, {"status": "order", "order": STATUS}),
    "no order": (asked.ORDER, {"status": "unknownOid"}),
    "fills": (asked.FILLS, [FILL, {name: value for name, value in FILL.items() if name != "cloid"}]),
    "role": (asked.ROLE, {"role": "agent", "data": {"user": "0x" + "A1" * 20}}),
    "agents": (asked.AGENTS, [{"name": "x", "address": "0x" + "a1" * 20, "validUntil": 1}]),
}
NOT_NUMBERS: list[Any] = [
    5, 0.5, "NaN", "Infinity", "-Infinity", "1e9", "1_0", " 1", "1 ", "+1", "", ".5", "5.", "01", "0x1",
    "9" * 40, "1." + "0" * 40, None, [], {}, True, "\u0661",
]  # fmt: skip


class Told:
    """An exchange that says what a test says."""

    def __init__(self, clock: Clock) -> None:
        self.replies: list[Reply | Unsure] = []
        self.asked: list[dict[str, Any]] = []
        self.exchange = Exchange("testnet", self.post, clock)

    async def post(self, path: str, body: str, seconds: float) -> Reply:
        assert (path, seconds) == ("/info", 10)
        self.asked.append(json.loads(body))
        reply = self.replies.pop(0)
        if isinstance(reply, Unsure):
            raise reply
        return reply

    async def read(self, query: Query[Any], value: Any, *, status: int = 200, **more: Any) -> Any:
        """The value as it is read when the exchange answers so; text goes as it is."""
        self.replies = [Reply(status, value if isinstance(value, str) else json.dumps(value))]
        return (await self.exchange.read(query, fresh=True, needed=True, **more)).value

    async def refused(self, query: Query[Any], value: Any, *, status: int = 200) -> BerthError:
        with pytest.raises(BerthError) as caught:
            await self.read(query, value, status=status)
        return caught.value


@pytest.fixture
def told(clock: Clock) -> Told:
    return Told(clock)


@pytest.mark.parametrize("name", GOOD)
async def test_each_kind_of_answer_is_read_with_more_beside_it(told: Told, name: str) -> None:
    query, good = GOOD[name]
    more = {**good, "new": [1]} if isinstance(good, dict) and name != "mids" else good
    text = json.dumps(more)
    assert await told.read(query, text) == await told.read(query, json.dumps(good))


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in an answer something stands."""
    found = [before]
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            found += paths(value[key], (*before, key))
    return found


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = json.loads(json.dumps(value))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return copy


USED: dict[str, list[tuple[Any, ...]]] = {
    "meta": [("universe",), ("universe", 0), ("universe", 0, "name"), ("universe", 0, "szDecimals")],
    "mids": [("BTC",)],
    "book": [("coin",), ("levels",), ("levels", 0), ("levels", 0, 0, "px"), ("levels", 0, 0, "sz")],
    "candles": [(0,), (0, "t"), (0, "s"), (0, "o"), (0, "c")],
    "state": [("marginSummary", "accountValue"), ("withdrawable",), ("assetPositions", 0, "position", "szi")],
    "spot": [("balances", 0, "total"), ("balances", 0, "hold")],
    "orders": [(0,), (0, "sz"), (0, "origSz"), (0, "side"), (0, "oid")],
    "fees": [("userCrossRate",)],
    "asset": [("leverage", "value"), ("coin",)],
    "order": [("status",), ("order", "status"), ("order", "order", "sz"), ("order", "order", "origSz")],
    "fills": [(0, "px"), (0, "sz"), (0, "oid"), (0, "tid"), (0, "time")],
    "role": [("role",), ("data", "user")],
    "agents": [(0, "address"), (0, "validUntil")],
}
WRONG = [(name, path) for name, paths_ in USED.items() for path in paths_]


# Words that may be any: whoever uses one compares it with what was asked for.
ANY_WORD = {("universe", 0, "name"), ("coin",), (0, "s"), ("order", "status")}
LIES: list[Any] = ["neither", None, [], {}, -1.5, True]


@pytest.mark.parametrize(("name", "path"), WRONG)
async def test_a_lie_anywhere_is_an_error_and_no_answer(told: Told, name: str, path: tuple[Any, ...]) -> None:
    query, good = GOOD[name]
    assert path in paths(good)
    for lie in LIES:
        if (path in ANY_WORD and isinstance(lie, str)) or (path == ("levels", 0) and lie == []):
            continue
        error = await told.refused(query, changed(good, path, lie))
        assert (error.code, query.type in error.message) == (ErrorCode.VENUE_UNAVAILABLE, True), lie


@pytest.mark.parametrize("lie", NOT_NUMBERS)
async def test_only_plain_decimal_strings_are_numbers(told: Told, lie: Any) -> None:
    error = await told.refused(asked.MIDS, {"BTC": lie})
    assert error.code == ErrorCode.VENUE_UNAVAILABLE
    # What stands there is not repeated: it may be anything.
    assert "Infinity" not in error.message


@pytest.mark.parametrize("text", ["60000", "0.00001", "60000.10", "1" * 30])
async def test_plain_decimal_strings_are_read_to_the_last_digit(told: Told, text: str) -> None:
    assert await told.read(asked.MIDS, {"BTC": text}) == {"BTC": Decimal(text)}


@pytest.mark.parametrize("text", ["0", "0.0", "-1"])
async def test_prices_are_over_zero(told: Told, text: str) -> None:
    assert (await told.refused(asked.MIDS, {"BTC": text})).code == ErrorCode.VENUE_UNAVAILABLE


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "<html>502</html>", '{"universe":', "[" * 300, '{"universe": []}', "NaN", '"x"'],
)
async def test_what_is_no_answer_is_none(told: Told, text: str) -> None:
    assert (await told.refused(asked.META, text)).code == ErrorCode.VENUE_UNAVAILABLE


@pytest.mark.parametrize("status", [301, 302, 307, 400, 403, 404, 422, 500, 502, 503, 504])
async def test_another_status_is_no_answer_whatever_its_body(told: Told, status: int) -> None:
    error = await told.refused(asked.META, {"universe": [LISTED]}, status=status)
    assert (error.code, str(status) in error.message) == (ErrorCode.VENUE_UNAVAILABLE, True)


async def test_a_venue_that_is_silent_is_named(told: Told) -> None:
    told.replies = [Unsure("the venue did not answer within 10 s")]
    with pytest.raises(BerthError, match="within 10 s"):
        await told.exchange.read(asked.META)


async def test_after_a_429_nothing_is_asked_for_a_while(told: Told, clock: Clock) -> None:
    error = await told.refused(asked.META, "null", status=429)
    assert (error.code, error.retry_after_s) == (ErrorCode.VENUE_THROTTLED, REST_SECONDS)
    with pytest.raises(BerthError) as caught:
        await told.exchange.read(asked.MIDS)
    assert caught.value.retry_after_s == REST_SECONDS
    assert len(told.asked) == 1
    clock.pass_seconds(REST_SECONDS)
    assert await told.read(asked.META, {"universe": [LISTED]})


async def test_an_answer_is_shown_again_for_its_time_and_says_of_when_it_is(told: Told, clock: Clock) -> None:
    told.replies = [Reply(200, '{"BTC":"1.0"}'), Reply(200, '{"BTC":"2.0"}'), Reply(200, '{"BTC":"3.0"}')]
    first = await told.exchange.read(asked.MIDS)
    clock.ms += asked.MIDS.keep_ms - 1
    again = await told.exchange.read(asked.MIDS)
    assert again == first
    assert again.at_ms == clock.ms - asked.MIDS.keep_ms + 1
    clock.ms += 1
    later = await told.exchange.read(asked.MIDS)
    assert (later.value["BTC"], later.at_ms) == (Decimal(2), clock.ms)
    fresh = await told.exchange.read(asked.MIDS, fresh=True)
    assert fresh.value["BTC"] == Decimal(3)
    assert len(told.asked) == 3


async def test_what_is_from_later_than_now_is_not_new(told: Told, clock: Clock) -> None:
    told.replies = [Reply(200, '{"BTC":"1.0"}'), Reply(200, '{"BTC":"2.0"}')]
    await told.exchange.read(asked.MIDS)
    clock.pass_seconds(-600)
    assert (await told.exchange.read(asked.MIDS)).value["BTC"] == Decimal(2)


async def test_questions_about_two_things_are_two(told: Told) -> None:
    told.replies = [Reply(200, json.dumps({**GOOD["book"][1], "coin": name})) for name in ("BTC", "ETH")]
    assert (await told.exchange.read(asked.BOOK, coin="BTC")).value.coin == "BTC"
    assert (await told.exchange.read(asked.BOOK, coin="ETH")).value.coin == "ETH"


async def test_a_lie_is_not_kept(told: Told) -> None:
    told.replies = [Reply(200, "null"), Reply(200, '{"BTC":"2.0"}')]
    with pytest.raises(BerthError):
        await told.exchange.read(asked.MIDS)
    assert (await told.exchange.read(asked.MIDS)).value == {"BTC": Decimal(2)}


async def test_one_budget_for_all_reads_of_an_owner(told: Told, clock: Clock) -> None:
    heavy = VENUE_WEIGHT_A_MINUTE // asked.ROLE.weight
    told.replies = [Reply(200, '{"role":"user"}')] * (heavy + 1)
    for number in range(heavy):
        await told.exchange.read(asked.ROLE, user=str(number))
    with pytest.raises(BerthError) as caught:
        await told.exchange.read(asked.MIDS)
    assert (caught.value.code, caught.value.retry_after_s) == (ErrorCode.VENUE_THROTTLED, 1)
    assert len(told.asked) == heavy
    # What has to be found out is, all the same.
    await told.exchange.read(asked.ROLE, needed=True, user="x")


async def test_a_long_page_weighs_more(told: Told) -> None:
    await told.read(asked.FILLS, [{**FILL, "tid": tid} for tid in range(2_000)])
    with pytest.raises(BerthError):
        told.exchange._budget.take(VENUE_WEIGHT_A_MINUTE - asked.FILLS.weight - 2_000 // 20 + 1)
    told.exchange._budget.take(VENUE_WEIGHT_A_MINUTE - asked.FILLS.weight - 2_000 // 20)


async def test_a_deployment_without_an_exchange_says_why(clock: Clock) -> None:
    exchange = Exchange("testnet", closed("BERTH_NETWORK is neither"), clock)
    with pytest.raises(BerthError, match="BERTH_NETWORK") as caught:
        await exchange.read(asked.META)
    assert caught.value.code == ErrorCode.FORBIDDEN
