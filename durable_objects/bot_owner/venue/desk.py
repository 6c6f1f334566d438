"""The trading desk: a model's proposal becomes an intent, a person or a rule lets it go, and it is sent.

Nothing that is text moves an intent: only `decide`, which the API calls for the owner, with the digest of
what was shown. A tool call is known by its id, so whoever finds it again goes on with the intent that it
made.
"""

import json
from collections.abc import Callable
from functools import partial

from contracts.errors import BerthError, ErrorCode
from contracts.states import INTENT_ENDED, IntentState
from contracts.trading import Intent, IntentDecision, IntentList, Refusal, TradingAccount
from contracts.venue_tools import CancelOrders, PlaceOrders
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.tools import Outcome, checked, failed
from durable_objects.bot_owner.venue import reading
from durable_objects.bot_owner.venue.authority import Authority
from durable_objects.bot_owner.venue.decisions import Decisions
from durable_objects.bot_owner.venue.drafts import Drafts
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.bot_owner.venue.moves import IntentMoves
from durable_objects.bot_owner.venue.protocol import Venues
from durable_objects.bot_owner.venue.refusals import Kept
from durable_objects.bot_owner.venue.refusals import told as words_of
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.submission import FOLLOW_SECONDS, NotSent, Submission
from durable_objects.shared.context import Context

S = IntentState
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
        self._now_ms = context.now_ms
        self._record = record
        self.venues = venues
        self._submission = submission
        self._ring_by = ring_by
        self._rows = IntentRows(context.sql)
        self._moves = IntentMoves(context, record, journal, submission.show)
        self._authority = Authority(settings, bounds, venues, self._moves.is_over)
        self._drafts = Drafts(
            context,
            owner_id,
            settings=settings,
            record=record,
            journal=journal,
            taint=taint,
            venues=venues,
            authority=self._authority,
            moves=self._moves,
            show=submission.show,
            ring_by=ring_by,
        )
        self._decisions = Decisions(
            context,
            settings=settings,
            record=record,
            venues=venues,
            authority=self._authority,
            drafts=self._drafts,
            moves=self._moves,
        )

    async def use(self, call: ToolCall, run_id: str) -> Outcome | None:
        """Carry out a call, or go on with one; None where the run waits for the owner now."""
        try:
            arguments = checked(call)
            if not isinstance(arguments, PlaceOrders | CancelOrders):
                return Outcome(True, await reading.answer(self.venues.active, arguments, self._now_ms()))
            intent = self._rows.of_call(call.id) or await self._drafts.propose(call, arguments, run_id)
            return await self._go_on(intent)
        except BerthError as error:
            return failed(error)

    async def _go_on(self, intent: Intent) -> Outcome | None:
        """From wherever an intent is towards its end."""
        run_id = intent.source.run_id
        if intent.state is S.PENDING:
            intent = self._moves.expired(intent) or intent
        if intent.state is S.APPROVED:
            intent = await self._sent(intent)
        if intent.state is S.PENDING:
            self._record.write(lambda: self._moves.wait(run_id))
            return None
        if intent.state not in INTENT_ENDED:
            intent = await self._submission.find_out(intent, lambda: self._moves.is_over(run_id))
        if any(one.state == "resting" for one in intent.outcomes):
            self._ring_by(self._now_ms() + FOLLOW_SECONDS * 1000)
        return _answer(intent)

    async def _sent(self, intent: Intent) -> Intent:
        """Send what was let go; or say why it was not, or ask for it again."""
        reason: Kept = self._authority.kept_back(intent)
        if not reason:
            # Let go, and found again too late.
            if late := self._moves.expired(intent):
                return late
            try:
                return await self._submission.send(intent, lambda: self._authority.kept_back(intent))
            except NotSent as kept:
                reason = kept.reason
        return await self._kept(intent, reason)

    async def _kept(self, intent: Intent, reason: Refusal) -> Intent:
        """What a rule let go and does not allow any more goes to the owner; all else is withdrawn."""
        if reason == "rules_changed":
            try:
                return await self._drafts.ask_again(intent, reason)
            except BerthError:
                # It cannot be shown anew: the model is told why it was kept back, and may propose it again.
                return self._moves.withdrawn(intent, reason)
        return self._moves.withdrawn(intent, reason)

    async def decide(self, intent_id: str, decision: IntentDecision) -> Intent:
        """The owner decides, on exactly what was shown. Raises where that is not what there is any more."""
        return await self._decisions.decide(intent_id, decision)

    def withdraw(self, run_id: str) -> None:
        """The run is stopped, inside a write: what was not sent yet will not be."""
        for intent in self._rows.of_run(run_id, S.PENDING, S.APPROVED):
            self._moves.not_sent(intent, S.WITHDRAWN, "stopped")

    def withdraw_account(self, account: TradingAccount, reason: Refusal) -> None:
        """An account can sign no more, inside a write: what was not sent yet for it will not be."""
        for intent in self._rows.in_state(S.PENDING, S.APPROVED):
            if (intent.network, intent.account) == (account.network, account.address):
                self._moves.not_sent(intent, S.WITHDRAWN, reason)
                self._moves.resume(intent)

    async def sweep(self) -> None:
        """What falls due by itself: approvals that expire, unknown outcomes, orders that rest."""
        for intent in self._rows.in_state(S.PENDING):
            self._moves.expired(intent)
        for intent in self._rows.in_state(S.APPROVED):
            # Whoever would have sent it is no more.
            if self._moves.is_over(intent.source.run_id):
                self._record.write(partial(self._moves.not_sent, intent, S.WITHDRAWN, "stopped"))
        for intent in self._rows.in_state(S.SUBMITTING, S.UNKNOWN):
            if self._moves.is_over(intent.source.run_id):
                await self._submission.look(intent)
        for intent in self._rows.with_open_lines():
            await self._submission.look(intent)
        self._ring_for_the_rest()

    def _ring_for_the_rest(self) -> None:
        for intent in self._rows.in_state(S.PENDING):
            self._ring_by(intent.expires_ms)
        if self._rows.with_open_lines() or self._rows.in_state(S.SUBMITTING, S.UNKNOWN):
            self._ring_by(self._now_ms() + FOLLOW_SECONDS * 1000)

    def intents(self, *, pending: bool, before: str | None = None, limit: int) -> IntentList:
        """A page, the newest first; `before` is the id of the last one of the page before."""
        items = self._rows.newest(pending=pending, before=before, limit=limit + 1)
        return IntentList(items=items[:limit], more=len(items) > limit)

    def intent(self, intent_id: str) -> Intent:
        return self._rows.get(intent_id)


def _answer(intent: Intent) -> Outcome:
    told = TOLD[intent.state]
    if intent.state is S.WITHDRAWN:
        told += f" {words_of(intent.reason)}"
    elif intent.by == "owner" and intent.reason and intent.state is not S.EXPIRED:
        told += f" They say: {json.dumps(intent.reason, ensure_ascii=False)}"
    text = reading.outcome_text(intent, told)
    if intent.state is S.UNKNOWN:
        return failed(BerthError(ErrorCode.VENUE_UNKNOWN, text))
    if intent.state is S.REJECTED_BY_VENUE:
        return failed(BerthError(ErrorCode.VENUE_REJECTED, text))
    return Outcome(True, text)
