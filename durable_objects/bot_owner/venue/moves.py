"""Moving an intent that was not sent, with the run that waits for it. Every move is shown in the thread."""

from collections.abc import Callable

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.states import RUN_ENDED, IntentState, RunState
from contracts.trading import Intent, Refusal
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.shared.context import Context

S = IntentState


class IntentMoves:
    """`show` writes an intent into its thread: (kind of event, intent)."""

    def __init__(
        self,
        context: Context,
        record: ThreadRecord,
        journal: RunJournal,
        show: Callable[[str, Intent], None],
    ) -> None:
        self._now_ms = context.now_ms
        self._record = record
        self._journal = journal
        self._show = show
        self._rows = IntentRows(context.sql)

    def moved(self, intent: Intent, state: IntentState, **changes: object) -> Intent | None:
        """Move and show, inside a write; None where somebody has moved it first."""
        moved = self._rows.move(intent, state, self._now_ms(), **changes)
        if moved:
            self._show("approval.decided", moved)
        return moved

    def not_sent(self, intent: Intent, state: IntentState, reason: str) -> Intent | None:
        """Move to an end at which nothing was sent, inside a write."""
        outcomes = [one.model_copy(update={"state": "not_sent"}) for one in intent.outcomes]
        return self.moved(intent, state, reason=reason, outcomes=outcomes)

    def withdrawn(self, intent: Intent, reason: Refusal) -> Intent:
        """The intent as it is then: withdrawn, or as somebody else has moved it."""
        return self._record.write(lambda: self.not_sent(intent, S.WITHDRAWN, reason)) or self._rows.get(
            intent.id
        )

    def expired(self, intent: Intent) -> Intent | None:
        """The intent after its time; None while there is some left."""
        if self._now_ms() < intent.expires_ms:
            return None

        def expire() -> Intent | None:
            self.resume(intent)
            return self.not_sent(intent, S.EXPIRED, "expired")

        return self._record.write(expire)

    def wait(self, run_id: str) -> None:
        """The run waits for its owner, inside a write."""
        if self._journal.row(run_id)["state"] != RunState.WAITING_APPROVAL:
            self._journal.move(run_id, RunState.WAITING_APPROVAL)

    def resume(self, intent: Intent) -> None:
        """The run that waited goes on, inside a write; whoever decided has it driven."""
        run_id = intent.source.run_id
        if self._journal.row(run_id)["state"] == RunState.WAITING_APPROVAL:
            self._journal.move(run_id, RunState.RUNNING)

    def is_over(self, run_id: str) -> bool:
        """Also where it was removed with its thread: what is at the venue outlives both."""
        row = self._journal.find(run_id)
        return row is None or bool(row["stop_asked"]) or RunState(row["state"]) in RUN_ENDED


def too_late(intent: Intent) -> BerthError:
    code = ErrorCode.APPROVAL_EXPIRED if intent.state is S.EXPIRED else ErrorCode.ALREADY_DECIDED
    return because(code, "decided", details={"state": intent.state})
