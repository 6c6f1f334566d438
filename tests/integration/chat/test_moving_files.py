"""A large file on its way out keeps nobody waiting: others are answered while it moves, and not behind it."""

import asyncio
from collections.abc import Awaitable

from contracts.limits import ARTIFACT_BYTES_MAX, MIB
from tests.integration.chat.person import Person, Thread, is_type

DOWNLOAD_BYTES = 64 * MIB
# Where a file held everybody up it was one or two, one before its first byte.
ANSWERED = 5


async def answered_during(person: Person, moving: Awaitable[object]) -> int:
    """How many requests, one after the other, were answered by the time at which it had moved."""
    task, count = asyncio.ensure_future(moving), 0
    while not task.done():
        await person.get("/api/computer")
        count += not task.done()
    await task
    return count


async def test_others_are_answered_during_an_export(thread: Thread) -> None:
    await thread.exec(f"head -c {ARTIFACT_BYTES_MAX} /dev/urandom > out")
    async with thread.watched(await thread.head()) as watch:
        await thread.send("/export out")
        await watch.until(is_type("tool.started"))
        assert await answered_during(thread.person, watch.until(is_type("tool.finished"))) > ANSWERED
    assert watch.seen[-1]["data"]["ok"]


async def test_others_are_answered_during_a_download(thread: Thread) -> None:
    await thread.exec(f"head -c {DOWNLOAD_BYTES} /dev/urandom > big")
    assert await answered_during(thread.person, downloaded(thread.person, "big")) > ANSWERED


async def downloaded(person: Person, path: str) -> None:
    """As fast as it can be read."""
    async with person.session.get(
        "/api/files/content", params={"path": path}, headers=person.headers
    ) as response:
        size = sum([len(chunk) async for chunk in response.content.iter_any()])
    assert (response.status, size) == (200, DOWNLOAD_BYTES)
