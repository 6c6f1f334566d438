"""Where commands are measured: the floor, computerd in its sandbox, and the whole path through Berth.

Each place runs one command to its end and tells when its output first arrived and when its end did, on the
client's clock. A command that fails or loses output is an error: a fast wrong answer is no measurement.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp

from local.bench.errors import BenchError
from local.client import Berth, ClientError, Event, Stream
from local.demo.facts import Facts

SILENCE_SECONDS = 60.0
Clock = Callable[[], float]


@dataclass(frozen=True)
class Timing:
    """Seconds from asking. `first` is when output first arrived; `characters` counts what arrived of it."""

    first: float | None
    last: float
    characters: int


class Place(Protocol):
    name: str

    async def run(self, command: str) -> Timing: ...


class Floor:
    name = "floor"

    def __init__(self, session: aiohttp.ClientSession, clock: Clock = time.perf_counter) -> None:
        self._session = session
        self._clock = clock

    async def run(self, command: str) -> Timing:
        started = self._clock()
        first, characters, tail = None, 0, b""
        async with self._session.post("/", data=command.encode()) as response:
            async for chunk in response.content.iter_any():
                if first is None and not chunk.startswith(b"\0"):
                    first = self._clock() - started
                characters += len(chunk)
                tail = (tail + chunk)[-8:]
        last = self._clock() - started
        _, end, code = tail.rpartition(b"\0")
        if not end or code != b"0":
            raise BenchError(f"The floor's command ended with {code!r}: {command}")
        return Timing(first, last, characters - len(code) - 1)


class Computerd:
    """The service in the computer, asked straight, without Worker, objects or engine in between."""

    name = "computerd"

    def __init__(
        self,
        session: aiohttp.ClientSession,
        new_id: Callable[[], str],
        clock: Clock = time.perf_counter,
    ) -> None:
        self._session = session
        self._new_id = new_id
        self._clock = clock

    async def run(self, command: str) -> Timing:
        body = {"id": self._new_id(), "command": command, "timeout_s": 60}
        started = self._clock()
        first, characters, exit_code = None, 0, None
        async with self._session.post("/commands", json=body) as response:
            async for frame in frames(response):
                if frame["type"] == "output":
                    first = self._clock() - started if first is None else first
                    characters += len(frame["text"])
                elif frame["type"] == "exited":
                    exit_code = frame["exit_code"]
        last = self._clock() - started
        if exit_code != 0:
            raise BenchError(f"computerd's command ended with {exit_code}: {command}")
        return Timing(first, last, characters)

    async def call(self, method: str, path: str, **options: Any) -> bytes:
        """One call about files, with the answer's body."""
        async with self._session.request(method, path, **options) as response:
            body = await response.read()
            if response.status != 200:
                raise BenchError(f"computerd answered {response.status}: {body[:200]!r}")
            return body


class Lane:
    """A thread with its event stream, which is read at once so that events keep their time of arrival."""

    def __init__(self, thread_id: str, stream: Stream) -> None:
        self.thread_id = thread_id
        self._stream = stream
        self._arrived: asyncio.Queue[Event | ClientError] = asyncio.Queue()

    async def read(self) -> None:
        """Read until the stream ends; for a task of its own."""
        try:
            while True:
                self._arrived.put_nowait(await self._stream.next())
        except ClientError as error:
            self._arrived.put_nowait(error)

    async def next(self) -> Event:
        async with asyncio.timeout(SILENCE_SECONDS):
            event = await self._arrived.get()
        if isinstance(event, ClientError):
            raise event
        return event


class Whole:
    """A message to a `manual` bot, up to the event that ends its call, with a thread for each at once."""

    name = "whole"

    def __init__(
        self,
        berth: Berth,
        lanes: Iterable[Lane],
        new_id: Callable[[], str],
        clock: Clock = time.perf_counter,
    ) -> None:
        self._berth = berth
        self._free = list(lanes)
        self._new_id = new_id
        self._clock = clock

    async def run(self, command: str) -> Timing:
        first, last, characters = None, None, 0
        started, _, events = await self.converse(f"$ {command}")
        for event in events:
            if event.type == "tool.output":
                first = event.arrived - started if first is None else first
            elif event.type == "tool.finished":
                last = event.arrived - started
                if not event.data["ok"]:
                    raise BenchError(f"The bot's command failed: {event.data['text'][:200]}")
                characters = event.data["command"]["output_bytes"]
        if last is None:
            raise BenchError(f"The bot's run ended without a command: {command}")
        return Timing(first, last, characters)

    async def converse(self, text: str) -> tuple[float, float, list[Event]]:
        """Send a message; returns when it was sent and accepted, and every event until its run is over."""
        lane = self._free.pop()
        sent = self._clock()
        run_id = await self._berth.send(lane.thread_id, self._new_id(), text)
        accepted = self._clock()
        facts, events = Facts(), list[Event]()
        while not facts.over(run_id):
            event = await lane.next()
            facts.add(event)
            events.append(event)
        self._free.append(lane)
        return sent, accepted, events


async def frames(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """Read newline-delimited JSON as it comes."""
    if response.status != 200:
        raise BenchError(f"computerd answered {response.status}: {await response.text()}")
    parts: list[bytes] = []
    async for chunk in response.content.iter_any():
        head, newline, rest = chunk.rpartition(b"\n")
        if not newline:
            parts.append(chunk)
            continue
        for line in b"".join([*parts, head]).split(b"\n"):
            yield json.loads(line)
        parts = [rest]
