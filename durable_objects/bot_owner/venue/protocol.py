"""What every venue is to the rest: markets, an account, and actions that are sent once.

`prepare` makes the exact body that will leave; it is stored before `send`, which answers with the venue's
reply or raises `Unsure` where nobody knows whether it took effect. Looking up by `cloid` (our order id)
then tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

from durable_objects.bot_owner.venue.numbers import Kind


class Unsure(Exception):  # noqa: N818 - an outcome that is not known is no error of anybody
    """The action was sent, or may have been, and what became of it is not known."""


@dataclass(frozen=True)
class Market:
    symbol: str
    asset: int
    size_decimals: int
    leverage: int
    mid: Decimal
    kind: Kind = "perp"


@dataclass(frozen=True)
class Level:
    price: Decimal
    size: Decimal


@dataclass(frozen=True)
class Book:
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]


@dataclass(frozen=True)
class Position:
    """`size` is negative for a short one."""

    symbol: str
    size: Decimal
    entry: Decimal


OrderState = Literal["open", "filled", "cancelled", "rejected"]


@dataclass(frozen=True)
class VenueOrder:
    """An order as the venue knows it; `filled` is the size so far and `average` the price of that."""

    cloid: str
    symbol: str
    side: Literal["buy", "sell"]
    size: Decimal
    price: Decimal
    reduce_only: bool
    state: OrderState
    filled: Decimal
    average: Decimal
    note: str = ""
    """The venue's word where it ended otherwise than filled."""


@dataclass(frozen=True)
class Account:
    """USDC. `available` is what new orders may still use as margin."""

    value: Decimal
    available: Decimal
    positions: tuple[Position, ...]
    orders: tuple[VenueOrder, ...]
    at_ms: int

    def position(self, symbol: str) -> Decimal:
        return next((one.size for one in self.positions if one.symbol == symbol), Decimal(0))


@dataclass(frozen=True)
class Candle:
    at_ms: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal


@dataclass(frozen=True)
class Fees:
    """Shares of the value."""

    taker: Decimal
    maker: Decimal


@dataclass(frozen=True)
class Reply:
    status: int
    text: str


class Venue(Protocol):
    name: str
    network: str
    account_address: str
    fees: Fees

    async def markets(self) -> Sequence[Market]: ...

    async def book(self, symbol: str) -> Book: ...

    async def candles(self, symbol: str, interval_ms: int, limit: int) -> Sequence[Candle]: ...

    async def account(self) -> Account: ...

    async def order(self, cloid: str) -> VenueOrder | None: ...

    async def prepare(self, action: Mapping[str, Any], nonce: int, expires_ms: int) -> str: ...

    async def send(self, body: str) -> Reply: ...
