"""Sending an approved intent, once, and finding out what became of it.

The exact body, its nonce and its end are stored with the move to `submitting`, before anything leaves.
Whoever dies after that leaves an outcome that is not known, which is looked up by our order ids and never
sent again. What rests is followed to its end. What may interleave: stops and other intents, at every await;
each move is compared with the state that was read.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from typing import Any

from contracts.errors import BerthError
from contracts.limits import ACTION_MARGIN_SECONDS, ACTION_SECONDS
from contracts.states import INTENT_ENDED, IntentState
from contracts.trading import Intent, IntentLine, LineOutcome, LineState, Refusal
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.venue.fence import Fence
from durable_objects.bot_owner.venue.intents import IntentRows, state_of
from durable_objects.bot_owner.venue.numbers import plain
from durable_objects.bot_owner.venue.protocol import Unsure, VenueOrder, Venues
from durable_objects.bot_owner.venue.refusals import Kept, reason_of
from durable_objects.bot_owner.venue.replies import LineReply, read
from durable_objects.shared.context import Context

log = logging.getLogger(__name__)

# Seconds between looks at an outcome that is not known.
PAUSES = (1, 2, 4, 8, 15, 30)
FOLLOW_SECONDS = 60
# A venue's clock may be this much behind ours.
CLOCKS_APART_MS = 60_000


class NotSent(Exception):  # noqa: N818 - a reason, and no error of anybody
    """Nothing has left, and this is why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason: Refusal = reason


