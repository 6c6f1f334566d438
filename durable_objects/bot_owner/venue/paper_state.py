"""The paper account: money, positions and orders as values, kept as one JSON row.

Ended orders are remembered as long as the venue remembers them, which is by number and not by time.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from decimal import Context, Decimal
from typing import Any, Literal

from durable_objects.bot_owner.venue.protocol import OrderState, VenueOrder

START = Decimal(10_000)
AVERAGE = Context(prec=10)
ORDERS_KEPT = 500
NONCES_KEPT = 100


@dataclass
class PaperOrder:
    oid: int
    cloid: str
    symbol: str
    side: Literal["buy", "sell"]
    size: Decimal
    price: Decimal
    reduce_only: bool
    state: OrderState
    filled: Decimal
    paid: Decimal
    """The value of its fills."""
    checked_ms: int
    note: str = ""


@dataclass
class PaperPosition:
    size: Decimal
    entry: Decimal


@dataclass
class PaperState:
    cash: Decimal = START
    positions: dict[str, PaperPosition] = field(default_factory=dict)
    orders: list[PaperOrder] = field(default_factory=list)
    nonces: list[int] = field(default_factory=list)
    next_oid: int = 1

    def trade(self, symbol: str, signed: Decimal, price: Decimal, fee: Decimal) -> None:
        """Change the position by `signed`; what it closes is realised into the cash."""
        held = self.positions.get(symbol, PaperPosition(Decimal(0), Decimal(0)))
        closing = min(abs(held.size), abs(signed)) if held.size * signed < 0 else Decimal(0)
        self.cash += closing * (price - held.entry) * (1 if held.size > 0 else -1) - fee * price * abs(signed)
        size = held.size + signed
        if size == 0:
            self.positions.pop(symbol, None)
        elif held.size * signed >= 0:
            entry = (held.size * held.entry + signed * price) / size
            self.positions[symbol] = PaperPosition(size, entry)
        else:
            turned = held.size * size < 0
            self.positions[symbol] = replace(held, size=size, entry=price if turned else held.entry)

    def forget(self) -> None:
        ended = [one for one in self.orders if one.state != "open"]
        gone = {one.oid for one in ended[: max(0, len(ended) - ORDERS_KEPT)]}
        self.orders = [one for one in self.orders if one.oid not in gone]
        self.nonces = sorted(self.nonces)[-NONCES_KEPT:]

    def dump(self) -> str:
        return json.dumps(asdict(self), default=str)


def load(text: str) -> PaperState:
    kept: dict[str, Any] = json.loads(text)
    return PaperState(
        cash=Decimal(kept["cash"]),
        positions={
            symbol: PaperPosition(Decimal(one["size"]), Decimal(one["entry"]))
            for symbol, one in kept["positions"].items()
        },
        orders=[_order(one) for one in kept["orders"]],
        nonces=kept["nonces"],
        next_oid=kept["next_oid"],
    )


def _order(kept: dict[str, Any]) -> PaperOrder:
    money = {name: Decimal(kept[name]) for name in ("size", "price", "filled", "paid")}
    return PaperOrder(**{**kept, **money})


def reducible(state: PaperState, order: PaperOrder) -> Decimal:
    """How much of the position an order of this side makes smaller."""
    held = state.positions.get(order.symbol)
    if held is None or (held.size > 0) == (order.side == "buy"):
        return Decimal(0)
    return abs(held.size)


def average_of(order: PaperOrder) -> Decimal:
    return AVERAGE.divide(order.paid, order.filled)


def seen(order: PaperOrder) -> VenueOrder:
    shown = VenueOrder(
        cloid=order.cloid,
        symbol=order.symbol,
        side=order.side,
        size=order.size,
        price=order.price,
        reduce_only=order.reduce_only,
        state=order.state,
        filled=order.filled,
        average=Decimal(0),
        note=order.note,
    )
    return replace(shown, average=average_of(order)) if order.filled else shown
