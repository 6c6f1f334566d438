"""From a tool call to an intent that is shown: the venue is looked at, the lines completed, the whole frozen.

What is asked for again (the price had moved, or a rule was narrowed) is the same orders as a new intent, with
the market as it is then and a digest of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from contracts.arguments import Arguments
from contracts.errors import ErrorCode
from contracts.limits import TAINT_CAUSES_KEPT
from contracts.reasons import because
from contracts.records import TaintCause
from contracts.states import Effect, IntentState, Origin
from contracts.trading import AskedAgain, Intent, IntentLine, IntentSource, LineOutcome
from contracts.venue_tools import CancelOrders, PlaceOrders
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal, run_record
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.venue import proposal
from durable_objects.bot_owner.venue.approval import needs_approval
from durable_objects.bot_owner.venue.authority import Authority
from durable_objects.bot_owner.venue.intents import IntentRows, digest_of
from durable_objects.bot_owner.venue.moves import IntentMoves, too_late
from durable_objects.bot_owner.venue.protocol import Venue, VenueOrder, Venues
from durable_objects.bot_owner.venue.refusals import refused
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

S = IntentState


class Drafts:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        owner_id: str,
        *,
        settings: TradingSettings,
        record: ThreadRecord,
        journal: RunJournal,
        taint: TaintMarks,
        venues: Venues,
        authority: Authority,
        moves: IntentMoves,
        show: Callable[[str, Intent], None],
        ring_by: Callable[[int], None],
    ) -> None:
        self._context = context
        self._owner_id = owner_id
        self._settings = settings
        self._record = record
        self._journal = journal
        self._taint = taint
        self._venues = venues
        self._authority = authority
        self._moves = moves
        self._show = show
        self._ring_by = ring_by
        self._rows = IntentRows(context.sql)

    async def propose(self, call: ToolCall, arguments: Arguments, run_id: str) -> Intent:
        """The intent of a call: it waits for the owner, or a rule has let it go. Raises BerthError."""
        intent_id, venue = self._context.new_id("int"), self._venues.active
        if reason := venue.refusal():
            raise refused(reason)
        sight, orders = await self._look(venue, arguments)
        if isinstance(arguments, PlaceOrders):
            proposal.check(arguments.orders, sight)
        lines = _lines(intent_id, arguments, sight, orders)
        cancels = isinstance(arguments, CancelOrders)
        if reason := self._authority.switched_off(lines, cancels=cancels):
            raise refused(reason)

        def opened() -> Intent:
            run = self._journal.row(run_id)
            if self._moves.is_over(run_id):
                raise because(ErrorCode.FORBIDDEN, "run_stopped")
            return self._open(self._draft(venue, intent_id, run, call.id, lines, sight, cancels=cancels))

        return self._record.write(opened)

    async def ask_again(self, intent: Intent, why: AskedAgain) -> Intent:
        """Withdraw an intent and show it anew, at the same prices and sizes, as the market is now.

        Raises BerthError where the venue cannot be looked at or somebody has moved the intent meanwhile.
        """
        arguments = _arguments_of(intent)
        venue = self._venues.of(intent)
        sight, orders = await self._look(venue, arguments)
        fresh_id = self._context.new_id("int")
        lines = _lines(fresh_id, arguments, sight, orders)

        def replaced() -> Intent:
            if self._moves.not_sent(intent, S.WITHDRAWN, why) is None:
                raise too_late(self._rows.get(intent.id))
            run, cancels = self._journal.row(intent.source.run_id), intent.kind == "cancel"
            call_id = intent.source.tool_call_id
            draft = self._draft(venue, fresh_id, run, call_id, lines, sight, cancels=cancels)
            self._ring_by(draft.expires_ms)
            return self._added(draft.model_copy(update={"replaces": intent.id, "asked_again": why}))

        return self._record.write(replaced)

    async def _look(self, venue: Venue, arguments: Arguments) -> tuple[proposal.Sight, list[VenueOrder]]:
        """What the venue shows now, and of a cancel the open orders it names."""
        markets = {one.symbol: one for one in await venue.markets()}
        account = await venue.account()
        orders: list[VenueOrder] = []
        symbols: set[str] = set()
        if isinstance(arguments, PlaceOrders):
            symbols = {one.symbol for one in arguments.orders} & set(markets)
        elif isinstance(arguments, CancelOrders):
            known = {one.cloid: one for one in account.orders}
            if missing := [one for one in arguments.order_ids if one not in known]:
                raise because(ErrorCode.INVALID_REQUEST, "orders_not_open", orders=", ".join(missing))
            orders = [known[one] for one in dict.fromkeys(arguments.order_ids)]
        books = {symbol: await venue.book(symbol) for symbol in sorted(symbols)}
        for symbol in sorted(symbols):
            leverage = min(markets[symbol].leverage, await venue.leverage(symbol))
            markets[symbol] = replace(markets[symbol], leverage=leverage)
        limit = Decimal(self._settings.rules.notional_an_order) if self._settings.rules.enabled else None
        return proposal.Sight(markets, books, account, await venue.fees(), limit), orders

    def _draft(
        self,
        venue: Venue,
        intent_id: str,
        run: Row,
        call_id: str,
        lines: Sequence[IntentLine],
        sight: proposal.Sight,
        *,
        cancels: bool,
    ) -> Intent:
        """An intent without its digest."""
        # Whoever proposes, a person who types included, has the whole conversation before their eyes.
        shown = run_record(self._taint.thread_read(run))
        now = self._context.now_ms()
        return Intent(
            id=intent_id,
            thread_id=run["thread_id"],
            kind="cancel" if cancels else "place",
            venue=venue.name,
            network=venue.network,
            account=venue.account_address,
            lines=list(lines),
            totals=proposal.totals_of(lines, sight.account),
            source=IntentSource(
                run_id=run["id"],
                tool_call_id=call_id,
                origin=Origin(run["origin"]),
                tainted=shown.tainted,
                causes=self._causes(shown.taint),
            ),
            created_ms=now,
            expires_ms=now + self._settings.approvals.expires_seconds * 1000,
            digest="",
            state=S.PENDING,
            outcomes=[LineOutcome(n=line.n, state="proposed") for line in lines],
            updated_ms=now,
        )

    def _causes(self, known: Sequence[TaintCause]) -> list[TaintCause]:
        """The causes, and of a run before this one the calls that tainted it."""
        earlier = [run_record(self._journal.row(one.id)) for one in known if one.kind == "run"]
        calls = [cause for run in earlier for cause in run.taint if cause.kind == "call"]
        return [*known, *calls][:TAINT_CAUSES_KEPT]

    def _open(self, draft: Intent) -> Intent:
        """Store an intent, inside a write; it waits for the owner unless a rule lets it go."""
        intent = self._added(draft)
        source, allowed = intent.source, self._authority.allowed(intent)
        effect = Effect.VENUE_WRITE
        if needs_approval(effect, tainted=source.tainted, origin=source.origin, allowed=allowed):
            self._moves.wait(source.run_id)
            self._ring_by(intent.expires_ms)
            return intent
        return self._moves.moved(intent, S.APPROVED, by="rule") or self._rows.get(intent.id)

    def _added(self, draft: Intent) -> Intent:
        """Freeze, store and show an intent, inside a write."""
        intent = draft.model_copy(update={"digest": digest_of(self._owner_id, draft)})
        self._rows.add(intent)
        self._show("approval.requested", intent)
        return intent


def _lines(
    intent_id: str, arguments: Arguments, sight: proposal.Sight, orders: Sequence[VenueOrder]
) -> list[IntentLine]:
    if isinstance(arguments, PlaceOrders):
        return proposal.lines_of(intent_id, arguments.orders, sight)
    return proposal.cancel_lines(orders, sight)


def _arguments_of(intent: Intent) -> Arguments:
    """The arguments that an intent was made of."""
    if intent.kind == "cancel":
        return CancelOrders(order_ids=[line.order_id for line in intent.lines])
    names = ("symbol", "side", "size", "price", "tif", "reduce_only")
    orders: list[dict[str, Any]] = [{name: getattr(line, name) for name in names} for line in intent.lines]
    return PlaceOrders.model_validate({"orders": orders})
