"""Stopping work that waits for somebody else: a model that is silent is left as quickly as one that talks.

The stop itself is in the journal (`stop_asked`); this only wakes whoever waits. It is kept in memory: after a
death nobody waits any more, and the journal is read first.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# What is left has this long to tidy up. A stream that cannot be closed is not waited for.
LEAVE_SECONDS = 1.0


class Stops:
    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Event] = {}

    def stop(self, run_id: str) -> None:
        """The person stops the run: whatever it waits for is left."""
        if event := self._waiting.get(run_id):
            event.set()

    async def unless_stopped(self, run_id: str, work: Coroutine[Any, Any, T]) -> T | None:
        """Do the work and return its result, or None as soon as the run is stopped."""
        event = self._waiting[run_id] = asyncio.Event()
        task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            task.cancel()
            await asyncio.wait({task}, timeout=LEAVE_SECONDS)
            return None
        finally:
            del self._waiting[run_id]
            stopped.cancel()
            task.cancel()
