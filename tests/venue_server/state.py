"""What the stand-in exchange knows: markets, accounts with their agents, orders, fills and nonces."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Literal

NONCES_KEPT = 100


@dataclass
class Coin:
    name: str
    size_decimals: int
    leverage: int
    mid: Decimal
    depth: Decimal = Decimal(1_000)
    """What the one level of each side of the book holds."""
    delisted: bool = False

    @property
    def tick(self) -> Decimal:
        return Decimal(1).scaleb(self.mid.adjusted() - 4)

    def best(self, side: Literal["A", "B"]) -> Decimal:
        """The price of the other side, which an order of this one meets."""
        return self.mid + self.tick if side == "B" else self.mid - self.tick


@dataclass
class Agent:
    account: str
    name: str = ""
    valid_until: int | None = None


@dataclass
class Order:
    oid: int
    user: str
    coin: str
    side: Literal["A", "B"]
    price: Decimal
    size: Decimal
    left: Decimal
    tif: str
    reduce_only: bool
    cloid: str | None
    at_ms: int
    status: str = "open"
    status_ms: int = 0


@dataclass(frozen=True)
class Fill:
    oid: int
    tid: int
    user: str
    coin: str
    side: Literal["A", "B"]
    price: Decimal
    size: Decimal
    cloid: str | None
    at_ms: int


def _coins() -> dict[str, Coin]:
    rows = (
        Coin("BTC", 5, 40, Decimal(60_000)),
        Coin("ETH", 4, 25, Decimal(3_000)),
        Coin("SOL", 2, 20, Decimal(150)),
    )
    return {one.name: one for one in rows}


@dataclass
class State:
    now_ms: Callable[[], int]
    coins: dict[str, Coin] = field(default_factory=_coins)
    """In the order of the venue's list: the place is the asset's number."""
    accounts: dict[str, Decimal] = field(default_factory=dict)
    """Address → USDC. What is here has the role `user`."""
    roles: dict[str, str] = field(default_factory=dict)
    """Address → `vault` or `subAccount`."""
    agents: dict[str, Agent] = field(default_factory=dict)
    orders: list[Order] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    nonces: dict[str, set[int]] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: count(7_001))

    def positions(self, user: str) -> Mapping[str, Decimal]:
        held: dict[str, Decimal] = {}
        for one in self.fills:
            if one.user == user:
                held[one.coin] = held.get(one.coin, Decimal(0)) + (one.size if one.side == "B" else -one.size)
        return {coin: size for coin, size in held.items() if size}

    def of(self, user: str, cloid: str) -> Order | None:
        return next((one for one in reversed(self.orders) if (one.user, one.cloid) == (user, cloid)), None)

    def use_nonce(self, signer: str, nonce: int) -> str:
        """Why a nonce cannot be used, in the venue's words; empty where it now is."""
        used = self.nonces.setdefault(signer, set())
        if nonce in used:
            return f"Invalid nonce: duplicate nonce {nonce}"
        if len(used) >= NONCES_KEPT and nonce < min(used):
            return f"Invalid nonce: nonce too low {nonce} < {min(used)}"
        if not self.now_ms() - 2 * 86_400_000 < nonce < self.now_ms() + 86_400_000:
            return f"Invalid nonce: {nonce} is not within the window"
        used.add(nonce)
        self.nonces[signer] = set(sorted(used)[-NONCES_KEPT:])
        return ""

    def fill(self, order: Order, size: Decimal, price: Decimal) -> None:
        order.left -= size
        now = self.now_ms()
        self.fills.append(
            Fill(order.oid, next(self.ids), order.user, order.coin, order.side, price, size, order.cloid, now)
        )
        if not order.left:
            self.end(order, "filled")

    def end(self, order: Order, status: str) -> None:
        order.status, order.status_ms = status, self.now_ms()

    def move(self, coin: str, mid: str) -> None:
        """Move the market; what rests and is met by it fills whole."""
        self.coins[coin].mid = Decimal(mid)
        for one in self.orders:
            if one.coin == coin and one.status == "open" and met(self.coins[coin], one):
                self.fill(one, one.left, one.price)


def met(coin: Coin, order: Order) -> bool:
    best = coin.best(order.side)
    return order.price >= best if order.side == "B" else order.price <= best
