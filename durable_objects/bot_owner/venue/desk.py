"""The trading desk: a model's proposal becomes an intent, a person or a rule lets it go, and it is sent.

Nothing that is text moves an intent: only `decide`, which the API calls for the owner, with the digest of
what was shown. A tool call is known by its id, so whoever finds it again goes on with the intent that it
made.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial

from contracts.arguments import Arguments
from contracts.errors import BerthError, ErrorCode
from contracts.limits import TAINT_CAUSES_KEPT
from contracts.records import TaintCause
from contracts.states import INTENT_ENDED, RUN_ENDED, Effect, IntentState, Origin, RunState
from contracts.trading import (
    Intent,
    IntentDecision,
    IntentLine,
    IntentSource,
    LineOutcome,
    TradingAccount,
    TradingRules,
)
from contracts.venue_tools import CancelOrders, PlaceOrders
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.runs import RunJournal, run_record
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.tools import Outcome, checked, failed
from durable_objects.bot_owner.venue import proposal, reading
from durable_objects.bot_owner.venue.approval import needs_approval
from durable_objects.bot_owner.venue.intents import IntentRows, digest_of
from durable_objects.bot_owner.venue.protocol import Venue, VenueOrder, Venues
from durable_objects.bot_owner.venue.rules import allows, switched_off
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.submission import FOLLOW_SECONDS, NotSent, Submission, sent_lines
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

S = IntentState
CHANGED = "The price has moved by more than {} % since this was shown. Look at it again, as it is now."
TOLD = {
    S.DECLINED: "The person declined.",
    S.EXPIRED: "Nobody decided in time; nothing was sent.",
    S.WITHDRAWN: "It was withdrawn; nothing was sent.",
    S.EXECUTED: "Done.",
    S.PARTIALLY_EXECUTED: "Done in part.",
    S.REJECTED_BY_VENUE: "The venue refused it.",
    S.UNKNOWN: "What became of it is not known yet. Do not propose it again; look with hl__get_order.",
}


class TradingDesk:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        owner_id: str,
        *,
        settings: TradingSettings,
        record: ThreadRecord,
        journal: RunJournal,
        taint: TaintMarks,
        bounds: RunBounds,
        venues: Venues,
        submission: Submission,
        ring_by: Callable[[int], None],
    ) -> None:
        self._context = context
        self._owner_id = owner_id
        self._settings = settings
        self._record = record
        self._journal = journal
        self._taint = taint
        self._bounds = bounds
        self.venues = venues
        self._submission = submission
        self._ring_by = ring_by
        self._rows = IntentRows(context.sql)

    async def use(self, call: ToolCall, run_id: str) -> Outcome | None:
        """Carry out a call, or go on with one; None where the run waits for the owner now."""
        try:
            arguments = checked(call)
            if not isinstance(arguments, PlaceOrders | CancelOrders):
                return Outcome(
                    True, await reading.answer(self.venues.active, arguments, self._context.now_ms())
                )
            intent = self._rows.of_call(call.id) or await self._propose(call, arguments, run_id)
            return await self._go_on(intent)
        except BerthError as error:
            return failed(error)

    async def _go_on(self, intent: Intent) -> Outcome | None:
        """From wherever an intent is towards its end."""
        run_id = intent.source.run_id
        if intent.state is S.PENDING:
            intent = self._expired(intent) or intent
        if intent.state is S.PENDING:
            self._record.write(lambda: self._wait(run_id))
            return None
        if intent.state is S.APPROVED:
            intent = self._kept_back(intent) or await self._sent(intent)
        if intent.state not in INTENT_ENDED:
            intent = await self._submission.find_out(intent, lambda: self._is_over(run_id))
        if any(one.state == "resting" for one in intent.outcomes):
            self._ring_by(self._context.now_ms() + FOLLOW_SECONDS * 1000)
        return _answer(intent)

    async def _sent(self, intent: Intent) -> Intent:
        try:
            return await self._submission.send(intent, lambda: self._reason_to_keep(intent))
        except NotSent as reason:
            words = str(reason)
            return self._record.write(lambda: self._not_sent(intent, S.WITHDRAWN, words)) or self._rows.get(
                intent.id
            )

    def _wait(self, run_id: str) -> None:
        if self._journal.row(run_id)["state"] != RunState.WAITING_APPROVAL:
            self._journal.move(run_id, RunState.WAITING_APPROVAL)

    def _is_over(self, run_id: str) -> bool:
        """Also where it was removed with its thread: what is at the venue outlives both."""
        row = self._journal.find(run_id)
        return row is None or bool(row["stop_asked"]) or RunState(row["state"]) in RUN_ENDED

    async def _propose(self, call: ToolCall, arguments: Arguments, run_id: str) -> Intent:
        intent_id, venue = self._context.new_id("int"), self.venues.active
        if words := venue.refusal():
            raise BerthError(ErrorCode.FORBIDDEN, words)
        sight, orders = await self._look(venue, arguments)
        if isinstance(arguments, PlaceOrders):
            proposal.check(arguments.orders, sight)
            lines = proposal.lines_of(intent_id, arguments.orders, sight)
        else:
            lines = proposal.cancel_lines(orders, sight)
        cancels = isinstance(arguments, CancelOrders)
        if words := switched_off(self._settings.switch, lines, cancels=cancels):
            raise BerthError(ErrorCode.FORBIDDEN, words)

        def opened() -> Intent:
            run = self._journal.row(run_id)
            if self._is_over(run_id):
                raise BerthError(ErrorCode.FORBIDDEN, "The run was stopped; nothing was proposed.")
            draft = self._draft(venue, intent_id, run, call.id, lines, sight, cancels=cancels)
            return self._open(draft)

        return self._record.write(opened)

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
                raise BerthError(
                    ErrorCode.INVALID_REQUEST, f"These orders are not open: {', '.join(missing)}"
                )
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
        # Whoever proposes, a person who types included, has the whole conversation before their eyes.
        shown = run_record(self._taint.thread_read(run))
        now = self._context.now_ms()
        intent = Intent(
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
        return intent.model_copy(update={"digest": digest_of(self._owner_id, intent)})

    def _causes(self, known: Sequence[TaintCause]) -> list[TaintCause]:
        """The causes, and of a run before this one the calls that tainted it."""
        earlier = [run_record(self._journal.row(one.id)) for one in known if one.kind == "run"]
        calls = [cause for run in earlier for cause in run.taint if cause.kind == "call"]
        return [*known, *calls][:TAINT_CAUSES_KEPT]

    def _open(self, intent: Intent) -> Intent:
        """Store an intent, inside a write; it waits for the owner unless a rule lets it go."""
        self._rows.add(intent)
        self._submission.show("approval.requested", intent)
        source, ours = intent.source, self._settings
        rules, spent = self._rules_of(intent)
        allowed = allows(
            rules, intent.network, intent.lines, spent, ours.hour, cancels=intent.kind == "cancel"
        )
        effect = Effect.VENUE_WRITE
        if needs_approval(effect, tainted=source.tainted, origin=source.origin, allowed=allowed):
            self._ring_by(intent.expires_ms)
            self._wait(source.run_id)
            return intent
        return self._moved(intent, S.APPROVED, by="rule") or self._rows.get(intent.id)

    def _moved(self, intent: Intent, state: IntentState, **changes: object) -> Intent | None:
        """Move and show, inside a write."""
        moved = self._rows.move(intent, state, self._context.now_ms(), **changes)
        if moved:
            self._submission.show("approval.decided", moved)
        return moved

    def _not_sent(self, intent: Intent, state: IntentState, reason: str) -> Intent | None:
        """Move to an end at which nothing was sent, inside a write."""
        outcomes = [one.model_copy(update={"state": "not_sent"}) for one in intent.outcomes]
        return self._moved(intent, state, reason=reason, outcomes=outcomes)

    def _expired(self, intent: Intent) -> Intent | None:
        if self._context.now_ms() < intent.expires_ms:
            return None

        def expire() -> Intent | None:
            self._resume(intent)
            return self._not_sent(intent, S.EXPIRED, "expired")

        return self._record.write(expire)

    def _kept_back(self, intent: Intent) -> Intent | None:
        """An approval that came to nothing: stopped since, switched off since, or found again too late."""
        if reason := self._reason_to_keep(intent):
            return self._record.write(lambda: self._not_sent(intent, S.WITHDRAWN, reason))
        return self._expired(intent)

    def _reason_to_keep(self, intent: Intent) -> str:
        if self._switched_off(intent, sent_lines(intent)):
            return "switched_off"
        if self._is_over(intent.source.run_id):
            return "stopped"
        return "rules_off" if intent.by == "rule" and not self._rules_of(intent)[0].enabled else ""

    def _rules_of(self, intent: Intent) -> tuple[TradingRules, Decimal]:
        """The rules that hold for an intent, and what they let through today.

        What a routine may do by itself is its own switch, not what its owner allows the chat.
        """
        own = self._bounds.orders(intent.source.run_id)
        return own or (self._settings.rules, self._settings.ruled_today())

    def _switched_off(self, intent: Intent, lines: Sequence[IntentLine]) -> str:
        return switched_off(self._settings.switch, lines, cancels=intent.kind == "cancel")

    async def decide(self, intent_id: str, decision: IntentDecision) -> Intent:
        """The owner decides, on exactly what was shown. Raises where that is not what there is any more."""
        intent = self._rows.get(intent_id)
        if intent.state is S.PENDING and self._expired(intent):
            raise BerthError(ErrorCode.APPROVAL_EXPIRED, "The time for this has run out; nothing was sent.")
        _check(intent, decision)
        if decision.approve:
            chosen = [line for line in intent.lines if line.n in decision.approve]
            if words := self._switched_off(intent, chosen) or self.venues.of(intent).refusal():
                raise BerthError(ErrorCode.FORBIDDEN, words)
            await self._check_price(intent, chosen)
        return self._record.write(lambda: self._decided(intent, decision))

    def _decided(self, intent: Intent, decision: IntentDecision) -> Intent:
        # The price was asked for in between: the clock and the run are looked at again.
        if self._context.now_ms() >= intent.expires_ms:
            raise BerthError(ErrorCode.APPROVAL_EXPIRED, "The time for this has run out; nothing was sent.")
        outcomes = [
            one if one.n in decision.approve else one.model_copy(update={"state": "declined"})
            for one in intent.outcomes
        ]
        state = S.APPROVED if decision.approve else S.DECLINED
        moved = self._moved(intent, state, by="owner", reason=decision.reason, outcomes=outcomes)
        if moved is None:
            raise _too_late(self._rows.get(intent.id))
        self._resume(moved)
        return moved

    async def _check_price(self, intent: Intent, chosen: Sequence[IntentLine]) -> None:
        if intent.kind == "cancel":
            return
        mids = {one.symbol: one.mid for one in await self.venues.of(intent).markets()}
        if gone := [line.symbol for line in chosen if line.symbol not in mids]:
            raise BerthError(ErrorCode.FORBIDDEN, f"The venue has no market {gone[0]} any more.")
        bound = self._settings.approvals.price_move_percent
        if not any(proposal.moved(line, mids[line.symbol], Decimal(bound)) for line in chosen):
            return
        fresh = await self._ask_again(intent)
        raise BerthError(ErrorCode.APPROVAL_CHANGED, CHANGED.format(bound), details={"intent_id": fresh.id})

    async def _ask_again(self, intent: Intent) -> Intent:
        """Withdraw an intent and show it anew, at the same prices and sizes, as the market is now."""
        orders = [
            {name: getattr(line, name) for name in ("symbol", "side", "size", "price", "tif", "reduce_only")}
            for line in intent.lines
        ]
        arguments = PlaceOrders.model_validate({"orders": orders})
        venue = self.venues.of(intent)
        sight, _ = await self._look(venue, arguments)
        fresh_id = self._context.new_id("int")
        lines = proposal.lines_of(fresh_id, arguments.orders, sight)

        def replaced() -> Intent:
            if self._not_sent(intent, S.WITHDRAWN, "price_moved") is None:
                raise _too_late(self._rows.get(intent.id))
            run = self._journal.row(intent.source.run_id)
            draft = self._draft(venue, fresh_id, run, intent.source.tool_call_id, lines, sight, cancels=False)
            draft = draft.model_copy(update={"replaces": intent.id})
            fresh = draft.model_copy(update={"digest": digest_of(self._owner_id, draft)})
            self._rows.add(fresh)
            self._ring_by(fresh.expires_ms)
            self._submission.show("approval.requested", fresh)
            return fresh

        return self._record.write(replaced)

    def _resume(self, intent: Intent) -> None:
        """The run that waited goes on; whoever decided has it driven."""
        run_id = intent.source.run_id
        if self._journal.row(run_id)["state"] == RunState.WAITING_APPROVAL:
            self._journal.move(run_id, RunState.RUNNING)

    def withdraw(self, run_id: str) -> None:
        """The run is stopped, inside a write: what was not sent yet will not be."""
        for intent in self._rows.of_run(run_id, S.PENDING, S.APPROVED):
            self._not_sent(intent, S.WITHDRAWN, "stopped")

    def withdraw_account(self, account: TradingAccount, reason: str) -> None:
        """An account can sign no more, inside a write: what was not sent yet for it will not be."""
        for intent in self._rows.in_state(S.PENDING, S.APPROVED):
            if (intent.network, intent.account) == (account.network, account.address):
                self._not_sent(intent, S.WITHDRAWN, reason)
                self._resume(intent)

    async def sweep(self) -> None:
        """What falls due by itself: approvals that expire, unknown outcomes, orders that rest."""
        for intent in self._rows.in_state(S.PENDING):
            self._expired(intent)
        for intent in self._rows.in_state(S.APPROVED):
            # Whoever would have sent it is no more.
            if self._is_over(intent.source.run_id):
                self._record.write(partial(self._not_sent, intent, S.WITHDRAWN, "stopped"))
        for intent in self._rows.in_state(S.SUBMITTING, S.UNKNOWN):
            if self._is_over(intent.source.run_id):
                await self._submission.look(intent)
        for intent in self._rows.with_open_lines():
            await self._submission.look(intent)
        self._ring_for_the_rest()

    def _ring_for_the_rest(self) -> None:
        for intent in self._rows.in_state(S.PENDING):
            self._ring_by(intent.expires_ms)
        if self._rows.with_open_lines() or self._rows.in_state(S.SUBMITTING, S.UNKNOWN):
            self._ring_by(self._context.now_ms() + FOLLOW_SECONDS * 1000)

    def intents(self, *, pending: bool) -> list[Intent]:
        """The newest first."""
        return self._rows.newest(pending=pending)

    def intent(self, intent_id: str) -> Intent:
        return self._rows.get(intent_id)


def _check(intent: Intent, decision: IntentDecision) -> None:
    if intent.state is not S.PENDING:
        raise _too_late(intent)
    if decision.digest != intent.digest:
        raise BerthError(ErrorCode.APPROVAL_CHANGED, "This is not what was shown. Look at it again.")
    if set(decision.approve) - {line.n for line in intent.lines}:
        raise BerthError(ErrorCode.INVALID_REQUEST, "There is no such line to approve.")


def _too_late(intent: Intent) -> BerthError:
    code = ErrorCode.APPROVAL_EXPIRED if intent.state is S.EXPIRED else ErrorCode.ALREADY_DECIDED
    return BerthError(code, "This has been decided already.", details={"state": intent.state})


def _answer(intent: Intent) -> Outcome:
    told = TOLD[intent.state]
    ours = intent.state in {S.WITHDRAWN, S.EXPIRED}
    if intent.by == "owner" and intent.reason and not ours:
        told += f" They say: {json.dumps(intent.reason, ensure_ascii=False)}"
    elif intent.reason:
        told += f" ({intent.reason})"
    text = reading.outcome_text(intent, told)
    if intent.state is S.UNKNOWN:
        return failed(BerthError(ErrorCode.VENUE_UNKNOWN, text))
    if intent.state is S.REJECTED_BY_VENUE:
        return failed(BerthError(ErrorCode.VENUE_REJECTED, text))
    return Outcome(True, text)
