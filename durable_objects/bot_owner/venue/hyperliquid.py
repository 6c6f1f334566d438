"""Hyperliquid, by its own words: perpetuals of its first list of markets, for one account.

Reads name the account and never its agent, which the venue would answer with nothing. What became of an order
is put together from its state and its fills: where the two do not fit, nobody knows yet.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Context as DecimalContext
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal, TypeVar

from durable_objects.bot_owner.venue import exchange as asked
from durable_objects.bot_owner.venue.accounts import TradingAccounts
from durable_objects.bot_owner.venue.exchange import Exchange, Query, Read, unavailable
from durable_objects.bot_owner.venue.protocol import (
    Account,
    Book,
    Candle,
    Candles,
    Fees,
    Level,
    Market,
    OrderState,
    Position,
    Reply,
    Unsure,
    VenueOrder,
)
from durable_objects.bot_owner.venue.refusals import Kept, refused
from durable_objects.bot_owner.venue.shapes import SYMBOL, BookLevel, Fill, FoundOrder, KnownOrder, OrderRow

T = TypeVar("T")
AVERAGE = DecimalContext(prec=10)
INTERVALS = {60: "1m", 300: "5m", 900: "15m", 3_600: "1h", 14_400: "4h", 86_400: "1d"}
FILLS_A_PAGE = 2_000
FILL_PAGES_MAX = 5
# Fills may be there later than the state that they made.
FILLS_LATE_MS = 10_000
# Accounts that hold what they trade with as balances, and not beside their positions.
HELD_AS_BALANCES = frozenset({"unifiedAccount", "portfolioMargin"})
ENDINGS: tuple[tuple[str, OrderState], ...] = (
    ("ejected", "rejected"), ("anceled", "cancelled"), ("Cancel", "cancelled"),
)  # fmt: skip


class HyperliquidVenue:
    name = "hyperliquid"

    def __init__(
        self,
        exchange: Exchange,
        accounts: TradingAccounts,
        now_ms: Callable[[], int],
        *,
        network: str,
        address: str,
    ) -> None:
        self.network = network
        self.account_address = address
        self._exchange = exchange
        self._accounts = accounts
        self._now_ms = now_ms

    @property
    def signer(self) -> str:
        return self._accounts.signer(self.network, self.account_address)

    def refusal(self) -> Kept:
        if self.network != self._exchange.network:
            return "other_network"
        return self._accounts.refusal(self.network, self.account_address, self._now_ms())

    async def markets(self) -> Sequence[Market]:
        meta, mids = await self._read(asked.META), await self._read(asked.MIDS)
        found = [
            Market(one.name, asset, one.szDecimals, one.maxLeverage, mid, mids.at_ms)
            for asset, one in enumerate(meta.value.universe)
            if not one.isDelisted and SYMBOL.fullmatch(one.name) and (mid := mids.value.get(one.name))
        ]
        if len({one.symbol for one in found}) != len(found):
            raise unavailable("two of its markets have one name")
        return found

    async def book(self, symbol: str) -> Book:
        answer = (await self._read(asked.BOOK, coin=symbol)).value
        bids, asks = map(_levels, answer.levels)
        ordered = _falling(bids) and _falling(asks[::-1])
        if answer.coin != symbol or not ordered or (bids and asks and bids[0].price >= asks[0].price):
            raise unavailable(f"its book of {symbol} is none")
        return Book(bids, asks)

    async def leverage(self, symbol: str) -> int:
        query = {"user": self.account_address, "coin": symbol}
        answer = (await self._read(asked.ACTIVE_ASSET, **query)).value
        if answer.coin != symbol:
            raise unavailable(f"asked for {symbol}, it answered for another market")
        return answer.leverage.value

    async def fees(self) -> Fees:
        rates = (await self._read(asked.FEES, user=self.account_address)).value
        return Fees(rates.userCrossRate, rates.userAddRate)

    async def candles(self, symbol: str, interval_ms: int, limit: int) -> Candles:
        now = self._now_ms()
        start = (now // interval_ms - limit + 1) * interval_ms
        # Rounded, so that a question within the same interval is the same question.
        wanted = {
            "coin": symbol, "interval": INTERVALS[interval_ms // 1000],
            "startTime": start, "endTime": start + limit * interval_ms - 1,
        }  # fmt: skip
        answer = await self._read(asked.CANDLES, req=wanted)
        if any(one.s != symbol for one in answer.value):
            raise unavailable(f"asked for {symbol}, it answered for another market")
        rows = sorted(answer.value, key=lambda one: one.t)[-limit:]
        return Candles(tuple(Candle(one.t, one.o, one.h, one.l, one.c) for one in rows), answer.at_ms)

    async def account(self) -> Account:
        user = self.account_address
        state = await self._read(asked.CLEARINGHOUSE, user=user)
        orders = await self._read(asked.OPEN_ORDERS, user=user)
        mode = (await self._read(asked.MODE, user=user)).value
        value, available = state.value.marginSummary.accountValue, state.value.withdrawable
        times = [state.at_ms, orders.at_ms]
        if mode in HELD_AS_BALANCES:
            spot = await self._read(asked.SPOT, user=user)
            held = [one for one in spot.value.balances if one.coin == "USDC"]
            value = sum((one.total for one in held), Decimal(0))
            available = sum((one.total - one.hold for one in held), Decimal(0))
            times.append(spot.at_ms)
        listed = {one.name for one in (await self._read(asked.META)).value.universe}
        held_here = [one.position for one in state.value.assetPositions if one.position.szi]
        return Account(
            value=value,
            available=available,
            positions=tuple(Position(one.coin, one.szi, one.entryPx or Decimal(0)) for one in held_here),
            orders=tuple(_open(row) for row in orders.value if row.coin in listed),
            at_ms=min(times),
        )

    async def order(self, cloid: str, since_ms: int, *, rests: bool = False) -> VenueOrder | None:
        if rests and (untouched := await self._untouched(cloid)):
            return untouched
        answer = (await self._read(asked.ORDER, needed=True, user=self.account_address, oid=cloid)).value
        if not isinstance(answer, KnownOrder):
            return _of_fills(cloid, [one for one in await self._fills(since_ms) if one.cloid == cloid])
        found = answer.order
        if found.order.cloid != cloid:
            raise Unsure("asked for one order, the venue answered with another")
        state = _state_of(found.status)
        if state == "rejected" or (state == "open" and found.order.sz == found.order.origSz):
            return _known(found, state, [])
        since_ms = min(since_ms, found.order.timestamp)
        fills = [one for one in await self._fills(since_ms) if one.oid == found.order.oid]
        return self._fitting(found, state, fills)

    async def _untouched(self, cloid: str) -> VenueOrder | None:
        """An order that rests as it was made: one list tells that of however many of them."""
        rows = await self._read(asked.OPEN_ORDERS, needed=True, user=self.account_address)
        return next((_open(row) for row in rows.value if row.cloid == cloid and row.sz == row.origSz), None)

    def _fitting(self, found: FoundOrder, state: OrderState, fills: Sequence[Fill]) -> VenueOrder:
        """The order with its fills, unless they are not all there yet."""
        filled = sum((one.sz for one in fills), Decimal(0))
        told = found.order.origSz - found.order.sz
        late = self._now_ms() - found.statusTimestamp > FILLS_LATE_MS
        if filled > found.order.origSz or (state == "filled" and not filled):
            raise Unsure("the order and its fills do not fit")
        if filled < told and not late:
            raise Unsure("its fills are not there yet")
        return _known(found, state, fills)

    async def _fills(self, since_ms: int) -> list[Fill]:
        """Every fill of the account since then. Raises Unsure where they are too many to be sure."""
        found: dict[int, Fill] = {}
        start = max(0, since_ms)
        for _ in range(FILL_PAGES_MAX):
            page = await self._read(asked.FILLS, needed=True, user=self.account_address, startTime=start)
            found |= {one.tid: one for one in page.value}
            if len(page.value) < FILLS_A_PAGE:
                return list(found.values())
            start = max(one.time for one in page.value)
        raise Unsure("the account has too many fills to look through")

    async def prepare(
        self,
        action: Mapping[str, Any],
        assets: Mapping[str, int],
        nonce: int,
        expires_ms: int,
        check: Callable[[], None],
    ) -> str:
        if reason := self.refusal():
            raise refused(reason)
        if assets:
            await self._check_markets(assets)
        signature = await self._accounts.sign(
            self.network, self.account_address, action, nonce, expires_ms, check
        )
        return json.dumps(
            {
                "action": action,
                "nonce": nonce,
                "signature": signature.wire(),
                "vaultAddress": None,
                "expiresAfter": expires_ms,
            }
        )

    async def _check_markets(self, assets: Mapping[str, int]) -> None:
        """The numbers of the markets are what is signed: they have to be what they were when it was shown."""
        universe = (await self._read(asked.META, fresh=True, needed=True)).value.universe
        for symbol, asset in assets.items():
            listed = universe[asset] if asset < len(universe) else None
            if listed is None or listed.name != symbol or listed.isDelisted:
                raise refused(
                    "market_changed", f"The venue's market {symbol} is not what it was when it was shown."
                )

    async def send(self, body: str) -> Reply:
        action = json.loads(body)["action"]
        return await self._exchange.act(body, len(action.get("orders") or action.get("cancels") or ()))

    async def _read(self, query: Query[T], **more: Any) -> Read[T]:
        if self.network != self._exchange.network:
            raise refused("other_network")
        return await self._exchange.read(query, **more)


def _levels(rows: Sequence[BookLevel]) -> tuple[Level, ...]:
    return tuple(Level(one.px, one.sz) for one in rows)


def _falling(levels: Sequence[Level]) -> bool:
    return all(one.price > other.price for one, other in pairwise(levels))


def _state_of(word: str) -> OrderState:
    if word in {"open", "triggered"}:
        return "open"
    if word == "filled":
        return "filled"
    for ending, state in ENDINGS:
        if word.endswith(ending):
            return state
    raise Unsure(f"the venue has a new word for an order: {word[:40]!a}")


def _side(row: OrderRow) -> Literal["buy", "sell"]:
    return "buy" if row.side == "B" else "sell"


def _open(row: OrderRow) -> VenueOrder:
    return VenueOrder(
        cloid=row.cloid or "",
        symbol=row.coin,
        side=_side(row),
        size=row.origSz,
        price=row.limitPx,
        reduce_only=row.reduceOnly,
        state="open",
        filled=max(Decimal(0), row.origSz - row.sz),
        # Only its fills would tell.
        average=Decimal(0),
    )


def _known(found: FoundOrder, state: OrderState, fills: Sequence[Fill]) -> VenueOrder:
    filled = sum((one.sz for one in fills), Decimal(0))
    note = "" if found.status in {"open", "filled"} else found.status
    return replace(_open(found.order), state=state, filled=filled, average=_average(fills), note=note)


def _of_fills(cloid: str, fills: Sequence[Fill]) -> VenueOrder | None:
    """An order that the venue has forgotten and whose fills it has not: it has ended, with what they say."""
    if not fills:
        return None
    size = sum((one.sz for one in fills), Decimal(0))
    average = _average(fills)
    return VenueOrder(
        cloid=cloid,
        symbol=fills[0].coin,
        side="buy" if fills[0].side == "B" else "sell",
        size=size,
        price=average,
        reduce_only=False,
        state="filled",
        filled=size,
        average=average,
    )


def _average(fills: Sequence[Fill]) -> Decimal:
    size = sum((one.sz for one in fills), Decimal(0))
    value = sum((one.sz * one.px for one in fills), Decimal(0))
    return AVERAGE.divide(value, size) if size else Decimal(0)
