"""How long one step of moving a backup may be silent, and asking again where the computer is not ready."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

MOVING_SECONDS = 60.0


async def soon(waiting: Awaitable[T]) -> T:
    """What it gives, or TimeoutError."""
    async with asyncio.timeout(MOVING_SECONDS):
        return await waiting


async def ready(ask: Callable[[], Awaitable[T | None]]) -> T:
    """Ask until there is an answer: the computer says in time that it is still at work.

    Whoever calls this limits the whole.
    """
    while (answer := await soon(ask())) is None:
        pass
    return answer
