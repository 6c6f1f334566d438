"""Waiting for what happens elsewhere: for the thing itself, never for a time in which it should have come."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

# How long anything may take before it is taken for lost. A busy machine is slow at any point, and only a test
# that fails waits for all of it.
SECONDS = 120.0
PAUSE_SECONDS = 0.05


async def until(what: str, look: Callable[[], Awaitable[T | None]], seconds: float = SECONDS) -> T:
    """The first true result of `look`, which is called again and again; what never comes is named."""
    try:
        async with asyncio.timeout(seconds):
            while not (found := await look()):
                await asyncio.sleep(PAUSE_SECONDS)
            return found
    except TimeoutError:
        raise AssertionError(f"{what}: not within {seconds} s") from None
