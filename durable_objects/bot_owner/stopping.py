"""Stopping a run from outside: mark it, wake whoever waits for it, end its commands.

The mark is in the journal before anything is asked to end, so whoever drives the run next ends it, also
after a death. A computer that cannot be asked now is asked again, see `owed_stops.py`.
"""

from contracts.states import RUN_ENDED, RunState
from durable_objects.bot_owner.owed_stops import OwedStops
from durable_objects.bot_owner.plan import error_of
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.stops import Stops
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.shared.sql import Row


class RunStopper:
    def __init__(
        self,
        *,
        record: ThreadRecord,
        journal: RunJournal,
        stops: Stops,
        desk: TradingDesk,
        owed: OwedStops,
    ) -> None:
        self._record = record
        self._journal = journal
        self._stops = stops
        self._desk = desk
        self._owed = owed

    async def stop(self, run: Row) -> Row:
        """Have a run end; returns its row. Whoever calls this sees that the run is driven to its end."""
        if RunState(run["state"]) in RUN_ENDED:
            return run
        self._journal.ask_stop(run["id"])
        if RunState(run["state"]) != RunState.RUNNING:
            return self._record.write(lambda: self._end_waiting(run))
        self._stops.stop(run["id"])
        await self._owed.stop_run(run["id"])
        return self._journal.row(run["id"])

    def _end_waiting(self, run: Row) -> Row:
        self._desk.withdraw(run["id"])
        state = RunState.FAILED if run["over"] else RunState.STOPPED
        return self._journal.move(run["id"], state, reason=run["over"], error=error_of(run["over"]))
