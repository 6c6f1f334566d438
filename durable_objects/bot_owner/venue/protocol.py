"""What every venue is to the rest: markets, an account, and actions that are sent once.

`prepare` makes the exact body that will leave; it is stored before `send`, which answers with the venue's
reply or raises `Unsure` where nobody knows whether it took effect. Looking up by `cloid` (our order id)
then tells.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Protocol

from contracts.trading import Intent
from durable_objects.bot_owner.venue.numbers import Kind
from durable_objects.bot_owner.venue.refusals import Kept


class Unsure(Exception):  # noqa: N818 - an outcome that is not known is no error of anybody
    """The action was sent, or may have been, and what became of it is not known."""


@dataclass(frozen=True)
class Market:
    symbol: str
    asset: int
    size_decimals: int
    leverage: int
    mid: Decimal
    at_ms: int
    """When the venue was asked for its mid."""
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
class Candles:
    """The oldest first."""

    rows: tuple[Candle, ...]
    at_ms: int


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
    """Its reads raise BerthError. `at_ms` of what they answer says of when it is."""

    name: str
    network: str
    account_address: str

    @property
    def signer(self) -> str:
        """Whose nonces its actions have."""
        ...

    def refusal(self) -> Kept:
        """Why nothing can be ordered here; empty where it can."""
        ...

    async def markets(self) -> Sequence[Market]: ...

    async def book(self, symbol: str) -> Book: ...

    async def leverage(self, symbol: str) -> int:
        """By which the margin of an order of this account is worked out."""
        ...

    async def fees(self) -> Fees: ...

    async def candles(self, symbol: str, interval_ms: int, limit: int) -> Candles: ...

    async def account(self) -> Account: ...

    async def order(self, cloid: str, since_ms: int, *, rests: bool = False) -> VenueOrder | None:
        """An order that was made after `since_ms`; `rests` says that it was seen to rest.

        Raises Unsure where what is known of it does not fit.
        """
        ...

    async def prepare(
        self,
        action: Mapping[str, Any],
        assets: Mapping[str, int],
        nonce: int,
        expires_ms: int,
        check: Callable[[], None],
    ) -> str:
        """The exact body. `assets` are the symbols in it with the numbers that they had when it was shown.

        `check` is asked behind the last await before it is signed, and raises where it must not be. Raises
        BerthError where it cannot be made, which is always before anything was sent.
        """
        ...

    async def send(self, body: str) -> Reply: ...


class Venues(Protocol):
    """The venues of one owner."""

    @property
    def active(self) -> Venue:
        """Where what is proposed now goes."""
        ...

    def of(self, intent: Intent) -> Venue:
        """Where an intent belongs, whatever is active now: its venue, its network, its account."""
        ...