class Submission:
    def __init__(
        self,
        context: Context,
        record: ThreadRecord,
        rows: IntentRows,
        venues: Venues,
        *,
        ring_by: Callable[[int], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._context = context
        self._record = record
        self._rows = rows
        self._venues = venues
        self._ring_by = ring_by
        self._sleep = sleep
        self._fence = Fence(context, record, rows, venues)

    async def send(self, intent: Intent, kept_back: Callable[[], Kept]) -> Intent:
        """Send an approved intent; returns it as it is then. One that somebody else sends is left alone.

        `kept_back` is asked twice, each time with no await behind it: before the signature is made, and
        before it is stored and sent. Raises NotSent where it says why not, or where there is no body.
        """
        venue, now = self._venues.of(intent), self._context.now_ms()
        until = now + ACTION_SECONDS * 1000
        signer = venue.signer

        def check() -> None:
            reason: Kept = kept_back()
            if not reason and venue.signer != signer:
                reason = "account_changed"
            if reason:
                raise NotSent(reason)

        nonce = self._record.write(lambda: self._rows.next_nonce(signer, now))
        lines = sent_lines(intent)
        assets = {line.symbol: line.asset for line in lines}
        try:
            body = await venue.prepare(action_of(intent), assets, nonce, until, check)
        except BerthError as error:
            raise NotSent(reason_of(error)) from error

        def claimed() -> Intent | None:
            check()
            moved = self._rows.move(intent, IntentState.SUBMITTING, self._context.now_ms())
            if moved:
                self._rows.keep_sent(intent.id, body, until, signer)
                self._ring_by(self._context.now_ms() + FOLLOW_SECONDS * 1000)
                self.show("intent.updated", moved)
            return moved

        sending = self._record.write(claimed)
        if sending is None:
            return self._rows.get(intent.id)
        try:
            replies = read(await venue.send(body), len(lines), intent.kind)
        except Unsure as reason:
            log.warning("the outcome of %s is not known: %s", intent.id, reason)
            return self._settle(sending, [_unknown(one) for one in sending.outcomes])
        return self._settle(sending, _outcomes(sending, replies))

    async def find_out(self, intent: Intent, stopped: Callable[[], bool]) -> Intent:
        """Look until the outcome is known, for as long as it may still come; gives up where it is stopped."""
        for pause in (*PAUSES, *PAUSES[-1:] * 3):
            intent = await self.look(intent)
            if intent.state in INTENT_ENDED or stopped():
                return intent
            await self._sleep(pause)
        return await self.look(intent)

    async def look(self, intent: Intent) -> Intent:
        """Look once for the orders whose outcome is not known, and for those that rest.

        What is still not known is fenced, once; then nothing of it can come any more, and it is looked for
        a last time.
        """
        intent = self._settle(intent, await self._looked(intent, late=self._too_late(intent)))
        if intent.state == IntentState.UNKNOWN and await self._fence.put(intent):
            intent = self._settle(intent, await self._looked(intent, late=True))
        return intent

    async def _looked(self, intent: Intent, *, late: bool) -> list[LineOutcome]:
        outcomes = []
        for one in intent.outcomes:
            looked = one.state in {"unknown", "resting"} or (
                one.state == "proposed" and intent.state == IntentState.SUBMITTING
            )
            outcomes.append(await self._line(intent, one, late=late) if looked else one)
        return outcomes

    async def _line(self, intent: Intent, known: LineOutcome, *, late: bool) -> LineOutcome:
        try:
            line, since_ms = _line_of(intent, known.n), intent.created_ms - CLOCKS_APART_MS
            venue = self._venues.of(intent)
            order = await venue.order(line.order_id, since_ms, rests=known.state == "resting")
        except (Unsure, BerthError) as reason:
            log.warning("order %d of %s cannot be looked up: %s", known.n, intent.id, reason)
            return known if known.state == "resting" else _unknown(known)
        if intent.kind == "cancel":
            return _cancel_outcome(known, order, late=late)
        if order is None:
            if known.state == "resting":
                return known
            return known.model_copy(update={"state": "not_placed" if late else "unknown"})
        return _outcome(known.n, order, Decimal(line.size))

    def _too_late(self, intent: Intent) -> bool:
        """Whether an action that was not found by now can take effect no more."""
        sent = self._rows.sent(intent.id)
        until = sent["sent_until_ms"]
        over = until is not None and self._context.now_ms() > until + ACTION_MARGIN_SECONDS * 1000
        return bool(over or sent["fence"] == "holds")

    def _settle(self, intent: Intent, outcomes: Sequence[LineOutcome]) -> Intent:
        """Write down what is known now. Where nothing changed, nothing is written."""
        state = state_of(outcomes)
        if state == intent.state and list(outcomes) == intent.outcomes:
            return intent

        def write() -> Intent | None:
            moved = self._rows.move(intent, state, self._context.now_ms(), outcomes=list(outcomes))
            if moved:
                self.show("intent.updated", moved)
            return moved

        return self._record.write(write) or self._rows.get(intent.id)

    def show(self, kind: str, intent: Intent) -> None:
        """Belongs inside a `record.write`. A thread that is gone is shown nothing any more."""
        if self._record.kept(intent.thread_id):
            self._record.append(intent.thread_id, kind, intent)


def action_of(intent: Intent) -> dict[str, Any]:
    """The venue's action, made of the lines that were shown, with its keys in the order that is hashed."""
    lines = sent_lines(intent)
    if intent.kind == "cancel":
        rows = [{"asset": line.asset, "cloid": line.order_id} for line in lines]
        return {"type": "cancelByCloid", "cancels": rows}
    orders = [
        {
            "a": line.asset,
            "b": line.side == "buy",
            "p": line.price,
            "s": line.size,
            "r": line.reduce_only,
            "t": {"limit": {"tif": line.tif}},
            "c": line.order_id,
        }
        for line in lines
    ]
    return {"type": "order", "orders": orders, "grouping": "na"}


def sent_lines(intent: Intent) -> list[IntentLine]:
    declined = {one.n for one in intent.outcomes if one.state == "declined"}
    return [line for line in intent.lines if line.n not in declined]


def _line_of(intent: Intent, n: int) -> IntentLine:
    return next(line for line in intent.lines if line.n == n)


def _unknown(one: LineOutcome) -> LineOutcome:
    return one if one.state == "declined" else one.model_copy(update={"state": "unknown"})


def _outcomes(intent: Intent, replies: Sequence[LineReply]) -> list[LineOutcome]:
    told = iter(replies)
    return [
        one if one.state == "declined" else _told(one.n, _line_of(intent, one.n), next(told))
        for one in intent.outcomes
    ]


def _told(n: int, line: IntentLine, reply: LineReply) -> LineOutcome:
    if reply.state != "filled":
        return LineOutcome(n=n, state=reply.state, error=reply.error)
    if Decimal(reply.filled) > Decimal(line.size):
        # More than was ordered: no answer to this order.
        return LineOutcome(n=n, state="unknown")
    return _filled(n, Decimal(reply.filled), Decimal(line.size), reply.average, rests=line.tif != "Ioc")


def _filled(n: int, filled: Decimal, size: Decimal, average: str, *, rests: bool) -> LineOutcome:
    """What is filled in part rests with the remainder, or has lost it."""
    part: LineState = "resting" if rests else "partly_filled"
    return LineOutcome(n=n, state="filled" if filled >= size else part, filled=plain(filled), price=average)


def _outcome(n: int, order: VenueOrder, size: Decimal) -> LineOutcome:
    """`size` is what was ordered: the venue may have made it smaller."""
    average = plain(order.average) if order.filled else ""
    match order.state:
        case "open":
            return LineOutcome(n=n, state="resting", filled=plain(order.filled), price=average)
        case "filled":
            return _filled(n, order.filled, size, average, rests=False)
        case "cancelled" if order.filled:
            return LineOutcome(n=n, state="partly_filled", filled=plain(order.filled), price=average)
        case "cancelled" | "rejected" as ended:
            return LineOutcome(n=n, state=ended, error=order.note)


def _cancel_outcome(known: LineOutcome, order: VenueOrder | None, *, late: bool) -> LineOutcome:
    """A cancel is known by its order: gone by cancelling, or filled before, or open until it is too late."""
    if order is None or order.state == "open":
        return known.model_copy(update={"state": "not_placed" if late else "unknown"})
    if order.state == "cancelled":
        return LineOutcome(n=known.n, state="cancelled")
    return LineOutcome(n=known.n, state="rejected", error=f"the order is {order.state}")
