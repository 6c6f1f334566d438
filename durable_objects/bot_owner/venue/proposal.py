"""From what a model proposes to lines that can be shown: checked as the venue would, and completed.

Nothing is moved or rounded. What is not legal is refused with what would be, for the model to propose anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

from contracts.errors import ErrorCode
from contracts.reasons import Why, because
from contracts.trading import IntentLine, IntentTotals, LineWarning
from contracts.venue_tools import ProposedOrder
from durable_objects.bot_owner.venue.intents import order_id
from durable_objects.bot_owner.venue.numbers import (
    DIGITS_MAX,
    EXACT,
    floor_size,
    is_number,
    nearest_prices,
    number,
    plain,
    price_legal,
    size_legal,
)
from durable_objects.bot_owner.venue.protocol import Account, Book, Fees, Market, VenueOrder

MINIMUM_VALUE = Decimal(10)
FAR_PERCENT = Decimal(5)
# The book within this share of the mid is what there is to trade with.
NEAR = Decimal("0.01")
SHOWN = Context(prec=12)
# No market has such prices or sizes, and no order such a value: below it every number of a card is exact.
HUGE = Decimal(10) ** 12
HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True)
class Sight:
    """What the venue shows at one moment: everything that a line is completed from."""

    markets: Mapping[str, Market]
    books: Mapping[str, Book]
    account: Account
    fees: Fees
    limit: Decimal | None
    """The owner's rule for the value of one order, where rules are on."""


def check(orders: Sequence[ProposedOrder], sight: Sight) -> None:
    """Raise `invalid_request` that names everything wrong, order by order."""
    found = [(n, wrong) for n, one in enumerate(orders, 1) if (wrong := _wrong(one, sight))]
    illegal = [Why("order_wrong", n=n, why=why) for n, why in found]
    if illegal:
        raise because(ErrorCode.INVALID_REQUEST, "orders_illegal", orders=illegal)


def _wrong(order: ProposedOrder, sight: Sight) -> Why | None:
    market = sight.markets.get(order.symbol)
    if market is None:
        known = ", ".join(list(sight.markets)[:20])
        return Why("order_no_market", symbol=f"{order.symbol!a}", known=known)
    for text in (order.price, order.size):
        if not is_number(text):
            return Why("order_no_number", text=f"{text[:DIGITS_MAX]!r}")
    price, size = number(order.price), number(order.size)
    if size <= 0 or price <= 0:
        return Why("order_not_positive")
    if max(price, size, price * size) >= HUGE:
        return Why("order_huge", most=plain(HUGE))
    return _illegal(market, price, size) or _too_small(order, price * size, sight.account)


def _illegal(market: Market, price: Decimal, size: Decimal) -> Why | None:
    decimals = market.size_decimals
    if not price_legal(price, decimals, market.kind):
        down, up = nearest_prices(price, decimals, market.kind)
        return Why("order_no_price", price=plain(price), down=plain(down), up=plain(up))
    if not size_legal(size, decimals):
        return Why("order_no_size", decimals=decimals, size=plain(floor_size(size, decimals)))
    return None


def _too_small(order: ProposedOrder, value: Decimal, account: Account) -> Why | None:
    held = account.position(order.symbol)
    if order.reduce_only and (held == 0 or (held > 0) == (order.side == "buy")):
        return Why("order_not_smaller")
    closes = order.reduce_only and number(order.size) >= abs(held)
    if value < MINIMUM_VALUE and not closes:
        return Why("order_too_small", value=plain(value), least=str(MINIMUM_VALUE))
    return None


