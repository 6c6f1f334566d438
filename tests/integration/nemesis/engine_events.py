"""What the engine says of its containers while a test runs: each start and each end, in order."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from local.engine.records import slot
from local.stack import LocalStack


@dataclass(frozen=True)
class Moved:
    """A container began ("start"), ended ("die") or was removed ("destroy")."""

    at: float
    container: str
    machine: str
    """What of its name stays the same for one owner's computer."""
    action: str


@dataclass
class EngineEvents:
    moved: list[Moved] = field(default_factory=list)

    def starts(self) -> int:
        return sum(move.action == "start" for move in self.moved)

    async def started(self) -> bool:
        return self.starts() > 0


@asynccontextmanager
async def engine_events(stack: LocalStack) -> AsyncIterator[EngineEvents]:
    """Follow the engine's events for the length of a block."""
    seen = EngineEvents()
    assert stack.engine_socket is not None
    connector = aiohttp.UnixConnector(str(stack.engine_socket))
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        session.get("http://engine/v1.43/events", timeout=aiohttp.ClientTimeout(total=None)) as response,
    ):
        reading = asyncio.ensure_future(_read(response, seen))
        try:
            yield seen
        finally:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading


async def _read(response: aiohttp.ClientResponse, seen: EngineEvents) -> None:
    async for line in response.content:
        event = json.loads(line)
        name = event["Actor"]["Attributes"]["name"]
        moved = Moved(asyncio.get_running_loop().time(), event["Actor"]["ID"], slot(name), event["Action"])
        seen.moved.append(moved)
