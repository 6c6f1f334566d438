"""An owner's routines as the owner sees and sets them. What comes of them by themselves is in `firing.py`."""

import json

from contracts.errors import ErrorCode
from contracts.limits import ROUTINE_HISTORY_A_PAGE, ROUTINES_MAX
from contracts.reasons import because
from contracts.routines import (
    Routine,
    RoutineCreate,
    RoutineDraft,
    RoutineFiring,
    RoutineHistory,
    RoutineList,
    RoutineSettings,
    RoutineTimes,
)
from contracts.states import RoutineOutcome, RoutineState
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.routines.checks import check_checks
from durable_objects.bot_owner.routines.firing import TIMER, Firing
from durable_objects.bot_owner.routines.rows import RoutineRows, settings_of
from durable_objects.bot_owner.routines.schedule import check_schedule, next_times
from durable_objects.bot_owner.runs import RunJournal, run_record
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from durable_objects.shared.timers import Timers


class Routines:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        *,
        rows: RoutineRows,
        catalog: Catalog,
        record: ThreadRecord,
        journal: RunJournal,
        bounds: RunBounds,
        timers: Timers,
        firing: Firing,
    ) -> None:
        self._context = context
        self._rows = rows
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._bounds = bounds
        self._timers = timers
        self._firing = firing

    def all(self) -> RoutineList:
        return RoutineList(items=[self._routine(row) for row in self._rows.all()])

    def get(self, routine_id: str) -> Routine:
        return self._routine(self._rows.get(routine_id))

    def create(self, wanted: RoutineCreate) -> Routine:
        """The same client id again answers with what it made. Raises `invalid_request`, `not_found`."""
        if known := self._rows.made_by(wanted.client_id):
            return self._routine(known)
        settings = RoutineSettings.model_validate(wanted.model_dump(exclude={"client_id", "bot_id"}))
        self._check(settings)
        self._catalog.bot_row(wanted.bot_id)
        if self._rows.count() >= ROUTINES_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "routines_many", most=ROUTINES_MAX)
        routine_id = self._context.new_id("rtn")

        def made() -> None:
            self._rows.add(routine_id, wanted.client_id, wanted.bot_id, settings)
            self._firing.thread(self._rows.get(routine_id), settings)
            self._firing.advance(self._rows.get(routine_id))

        self._record.write(made)
        return self.get(routine_id)

    def change(self, routine_id: str, settings: RoutineSettings) -> Routine:
        """Set everything anew. What its checks remembered, and failures so far, are forgotten."""
        row = self._rows.get(routine_id)
        same = settings.schedule == settings_of(row).schedule and settings.zone == settings_of(row).zone
        # A schedule that has run out may stay while the rest is changed.
        self._check(settings, over=same and row["state"] == RoutineState.FINISHED)
        now = self._context.now_ms()

        def changed() -> None:
            begun = {} if same else {"anchor_ms": now}
            finished = not same and row["state"] == RoutineState.FINISHED
            state = RoutineState.ACTIVE if finished else row["state"]
            text = settings.model_dump_json()
            fresh = self._rows.change(
                routine_id, settings=text, state=state, memory="{}", failures=0, updated_ms=now, **begun
            )
            if not same:
                self._firing.advance(fresh)

        self._record.write(changed)
        return self.get(routine_id)

    def pause(self, routine_id: str) -> Routine:
        self._rows.get(routine_id)
        self._record.write(lambda: self._firing.pause(routine_id, "person"))
        return self.get(routine_id)

    def resume(self, routine_id: str) -> Routine:
        """Go on with the next time from now; what was missed while it was paused stays missed."""
        row = self._rows.get(routine_id)
        if row["state"] == RoutineState.PAUSED:
            now = self._context.now_ms()

            def resumed() -> None:
                active = RoutineState.ACTIVE
                self._firing.advance(
                    self._rows.change(
                        routine_id, state=active, paused_by=None, failures=0, memory="{}", updated_ms=now
                    )
                )

            self._record.write(resumed)
        return self.get(routine_id)

    def remove(self, routine_id: str) -> list[Row]:
        """Returns its runs that have not ended: they are to be stopped. Its thread stays."""
        self._rows.get(routine_id)
        runs = self._rows.unfinished(routine_id)

        def removed() -> None:
            self._rows.remove(routine_id)
            self._timers.at(TIMER, None, routine_id)

        self._record.write(removed)
        return runs

    def forget_bot(self, bot_id: str) -> None:
        for routine_id in self._rows.of_bot(bot_id):
            self.remove(routine_id)

    def run_now(self, routine_id: str, client_id: str) -> RoutineFiring:
        """Start a run whatever the schedule, the checks and a pause say; its limits hold."""
        row = self._rows.get(routine_id)
        settings = settings_of(row)
        if self._bounds.spent(row) >= settings.limits.month_microdollars:
            raise because(ErrorCode.ROUTINE_LIMIT, "routine_cost_used")
        now = self._context.now_ms()

        def begun() -> str:
            known = self._journal.of_message(client_id)
            if known:
                return known
            if self._firing.overlaps(row, settings):
                raise because(ErrorCode.ROUTINE_LIMIT, "routine_still_runs")
            return self._firing.begin(row, settings, client_id, now, "person")

        found = self._rows.of_run(self._record.write(begun))
        if found is None or found["routine_id"] != routine_id:
            raise because(ErrorCode.INVALID_REQUEST, "client_id_other")
        return self._shown(found)

    def times(self, draft: RoutineDraft) -> RoutineTimes:
        """Raises `invalid_request` where the schedule cannot be read, or never comes."""
        return RoutineTimes(times=next_times(draft.schedule, draft.zone, self._context.now_ms()))

    def history(self, routine_id: str, before: int | None, limit: int) -> RoutineHistory:
        self._rows.get(routine_id)
        limit = min(limit, ROUTINE_HISTORY_A_PAGE)
        found = self._rows.firings(routine_id, before, limit + 1)
        return RoutineHistory(items=[self._shown(row) for row in found[:limit]], more=len(found) > limit)

    def _check(self, settings: RoutineSettings, *, over: bool = False) -> None:
        if not (settings.name.strip() and settings.prompt.strip()):
            raise because(ErrorCode.INVALID_REQUEST, "routine_blank")
        if settings.browser:
            raise because(ErrorCode.INVALID_REQUEST, "routine_no_browser")
        if not over:
            check_schedule(settings.schedule, settings.zone, self._context.now_ms())
        check_checks(settings.checks)

    def _routine(self, row: Row) -> Routine:
        last = self._rows.last(row["id"])
        return Routine(
            settings=settings_of(row),
            state=RoutineState(row["state"]),
            next_ms=row["due_ms"],
            month_microdollars=self._bounds.spent(row),
            last=self._shown(last) if last else None,
            **{
                name: row[name]
                for name in ("id", "bot_id", "thread_id", "paused_by", "failures", "created_ms", "updated_ms")
            },
        )

    def _shown(self, row: Row) -> RoutineFiring:
        run = self._journal.find(row["run_id"]) if row["run_id"] else None
        cost = row["microdollars"]
        return RoutineFiring(
            outcome=RoutineOutcome(row["outcome"]),
            run=run_record(run) if run else None,
            microdollars=self._bounds.cost(run["id"]) if cost is None and run else cost or 0,
            details=json.loads(row["details"]) if row["details"] else None,
            **{name: row[name] for name in ("id", "due_ms", "at_ms", "by", "count", "note")},
        )
