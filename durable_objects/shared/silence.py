"""A limit on silence: work that hears from somebody goes on, and ends when nothing has come for a while.

It takes one timer at a time. A runtime has few of them, and one that was cancelled still counts until its
hour has come: moving a deadline at every piece of a stream uses them up.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf


@asynccontextmanager
async def silence_limit(seconds: float, *, until: float = inf) -> AsyncIterator[Callable[[], None]]:
    """Raise TimeoutError from the block when what it yields has not been called for `seconds`.

    It is raised at `until` in any case, a time of the running loop.
    """
    loop = asyncio.get_running_loop()
    heard_at = loop.time()
    timer: asyncio.TimerHandle | None = None

    def heard() -> None:
        nonlocal heard_at
        heard_at = loop.time()

    def look() -> None:
        nonlocal timer
        left = min(heard_at + seconds, until) - loop.time()
        if left > 0:
            timer = loop.call_later(left, look)
        else:
            limit.reschedule(loop.time())

    timer = loop.call_later(min(seconds, until - heard_at), look)
    try:
        async with asyncio.timeout(None) as limit:
            yield heard
    finally:
        if timer is not None:
            timer.cancel()
