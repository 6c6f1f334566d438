"""What was found out about whether a deployment is ready: kept for some seconds, looked for by one at a time.

Who asks meanwhile is told what was found before, or waits where nothing was. So whoever asks often, while
what is looked at does not answer, makes nobody ask it more often.
"""

import asyncio
from collections.abc import Awaitable, Callable

from contracts.limits import READY_SECONDS

LOOK_SECONDS = 0.05


class Readiness:
    def __init__(self, now_s: Callable[[], float], patience_s: float) -> None:
        """`patience_s` is how long a look takes at most."""
        self._now_s = now_s
        self._patience_s = patience_s
        self._ready: bool | None = None
        self._until_s = float("-inf")

    async def found(self, look: Callable[[], Awaitable[bool]]) -> bool:
        """`look` says yes or no. A look that never ends, since who wanted it is gone, is taken over."""
        if self._now_s() >= self._until_s:
            self._until_s = self._now_s() + self._patience_s
            self._ready = await look()
            self._until_s = self._now_s() + READY_SECONDS
        # No event: one request of workerd cannot wake another.
        while self._ready is None and self._now_s() < self._until_s:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)
        return bool(self._ready)
