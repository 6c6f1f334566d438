"""What the API asks of routines, as a table of named operations."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from contracts.errors import BerthError
from contracts.records import Record
from contracts.routines import RoutineCreate, RoutineDraft, RoutineRunNow, RoutineSettings
from durable_objects.bot_owner.routines.desk import Routines
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

Fields = Mapping[str, Any]
Operation = Callable[[Fields], Awaitable[Any]]


class RoutineOperations:
    def __init__(
        self, routines: Routines, stop: Callable[[Row], Awaitable[Row]], go_on: Callable[[], None]
    ) -> None:
        """`stop` has a run end; `go_on` has what is due driven."""
        self._routines = routines
        self._stop = stop
        self._go_on = go_on
        self.table: dict[str, Operation] = {
            "routines": self._all,
            "routine": self._one,
            "create_routine": self._create,
            "change_routine": self._change,
            "delete_routine": self._delete,
            "pause_routine": self._pause,
            "resume_routine": self._resume,
            "run_routine": self._run_now,
            "routine_history": self._history,
            "routine_times": self._times,
        }

    async def _all(self, _fields: Fields) -> Record:
        return self._routines.all()

    async def _one(self, fields: Fields) -> Record:
        return self._routines.get(fields["id"])

    async def _create(self, fields: Fields) -> Record:
        return self._routines.create(RoutineCreate.model_validate(fields["body"]))

    async def _change(self, fields: Fields) -> Record:
        return self._routines.change(fields["id"], RoutineSettings.model_validate(fields["body"]))

    async def _delete(self, fields: Fields) -> None:
        # The last ones first, so that none begins when the one before it ends.
        for run in reversed(self._routines.remove(fields["id"])):
            try:
                await self._stop(run)
            except BerthError as error:
                log.warning("run %s is stopped later: %s", run["id"], error)

    async def _pause(self, fields: Fields) -> Record:
        return self._routines.pause(fields["id"])

    async def _resume(self, fields: Fields) -> Record:
        return self._routines.resume(fields["id"])

    async def _run_now(self, fields: Fields) -> Record:
        begun = self._routines.run_now(fields["id"], RoutineRunNow.model_validate(fields["body"]).client_id)
        self._go_on()
        return begun

    async def _history(self, fields: Fields) -> Record:
        return self._routines.history(fields["id"], fields["before"], fields["limit"])

    async def _times(self, fields: Fields) -> Record:
        return self._routines.times(RoutineDraft.model_validate(fields["body"]))
