"""What comes of a time at which a routine is due, and of the runs that it began.

Firing decides first (the month's cost, the run before it, the checks) and then writes everything at once: the
run, the history, the next time. So a death before that fires it again for the same time, and one behind it
finds a time that has moved on. What was missed while nobody could fire runs once, late.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.api import ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.events import NoticeData
from contracts.limits import ROUTINE_CHECK_SECONDS, ROUTINE_CHECKS_AT_ONCE, ROUTINE_QUEUE_MAX
from contracts.reasons import because
from contracts.records import RoutineEntry
from contracts.routines import RoutineNotice, RoutineSettings
from contracts.states import RoutineOutcome, RoutineState, RunState
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.messages import Inbox
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.routines.checks import Get, Memory, look
from durable_objects.bot_owner.routines.rows import RoutineRows, settings_of
from durable_objects.bot_owner.routines.schedule import month_began, next_after
from durable_objects.bot_owner.venue.protocol import Venues
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from durable_objects.shared.timers import Timers

TIMER = "routine"
Notify = Callable[[RoutineNotice], None]
"""Tell the owner, inside the write that it happens in. It does not raise."""
TOLD = {
    "paused": "The routine was paused: its last {failures} runs failed. It can be resumed.",
    "month_used": "The routine's runs cost as much as it may cost in a month. It goes on next month.",
}


@dataclass(frozen=True)
class Decision:
    outcome: RoutineOutcome
    note: str = ""
    details: Mapping[str, Any] | None = None
    memory: Memory = field(default_factory=dict)


class Firing:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        *,
        rows: RoutineRows,
        catalog: Catalog,
        record: ThreadRecord,
        inbox: Inbox,
        bounds: RunBounds,
        timers: Timers,
        venues: Venues,
        get: Get,
        notify: Notify,
    ) -> None:
        self._context = context
        self._rows = rows
        self._catalog = catalog
        self._record = record
        self._inbox = inbox
        self._bounds = bounds
        self._timers = timers
        self._venues = venues
        self._get = get
        self._notify = notify
        self._looking = asyncio.Semaphore(ROUTINE_CHECKS_AT_ONCE)

    async def fire(self, routine_id: str) -> None:
        """Its timer: do what is due, once."""
        row = self._rows.find(routine_id)
        if row is None or row["state"] != RoutineState.ACTIVE or row["due_ms"] is None:
            return
        if row["due_ms"] > self._context.now_ms():
            self._timers.by(TIMER, row["due_ms"], routine_id)
            return
        settings = settings_of(row)
        decision = await self._decide(row, settings)

        def settled() -> None:
            fresh = self._rows.find(routine_id)
            # Paused or fired while its checks were looked at: whoever did that has set its timer.
            if fresh is None or fresh["state"] != RoutineState.ACTIVE or fresh["due_ms"] != row["due_ms"]:
                return
            if fresh["settings"] != row["settings"]:
                # Decided by settings that hold no more: once more, by those that do.
                self._timers.by(TIMER, row["due_ms"], routine_id)
                return
            self._settle(fresh, settings, decision)
            self.advance(self._rows.get(routine_id))

        self._record.write(settled)

    async def _decide(self, row: Row, settings: RoutineSettings) -> Decision:
        """What is to come of a time that is due."""
        if self._bounds.spent(row) >= settings.limits.month_microdollars:
            return Decision(RoutineOutcome.MONTH_USED)
        if self.overlaps(row, settings):
            return Decision(RoutineOutcome.OVERLAP)
        if not settings.checks:
            return Decision(RoutineOutcome.STARTED)
        try:
            async with self._looking, asyncio.timeout(ROUTINE_CHECK_SECONDS):
                seen = await look(
                    settings.checks,
                    self._rows.memory(row),
                    zone=settings.zone,
                    now_ms=self._context.now_ms(),
                    venue=self._venues.active,
                    get=self._get,
                )
        except BerthError as error:
            return self._not_made(row, error)
        except TimeoutError:
            return self._not_made(row, because(ErrorCode.INVALID_REQUEST, "check_slow"))
        outcome = RoutineOutcome.STARTED if seen.holds else RoutineOutcome.CHECK
        return Decision(outcome, seen.note, memory=seen.memory)

    def _not_made(self, row: Row, error: BerthError) -> Decision:
        return Decision(
            RoutineOutcome.CHECK_FAILED, error.message[:200], error.details, self._rows.memory(row)
        )

    def overlaps(self, row: Row, settings: RoutineSettings) -> bool:
        """Whether a run may not begin, nor wait, because of those before it."""
        allowed = ROUTINE_QUEUE_MAX if settings.overlap == "queue" else 0
        return len(self._rows.unfinished(row["id"])) > allowed

    def _settle(self, row: Row, settings: RoutineSettings, decision: Decision) -> None:
        routine_id, due_ms = row["id"], row["due_ms"]
        if decision.outcome in {RoutineOutcome.STARTED, RoutineOutcome.CHECK, RoutineOutcome.CHECK_FAILED}:
            self._rows.change(routine_id, memory=json.dumps(decision.memory))
        if decision.outcome is RoutineOutcome.STARTED:
            self.begin(row, settings, f"{routine_id}-{due_ms}", due_ms, "schedule")
            return
        self._rows.note(
            routine_id, due_ms, "schedule", decision.outcome, note=decision.note, details=decision.details
        )
        if decision.outcome is RoutineOutcome.CHECK_FAILED:
            self._failed(self._rows.get(routine_id), settings)
        elif decision.outcome is RoutineOutcome.MONTH_USED:
            self._tell_of_month(row, settings)

    def begin(self, row: Row, settings: RoutineSettings, client_id: str, due_ms: int, by: str) -> str:
        """A run, its prompt in the thread and its place in the history, inside a write; returns its id."""
        thread_id = self.thread(row, settings)
        entry = RoutineEntry(
            routine_id=row["id"],
            name=settings.name,
            by="person" if by == "person" else "schedule",
            due_ms=due_ms,
            computer=settings.computer,
        )
        rounds = settings.limits.rounds
        run_id = str(self._inbox.begin(thread_id, client_id, settings.prompt, entry, rounds=rounds)["id"])
        self._rows.note(row["id"], due_ms, by, RoutineOutcome.STARTED, run_id=run_id)
        return run_id

    def thread(self, row: Row, settings: RoutineSettings) -> str:
        """The routine's own thread; another one where a person has deleted it."""
        if row["thread_id"] and self._record.exists(row["thread_id"]):
            return str(row["thread_id"])
        made = self._catalog.create_thread(ThreadCreate(bot_id=row["bot_id"], title=settings.name), row["id"])
        self._rows.change(row["id"], thread_id=made.id)
        return made.id

    def advance(self, row: Row) -> None:
        """Set the next time, inside a write; a schedule that has run out is finished."""
        settings, now = settings_of(row), self._context.now_ms()
        due_ms = next_after(settings.schedule, settings.zone, anchor_ms=row["anchor_ms"], after_ms=now)
        if row["state"] != RoutineState.ACTIVE:
            due_ms = None
        elif due_ms is None:
            self._rows.change(row["id"], state=RoutineState.FINISHED)
        self._rows.change(row["id"], due_ms=due_ms)
        self._timers.at(TIMER, due_ms, row["id"])

    def run_ended(self, run: Row) -> None:
        """A run has ended, inside the write that ends it."""
        row = self._rows.find(run["routine_id"]) if run["routine_id"] else None
        if row is None:
            return
        self._bounds.ended(run)
        if run["state"] == RunState.DONE:
            self._rows.change(row["id"], failures=0)
        elif run["state"] == RunState.FAILED:
            self._failed(self._rows.get(row["id"]), settings_of(row))

    def _failed(self, row: Row, settings: RoutineSettings) -> None:
        """One more failure in a row, inside a write; enough of them pause the routine."""
        row = self._rows.change(row["id"], failures=row["failures"] + 1)
        if row["failures"] >= settings.limits.failures and row["state"] == RoutineState.ACTIVE:
            self.pause(row["id"], "failures")
            self._tell(row, settings, "paused")

    def pause(self, routine_id: str, by: str) -> None:
        row = self._rows.get(routine_id)
        if row["state"] == RoutineState.ACTIVE:
            now, paused = self._context.now_ms(), RoutineState.PAUSED
            self.advance(self._rows.change(routine_id, state=paused, paused_by=by, updated_ms=now))

    def _tell_of_month(self, row: Row, settings: RoutineSettings) -> None:
        """Once a month."""
        month = month_began(settings.zone, self._context.now_ms())
        if row["told_month_ms"] != month:
            self._rows.change(row["id"], told_month_ms=month)
            self._tell(row, settings, "month_used")

    def _tell(self, row: Row, settings: RoutineSettings, kind: str) -> None:
        """In its thread, and wherever else the owner is told of things."""
        if self._record.exists(row["thread_id"]):
            code, text = f"routine_{kind}", TOLD[kind].format(failures=row["failures"])
            told = NoticeData.model_validate({"code": code, "text": text})
            self._record.append(row["thread_id"], "notice", told)
        about = {name: row[name] for name in ("thread_id", "failures")}
        notice = {"kind": kind, "routine_id": row["id"], "name": settings.name, **about}
        self._notify(RoutineNotice.model_validate({**notice, "at_ms": self._context.now_ms()}))
