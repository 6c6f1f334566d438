"""What a model is told of the venue: markets, the account, candles and orders, as text with its time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Context

from contracts.arguments import Arguments
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.trading import Intent, LineOutcome
from contracts.venue_tools import GetAccount, GetCandles, GetMarkets, GetOrder
from durable_objects.bot_owner.venue.numbers import plain, price_step
from durable_objects.bot_owner.venue.protocol import Account, Candle, Market, Unsure, Venue, VenueOrder
from durable_objects.bot_owner.venue.refusals import WORDS, Kept

INTERVALS = {"1m": 60, "5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400}
DAY_MS = 86_400_000
SHOWN = Context(prec=12)


async def answer(venue: Venue, arguments: Arguments, now_ms: int) -> str:
    """The text of one of the reads. Raises BerthError."""
    at_ms = now_ms
    match arguments:
        case GetMarkets():
            found = [one for one in await venue.markets() if _wanted(one, arguments.symbols)]
            text = "\n".join(map(_market, found)) or "No such market."
            at_ms = min((one.at_ms for one in found), default=now_ms)
        case GetAccount():
            account = await venue.account()
            text, at_ms = _account(account, venue.refusal()), account.at_ms
        case GetCandles():
            await market_of(venue, arguments.symbol)
            seconds = INTERVALS[arguments.interval]
            candles = await venue.candles(arguments.symbol, seconds * 1000, arguments.limit)
            text, at_ms = "\n".join(map(_candle, candles.rows)), candles.at_ms
        case GetOrder():
            text = await _looked_up(venue, arguments.order_id, now_ms)
        case _:
            raise BerthError(ErrorCode.INTERNAL, "This is no read of the venue.")
    return f"{venue.name} ({venue.network}), as of {_time(at_ms)}\n{text}"


async def _looked_up(venue: Venue, order_id: str, now_ms: int) -> str:
    try:
        order = await venue.order(order_id, now_ms - DAY_MS)
    except Unsure as reason:
        raise because(ErrorCode.VENUE_UNAVAILABLE, "venue_unfit", why=str(reason)) from None
    return _order(order) if order else "The venue knows no such order of the last day."


async def market_of(venue: Venue, symbol: str) -> Market:
    for one in await venue.markets():
        if one.symbol == symbol:
            return one
    raise because(ErrorCode.INVALID_REQUEST, "market_unknown", symbol=f"{symbol!a}")


def _wanted(market: Market, symbols: Sequence[str]) -> bool:
    return not symbols or market.symbol in symbols


def _market(one: Market) -> str:
    step = plain(price_step(one.mid, one.size_decimals, one.kind))
    return (
        f"{one.symbol}: mid {plain(one.mid)}, price step {step}, size decimals {one.size_decimals},"
        f" leverage up to {one.leverage}"
    )


def _candle(one: Candle) -> str:
    return f"{_time(one.at_ms)} {plain(one.open)} {plain(one.high)} {plain(one.low)} {plain(one.close)}"


def _account(account: Account, refusal: Kept) -> str:
    value, available = SHOWN.plus(account.value), SHOWN.plus(account.available)
    lines = [f"Value {plain(value)} USDC, available {plain(available)} USDC"]
    lines += [
        f"Position {one.symbol}: {plain(one.size)}, entry {plain(SHOWN.plus(one.entry))}"
        for one in account.positions
    ]
    lines += [f"Open order {_order(one)}" for one in account.orders]
    return "\n".join([*lines, *([WORDS[refusal]] if refusal else [])])


def _order(one: VenueOrder) -> str:
    filled = f"filled {plain(one.filled)}" + (f" at {plain(one.average)}" if one.average else "")
    reduces = ", reduce-only" if one.reduce_only else ""
    note = f" ({one.note})" if one.note else ""
    size, price = plain(one.size), plain(one.price)
    name = one.cloid or "made elsewhere"
    return f"{name}: {one.side} {size} {one.symbol} at {price}{reduces}, {one.state}{note}, {filled}"


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def outcome_text(intent: Intent, told: str) -> str:
    """What became of an intent, line by line, for the model that proposed it."""
    verb = "cancel " if intent.kind == "cancel" else ""
    outcomes = {one.n: one for one in intent.outcomes}
    lines = [
        f"{line.n}. {verb}{line.side} {line.size} {line.symbol} at {line.price} ({line.order_id}):"
        f" {_became(outcomes[line.n])}"
        for line in intent.lines
    ]
    return "\n".join([told, *lines])


def _became(one: LineOutcome) -> str:
    words = one.state.replace("_", " ")
    filled = f", filled {one.filled} at {one.price}" if one.filled != "0" else ""
    return f"{words}{filled}" + (f": {one.error}" if one.error else "")
