"""Keeps one task a run: started once, joined by the alarm so that the object stays awake for it.

A request starts a run at once and returns; the alarm that was set with it awaits the same task.
A Durable Object is kept alive by an event that is being handled, and the alarm is that event.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


class Driver:
    def __init__(self, drive: Callable[[str], Awaitable[None]], broken: Callable[[str], None]) -> None:
        self._drive = drive
        self._broken = broken
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, key: str) -> None:
        """Drive `key` unless it is being driven already."""
        if key not in self._tasks:
            self._tasks[key] = asyncio.ensure_future(self._run(key))

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    async def _run(self, key: str) -> None:
        try:
            await self._drive(key)
        except Exception:
            # The border of a run: a fault of ours ends this run, with its traceback in the log, and
            # leaves the owner's other runs alone.
            log.exception("%s could not be driven", key)
            self._broken(key)
        finally:
            del self._tasks[key]

    async def cancel(self) -> None:
        """End every task where it waits: what they work on is about to be gone."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def join(self, seconds: float) -> None:
        """Wait until nothing is driven any more, or for `seconds`; the tasks go on either way."""
        end = asyncio.get_running_loop().time() + seconds
        while self._tasks:
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return
            await asyncio.wait(list(self._tasks.values()), timeout=left)