def lines_of(intent_id: str, orders: Sequence[ProposedOrder], sight: Sight) -> list[IntentLine]:
    """The lines of checked orders. Positions and margins count through the batch, one after the other."""
    held = {one.symbol: sight.account.position(one.symbol) for one in orders}
    margin_so_far, lines = Decimal(0), []
    for n, order in enumerate(orders, 1):
        market, price, size = sight.markets[order.symbol], number(order.price), number(order.size)
        before = held[order.symbol]
        signed = size if order.side == "buy" else -size
        if order.reduce_only:
            signed = max(-abs(before), min(abs(before), signed)) if before * signed < 0 else Decimal(0)
        after = held[order.symbol] = before + signed
        growth = max(Decimal(0), abs(after) - abs(before))
        margin = SHOWN.divide(growth * price, Decimal(market.leverage))
        margin_so_far += margin
        distance = _distance(price, market.mid)
        line = IntentLine(
            n=n,
            order_id=order_id(intent_id, n),
            symbol=order.symbol,
            asset=market.asset,
            side=order.side,
            size=plain(size),
            price=plain(price),
            tif=order.tif,
            reduce_only=order.reduce_only,
            notional=plain(price * size),
            fee=plain(SHOWN.multiply(price * size, sight.fees.taker)),
            margin=plain(margin),
            leverage=market.leverage,
            mid=plain(market.mid),
            distance=_shown(distance),
            position=plain(before),
            position_after=plain(after),
        )
        warnings = _warnings(line, sight, over=margin_so_far > sight.account.available)
        lines.append(line.model_copy(update={"warnings": warnings}))
    return lines


def _distance(price: Decimal, mid: Decimal) -> Decimal:
    """How far above the mid a price is, in per cent; below it is negative."""
    return (price - mid) / mid * 100


def _shown(distance: Decimal) -> str:
    """To the hundredth of a per cent, however far from the mid the venue says that a price is."""
    return plain(distance.quantize(HUNDREDTH, context=EXACT))


def _warnings(line: IntentLine, sight: Sight, *, over: bool) -> list[LineWarning]:
    book, mid, size = sight.books[line.symbol], Decimal(line.mid), Decimal(line.size)
    side = book.asks if line.side == "buy" else book.bids
    near = sum((level.size for level in side if abs(level.price - mid) <= mid * NEAR), Decimal(0))
    price = Decimal(line.price)
    distance = _distance(price, mid)
    meets = bool(side) and (price >= side[0].price if line.side == "buy" else price <= side[0].price)
    found: tuple[tuple[bool, LineWarning], ...] = (
        (abs(distance) > FAR_PERCENT, "far_from_mid"),
        (over, "over_balance"),
        (sight.limit is not None and Decimal(line.notional) > sight.limit, "over_limit"),
        (size > near, "illiquid"),
        # Post-only: the venue would refuse it.
        (line.tif == "Alo" and meets, "would_match"),
    )
    return [name for raised, name in found if raised]


def cancel_lines(orders: Sequence[VenueOrder], sight: Sight) -> list[IntentLine]:
    """The lines of cancels: the orders as they rest, with what is left of them."""
    return [
        IntentLine(
            n=n,
            order_id=order.cloid,
            symbol=order.symbol,
            asset=sight.markets[order.symbol].asset,
            side=order.side,
            size=plain(order.size - order.filled),
            price=plain(order.price),
            tif="Gtc",
            reduce_only=order.reduce_only,
            notional=plain(order.price * (order.size - order.filled)),
            fee="0",
            margin="0",
            mid=plain(sight.markets[order.symbol].mid),
            distance=_shown(_distance(order.price, sight.markets[order.symbol].mid)),
            position=plain(sight.account.position(order.symbol)),
            position_after=plain(sight.account.position(order.symbol)),
        )
        for n, order in enumerate(orders, 1)
    ]


def totals_of(lines: Sequence[IntentLine], account: Account) -> IntentTotals:
    def total(name: str) -> str:
        return plain(sum((Decimal(getattr(line, name)) for line in lines), Decimal(0)))

    return IntentTotals(
        notional=total("notional"),
        fee=total("fee"),
        margin=total("margin"),
        available=plain(SHOWN.plus(account.available)),
    )


def moved(line: IntentLine, mid: Decimal, percent: Decimal) -> bool:
    """Whether the mid has moved by more than so many per cent since the line was shown."""
    shown = Decimal(line.mid)
    return abs(mid - shown) * 100 > shown * percent
