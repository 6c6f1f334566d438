"""What an alarm does: fire the timers that are due, in order, and stay while anything is being driven.

A timer that falls due while the alarm's handler is at work is fired by that same handler: the next alarm of
an object comes only when this one has returned, which may be many minutes.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Literal

from durable_objects.shared.driver import Driver
from durable_objects.shared.timers import Timer, Timers, Work

log = logging.getLogger(__name__)


class Clockwork:
    def __init__(
        self,
        timers: Timers,
        work: Mapping[str, Work],
        *,
        now_ms: Callable[[], int],
        others: Driver,
        fired: Callable[[], None],
    ) -> None:
        """`others` is driven beside the timers; `fired` is called behind each of these."""
        self._timers = timers
        self._work = work
        self._now_ms = now_ms
        self._others = others
        self._fired = fired
        self._driver = Driver(self._fire, self._broken)

    def start_due(self) -> None:
        """Begin the work of what is due, in the order of the times; each timer keeps to itself."""
        for timer in self._timers.due():
            self._driver.start(f"{timer.kind} {timer.key}")

    async def stay(self, seconds: float) -> None:
        """Fire what is due and falls due, until nothing is at work any more, or for `seconds`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            self._timers.sooner.clear()
            self.start_due()
            left = end - loop.time()
            if left <= 0 or not (self._driver.busy or self._others.busy):
                return
            await self._rest(min(left, self._until_next()))

    def _until_next(self) -> float:
        """Seconds until the next timer that is not firing is due."""
        at_ms = self._timers.next_ms()
        return float("inf") if at_ms is None else max((at_ms - self._now_ms()) / 1000, 0)

    async def _rest(self, seconds: float) -> None:
        """Until nothing is at work, somebody wishes for a timer, or the time has passed."""
        wished = asyncio.ensure_future(self._timers.sooner.wait())
        idle = asyncio.ensure_future(self._idle(seconds))
        try:
            await asyncio.wait([wished, idle], return_when=asyncio.FIRST_COMPLETED)
        finally:
            wished.cancel()
            idle.cancel()

    async def _idle(self, seconds: float) -> Literal[True]:
        await asyncio.gather(self._driver.join(seconds), self._others.join(seconds))
        return True

    async def cancel(self) -> None:
        await self._driver.cancel()

    async def _fire(self, name: str) -> None:
        kind, _, key = name.partition(" ")
        # A kind of a newer version fails, and waits under its lease until that version is back.
        await self._timers.fire(Timer(kind, key), self._work.get(kind, _unknown))
        self._fired()

    def _broken(self, name: str) -> None:
        log.warning("the timer %s is fired again later", name)


async def _unknown(key: str) -> None:
    raise LookupError(f"nothing here knows what to do for a timer of this kind and the key {key!r}")
