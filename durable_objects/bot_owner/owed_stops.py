"""Stops that the computer has still to hear: it is asked until it has, also after this object's death.

A run that is stopped ends in its thread soon, whether the computer can be asked or not. What is owed is kept
in a table of its own, so it outlives the run and its thread. BotComputer writes down what it was asked, and
sees to the command's end itself from then on. While a call is still being made it is asked for again: it may
not have arrived there yet.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from contracts.errors import BerthError
from contracts.tools import EXEC
from durable_objects.shared.context import Context
from durable_objects.shared.timers import Ring

log = logging.getLogger(__name__)

AGAIN_MS = 2_000
AGAIN_MS_MAX = 60_000
ANSWER_SECONDS = 10.0

OWED_STOPS_SCHEMA: tuple[str, ...] = (
    "CREATE TABLE owed_stops (call_id TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) WITHOUT ROWID",
)


class OwedStops:
    def __init__(
        self, context: Context, stop_command: Callable[[str], Awaitable[bool]], ring_by: Ring
    ) -> None:
        """`stop_command` asks the computer to end a command, by its call's id; raises BerthError.

        It says whether there was one of this id that has not ended.
        """
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._stop_command = stop_command
        self._ring_by = ring_by

    async def stop_run(self, run_id: str) -> None:
        """Have the commands end that a run has begun: asked for now, and again until that was heard."""
        await self._stop("run_id = ?", run_id)

    async def stop_call(self, call_id: str) -> bool:
        """The same for one; whether it was still under way, as far as anybody knows."""
        return any(await self._stop("call_id = ?", call_id))

    async def _stop(self, which: str, key: str) -> list[bool]:
        now = self._now_ms()
        owed = self._sql.execute(
            f"SELECT call_id FROM steps WHERE {which} AND n > 0 AND state = 'started' AND tool = ?",  # noqa: S608
            key,
            EXEC,
        )
        if not owed:
            return []

        def owe() -> None:
            for row in owed:
                self._sql.run("INSERT OR IGNORE INTO owed_stops VALUES (?, ?)", row["call_id"], now)
            self._ring_by(now + AGAIN_MS)

        self._sql.transaction(owe)
        return await asyncio.gather(*(self._ask(row["call_id"]) for row in owed))

    async def sweep(self) -> None:
        """Ask for what is owed, and see that it is asked for again where it stays so."""
        rows = self._sql.execute("SELECT call_id FROM owed_stops")
        await asyncio.gather(*(self._ask(row["call_id"]) for row in rows))
        newest = self._sql.execute("SELECT MAX(since_ms) AS ms FROM owed_stops")[0]["ms"]
        if newest is not None:
            now = self._now_ms()
            # The longer a computer has been out of reach, the more rarely it is asked.
            self._ring_by(now + min(max(now - newest, AGAIN_MS), AGAIN_MS_MAX))

    async def _ask(self, call_id: str) -> bool:
        """Whether the command was there, or cannot be known to be over."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                there = await self._stop_command(call_id)
        except (BerthError, TimeoutError) as error:
            log.warning("command %s could not be asked to stop: %r", call_id, error)
            return True
        self._sql.run(
            "DELETE FROM owed_stops WHERE call_id = ? AND NOT EXISTS (SELECT 1 FROM steps"
            " JOIN unfinished_runs ON unfinished_runs.id = steps.run_id"
            " WHERE call_id = owed_stops.call_id AND steps.state = 'started')",
            call_id,
        )
        return there
