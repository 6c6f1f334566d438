"""The paper venue: the real venue's rules, words and answers over a market that needs nobody.

Orders fill against the second's book; what rests is filled when the market has come to its price, which is
found out when somebody looks. `fault` says what becomes of the next order or cancel: it may be lost before
it took effect, or its answer after.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from durable_objects.bot_owner.venue.numbers import plain, price_legal, size_legal
from durable_objects.bot_owner.venue.paper_market import LISTINGS, Feed, Listing, Waves, book, candles, mid
from durable_objects.bot_owner.venue.paper_state import (
    PaperOrder,
    PaperState,
    average_of,
    load,
    reducible,
    seen,
)
from durable_objects.bot_owner.venue.protocol import (
    Account,
    Book,
    Candles,
    Fees,
    Level,
    Market,
    Position,
    Reply,
    Unsure,
    VenueOrder,
)
from durable_objects.bot_owner.venue.refusals import Kept
from durable_objects.shared.context import Context

MINIMUM_VALUE = Decimal(10)
FEES = Fees(Decimal("0.00045"), Decimal("0.00015"))
# As at the real venue; a cancel is always possible.
OPEN_ORDERS_MAX = 1_000
# A market that was not looked at for long is looked at so often in between.
LOOKS_MAX = 3_600

Fault = Literal["lost_before", "lost_after"]
BY_ASSET = {one.asset: one for one in LISTINGS.values()}


class PaperVenue:
    name = "paper"
    network = "paper"
    account_address = "paper"
    signer = "paper"

    def __init__(
        self,
        context: Context,
        feed: Feed | None = None,
        fault: Callable[[], Fault | None] = lambda: None,
    ) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._feed = feed or Waves()
        self._fault = fault
        # Of the last look: its second, the state it left, and the orders in it. A book stands for a second:
        # nothing became of them since; and every line of every card asks for its own.
        self._looked: tuple[int, str, dict[str, PaperOrder]] = (0, "", {})

    def refusal(self) -> Kept:
        return ""

    async def markets(self) -> Sequence[Market]:
        now = self._now_ms()
        return [
            Market(one.symbol, one.asset, one.size_decimals, one.leverage, self._mid(one), now)
            for one in LISTINGS.values()
        ]

    async def leverage(self, symbol: str) -> int:
        return LISTINGS[symbol].leverage

    async def fees(self) -> Fees:
        return FEES

    async def book(self, symbol: str) -> Book:
        return book(self._feed, LISTINGS[symbol], self._now_ms())

    async def candles(self, symbol: str, interval_ms: int, limit: int) -> Candles:
        now = self._now_ms()
        return Candles(tuple(candles(self._feed, LISTINGS[symbol], now, interval_ms, limit)), now)

    async def account(self) -> Account:
        return self._sql.transaction(self._look)

    async def order(
        self,
        cloid: str,
        since_ms: int,  # noqa: ARG002 - it forgets by number
        *,
        rests: bool = False,  # noqa: ARG002 - a look is free here
    ) -> VenueOrder | None:
        second = self._now_ms() // 1000
        if self._looked[:2] != (second, self._text()):
            self._sql.transaction(self._look)
            text = self._text()
            self._looked = (second, text, {one.cloid: one for one in load(text).orders})
        found = self._looked[2].get(cloid)
        return seen(found) if found else None

    async def prepare(
        self,
        action: Mapping[str, Any],
        assets: Mapping[str, int],  # noqa: ARG002 - its markets never change
        nonce: int,
        expires_ms: int,
        check: Callable[[], None],
    ) -> str:
        check()
        return json.dumps({"action": action, "nonce": nonce, "expiresAfter": expires_ms, "signature": None})

    async def send(self, body: str) -> Reply:
        act = json.loads(body)
        fault = None if act["action"]["type"] == "noop" else self._fault()
        if fault == "lost_before":
            raise Unsure("the paper venue was told to lose it")
        answer = self._sql.transaction(lambda: self._act(act))
        if fault == "lost_after":
            raise Unsure("the paper venue was told to lose the answer")
        return Reply(200, json.dumps(answer))

    def _mid(self, listing: Listing) -> Decimal:
        return mid(self._feed, listing, self._now_ms())

    def _text(self) -> str:
        rows = self._sql.execute("SELECT state FROM paper")
        return str(rows[0]["state"]) if rows else ""

    def _read(self) -> PaperState:
        text = self._text()
        return load(text) if text else PaperState()

    def _write(self, state: PaperState) -> None:
        state.forget()
        self._sql.run("INSERT OR REPLACE INTO paper (one, state) VALUES (1, ?)", state.dump())

    def _look(self) -> Account:
        """Fill what the market has come to, and say how the account stands."""
        state = self._read()
        for order in [one for one in state.orders if one.state == "open"]:
            self._follow(state, order)
        self._write(state)
        return Account(
            value=self._value(state),
            available=self._available(state),
            positions=tuple(Position(name, one.size, one.entry) for name, one in state.positions.items()),
            orders=tuple(seen(one) for one in state.orders if one.state == "open"),
            at_ms=self._now_ms(),
        )

    def _follow(self, state: PaperState, order: PaperOrder) -> None:
        listing, now = LISTINGS[order.symbol], self._now_ms()
        first, last = order.checked_ms // 1000 + 1, now // 1000
        order.checked_ms = now
        stride = max(1, -(-(last - first + 1) // LOOKS_MAX))
        wanted = int(order.price / listing.step)
        buys = order.side == "buy"
        for second in (*range(first, last, stride), *([last] if last >= first else [])):
            best = self._feed.steps(listing, second) + (1 if buys else -1)
            if best <= wanted if buys else best >= wanted:
                self._fill(state, order, [Level(order.price, order.size - order.filled)], FEES.maker)
                if order.state == "open":
                    order.state = "filled"
                return

    def _fill(self, state: PaperState, order: PaperOrder, levels: Sequence[Level], fee: Decimal) -> None:
        """Fill from levels, as far as size and reduce-only allow."""
        left = order.size - order.filled
        if order.reduce_only:
            left = min(left, reducible(state, order))
            if left == 0:
                order.state, order.note = "cancelled", "reduceOnlyCanceled"
                return
        for level in levels:
            size = min(left, level.size)
            if size <= 0:
                break
            state.trade(order.symbol, size if order.side == "buy" else -size, level.price, fee)
            order.filled += size
            order.paid += size * level.price
            left -= size

    def _value(self, state: PaperState) -> Decimal:
        held = ((LISTINGS[name], one) for name, one in state.positions.items())
        return state.cash + sum((one.size * (self._mid(at) - one.entry) for at, one in held), Decimal(0))

    def _available(self, state: PaperState) -> Decimal:
        held = ((LISTINGS[name], one) for name, one in state.positions.items())
        used = sum((abs(one.size) * self._mid(at) / at.leverage for at, one in held), Decimal(0))
        return self._value(state) - used

    def _act(self, body: Mapping[str, Any]) -> dict[str, Any]:
        state, action, now = self._read(), body["action"], self._now_ms()
        if body["nonce"] in state.nonces:
            return {"status": "err", "response": f"Invalid nonce: duplicate nonce {body['nonce']}"}
        if body["expiresAfter"] is not None and now > body["expiresAfter"]:
            return {"status": "err", "response": "Action expired before it was processed."}
        state.nonces.append(body["nonce"])
        if action["type"] == "noop":
            self._write(state)
            return {"status": "ok", "response": {"type": "default"}}
        if action["type"] == "order":
            statuses = [self._place(state, row) for row in action["orders"]]
        else:
            statuses = [self._cancel(state, row) for row in action["cancels"]]
        self._write(state)
        kind = "order" if action["type"] == "order" else "cancel"
        return {"status": "ok", "response": {"type": kind, "data": {"statuses": statuses}}}

    def _cancel(self, state: PaperState, row: Mapping[str, Any]) -> Any:
        for order in state.orders:
            if order.cloid == row["cloid"] and order.state == "open":
                self._follow(state, order)
                if order.state == "open":
                    order.state, order.note = "cancelled", "canceled"
                    return "success"
        gone = "Order was never placed, already canceled, or filled."
        return {"error": f"{gone} asset={row['asset']}"}

    def _place(self, state: PaperState, row: Mapping[str, Any]) -> Any:
        order, listing = self._new_order(state, row), BY_ASSET[row["a"]]
        tif = row["t"]["limit"]["tif"]
        levels = self._crossing(listing, order)
        if wrong := self._refusal(state, order, listing, tif, levels):
            order.state, order.note = "rejected", wrong
            state.orders.append(order)
            return {"error": f"{wrong} asset={listing.asset}"}
        state.orders.append(order)
        self._fill(state, order, levels, FEES.taker)
        # What an Ioc order did not fill vanishes without a word, as at the real venue.
        if order.filled == order.size or (order.filled and tif == "Ioc"):
            order.state = "filled"
        if not order.filled:
            return {"resting": {"oid": order.oid, "cloid": order.cloid}}
        average = plain(average_of(order))
        return {"filled": {"totalSz": plain(order.filled), "avgPx": average, "oid": order.oid}}

    def _new_order(self, state: PaperState, row: Mapping[str, Any]) -> PaperOrder:
        oid, state.next_oid = state.next_oid, state.next_oid + 1
        return PaperOrder(
            oid=oid,
            cloid=row["c"],
            symbol=BY_ASSET[row["a"]].symbol,
            side="buy" if row["b"] else "sell",
            size=Decimal(row["s"]),
            price=Decimal(row["p"]),
            reduce_only=row["r"],
            state="open",
            filled=Decimal(0),
            paid=Decimal(0),
            checked_ms=self._now_ms(),
        )

    def _crossing(self, listing: Listing, order: PaperOrder) -> list[Level]:
        now = book(self._feed, listing, self._now_ms())
        if order.side == "buy":
            return [level for level in now.asks if level.price <= order.price]
        return [level for level in now.bids if level.price >= order.price]

    def _refusal(
        self, state: PaperState, order: PaperOrder, listing: Listing, tif: str, levels: Sequence[Level]
    ) -> str:
        """Why the venue does not take an order, in its words; empty where it does."""
        less = reducible(state, order)
        whole_close = order.reduce_only and order.size >= less > 0
        opening = Decimal(0) if order.reduce_only else max(Decimal(0), order.size - less)
        rules = (
            (not price_legal(order.price, listing.size_decimals), "Price must be divisible by tick size."),
            (not size_legal(order.size, listing.size_decimals), "Order has invalid size."),
            (
                sum(one.state == "open" for one in state.orders) >= OPEN_ORDERS_MAX,
                f"Too many open orders: {OPEN_ORDERS_MAX} are the most.",
            ),
            (
                order.size * order.price < MINIMUM_VALUE and not whole_close,
                "Order must have minimum value of $10.",
            ),
            (order.reduce_only and less == 0, "Reduce only order would increase position."),
            (
                opening * order.price / listing.leverage > self._available(state),
                "Insufficient margin to place order.",
            ),
            (tif == "Alo" and bool(levels), "Post only order would have immediately matched."),
            (
                tif == "Ioc" and not levels,
                "Order could not immediately match against any resting orders.",
            ),
        )
        return next((words for broken, words in rules if broken), "")
