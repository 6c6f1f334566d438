"""`./berth bench runs`: what the loop, the record and the stream of a thread cost, without any computer.

Steps are calls of a tool that does not exist: they are journalled and shown like others, and refused at once.
Beside each figure is the least that the same needs on this machine: SQLite with as many transactions, and a
server that hands the same texts to as many clients.
"""

import asyncio
import itertools
import json
import sqlite3
import statistics
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp

from local.bench.errors import BenchError
from local.bench.heavy import heavy_thread
from local.bench.places import Whole
from local.bench.rig import open_lane
from local.bench.rows import Row, row, significant
from local.bench.series import MILLISECONDS, Samples, Statistic, p95
from local.client import Berth, Model, Stream
from local.stack import LocalStack

BENCH = "runs"
WATCHERS = 50
CALLS = 100
MESSAGES = 1_000
TURNS = 200
OPENINGS = 5
MIB = 1024 * 1024
RECORDED = (
    {"calls": [{"tool": "no__such_tool", "arguments": {}}] * CALLS},
    {"text": "Every call was refused."},
)

EVENTS = Statistic("events_per_second_50_clients", "1/s", statistics.median, more_is_better=True)
JOURNAL = Statistic("journal_step", "ms", statistics.median)
OPEN = Statistic("thread_open", "ms", statistics.median)
DELTAS = (
    Statistic("provider_to_client_p50", "ms", statistics.median),
    Statistic("provider_to_client_p95", "ms", p95),
)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Extent:
    """How often runs are made, and how many messages the thread has that is opened."""

    rounds: int
    messages: int
    turns: int
    """Of the heavy thread."""

    @classmethod
    def of(cls, runs: int) -> "Extent":
        rounds, messages = max(1, min(10, runs // 20)), max(10, min(MESSAGES, 5 * runs))
        return cls(rounds=rounds, messages=messages, turns=max(2, min(TURNS, runs)))


class Desk:
    """Berth and the relay, as one client of both."""

    def __init__(self, berth: Berth, session: aiohttp.ClientSession, relay: aiohttp.ClientSession) -> None:
        self.berth = berth
        self.relay = relay
        self._session = session
        self._numbers = itertools.count()

    def new_id(self) -> str:
        return f"bench-message-{next(self._numbers)}"

    async def record(self, thread_id: str) -> list[str]:
        """Every event of a thread as its text."""
        texts: list[str] = []
        while True:
            path = f"/api/threads/{thread_id}/events?after={len(texts)}&limit=500"
            async with self._session.get(path) as response:
                items = (await response.json())["items"]
            if not items:
                return texts
            texts += [json.dumps(item) for item in items]

    async def hand(self, path: str, texts: Sequence[str]) -> None:
        async with self.relay.post(path, json=texts) as response:
            if response.status != 200:
                raise BenchError(f"The floor's server answered {response.status}.")


async def bench_runs(stack: LocalStack, relay: str, extent: Extent, progress: Progress) -> AsyncIterator[Row]:
    heap = stack.host.heap_bytes()
    async with AsyncExitStack() as cleanup:
        session = await cleanup.enter_async_context(aiohttp.ClientSession(stack.url, headers=stack.headers))
        far = await cleanup.enter_async_context(aiohttp.ClientSession(f"http://{relay}"))
        desk = Desk(Berth(session), session, far)
        progress(EVENTS.name)
        yield await _events(desk, extent.rounds)
        progress(JOURNAL.name)
        yield await _journal(desk, extent.rounds, stack.state / "floor.sqlite")
        progress("provider_to_client")
        for found in await _deltas(desk, f"http://{relay}/v1", extent.rounds):
            yield found
        progress(OPEN.name)
        yield await _opening(desk, extent.messages)
        yield _heap("python_heap_after", stack.host.heap_bytes(), heap)
        progress("a heavy thread")
        await heavy_thread(desk.berth, f"http://{relay}/v1", extent.turns, desk.new_id)
        yield _heap("python_heap_heavy", stack.host.heap_bytes(), heap)


def _heap(name: str, now: int, before: int) -> Row:
    return Row(
        f"worker.{name}",
        significant(now / MIB),
        "MiB",
        significant(before / MIB),
        significant(now / before),
        bench=BENCH,
    )


def _row(place: str, statistic: Statistic, ours: Samples, floor: Samples) -> Row:
    return replace(row(place, statistic, statistic.of(ours), statistic.of(floor)), bench=BENCH)


async def _scripted_thread(berth: Berth) -> str:
    bot_id = await berth.create_bot("Bench", Model(provider="scripted", recording=RECORDED))
    return await berth.create_thread(bot_id)


async def _events(desk: Desk, rounds: int) -> Row:
    """Events of a run a second, until the last of the clients has the last of them."""
    ours: Samples = []
    floor: Samples = []
    # The first one is for V8 to get warm.
    for number in range(rounds + 1):
        thread_id = await _scripted_thread(desk.berth)
        async with AsyncExitStack() as cleanup:
            watching = [desk.berth.watch(thread_id) for _ in range(WATCHERS)]
            streams = [await cleanup.enter_async_context(one) for one in watching]
            for stream in streams:
                await stream.next()
            started = time.perf_counter()
            await desk.berth.send(thread_id, desk.new_id(), "go")
            last = max(await asyncio.gather(*(_until_rest(stream) for stream in streams)))
        texts = await desk.record(thread_id)
        least = await _published(desk, texts)
        if number:
            ours.append(len(texts) / (last - started))
            floor.append(len(texts) / least)
    return _row("whole", EVENTS, ours, floor)


async def _until_rest(stream: Stream) -> float:
    """When a run's end arrived."""
    while True:
        event = await stream.next()
        if event.type == "run.status" and event.data["state"] not in ("queued", "running"):
            if event.data["state"] != "done":
                raise BenchError(f"A run ended as {event.data['state']}: {event.data['error']}")
            return event.arrived


async def _published(desk: Desk, texts: Sequence[str]) -> float:
    """Seconds for the floor's server to show the same texts to as many clients."""
    await desk.hand("/hold", [])
    async with AsyncExitStack() as cleanup:
        connecting = [desk.relay.ws_connect("/stream") for _ in range(WATCHERS)]
        streams = [Stream(await cleanup.enter_async_context(one)) for one in connecting]
        for stream in streams:
            await stream.next()
        started = time.perf_counter()
        ends = asyncio.gather(*(_count(stream, len(texts)) for stream in streams))
        await desk.hand("/publish", texts)
        return max(await ends) - started


async def _count(stream: Stream, wanted: int) -> float:
    arrived = 0.0
    for _ in range(wanted):
        arrived = (await stream.next(60)).arrived
    return arrived


async def _journal(desk: Desk, rounds: int, database: Path) -> Row:
    """A step of a run with one client: from when it was sent to its end, by the number of its calls."""
    ours: Samples = []
    for _ in range(rounds):
        thread_id = await _scripted_thread(desk.berth)
        async with desk.berth.watch(thread_id) as stream:
            started = time.perf_counter()
            await desk.berth.send(thread_id, desk.new_id(), "go")
            ours.append((await _until_rest(stream) - started) / CALLS * MILLISECONDS)
    return _row("whole", JOURNAL, ours, _sqlite(database, await desk.record(thread_id), rounds))


def _sqlite(database: Path, texts: Sequence[str], rounds: int) -> Samples:
    """The same on this disk: a step is two transactions, each with an event, its head and its step."""
    found: Samples = []
    with closing(sqlite3.connect(database, isolation_level=None)) as sql:
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = NORMAL")
        sql.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, data TEXT)")
        sql.execute("CREATE TABLE heads (name TEXT PRIMARY KEY, seq INTEGER)")
        for start in range(0, rounds * len(texts), len(texts)):
            started = time.perf_counter()
            for seq, text in enumerate(texts, start=start):
                sql.execute("BEGIN")
                sql.execute("INSERT INTO events VALUES (?, ?)", (seq, text))
                for name in ("thread", "step"):
                    sql.execute("INSERT OR REPLACE INTO heads VALUES (?, ?)", (name, seq))
                sql.execute("COMMIT")
            found.append((time.perf_counter() - started) / len(texts) * 2 * MILLISECONDS)
    return found


async def _deltas(desk: Desk, url: str, rounds: int) -> list[Row]:
    """From when the provider wrote a piece to when a client had it; the floor asks the provider itself."""
    ours: Samples = []
    floor: Samples = []
    bot_id = await desk.berth.create_bot("Bench", Model("openai", url, "timed"))
    for number in range(rounds + 1):
        thread_id = await desk.berth.create_thread(bot_id)
        async with desk.berth.watch(thread_id) as stream:
            await desk.berth.send(thread_id, desk.new_id(), "go")
            found = await _delays(stream)
        straight = await _straight(desk)
        if number:
            ours += found
            floor += straight
    return [_row("whole", statistic, ours, floor) for statistic in DELTAS]


async def _delays(stream: Stream) -> Samples:
    found: Samples = []
    text, shown = "", 0
    while True:
        event = await stream.next(60)
        if event.type == "part.delta":
            text += event.data["text"]
            end = text.rfind("\n") + 1
            found += [(event.arrived - float(line)) * MILLISECONDS for line in text[shown:end].split()]
            shown = end
        if event.type == "run.status" and event.data["state"] not in ("queued", "running"):
            break
    if not found:
        raise BenchError(f"Nothing of the answer was shown while it was written: {event.data['error']}")
    return found


async def _straight(desk: Desk) -> Samples:
    found: Samples = []
    async with desk.relay.post("/v1/chat/completions", json={}) as response:
        async for line in response.content:
            arrived = time.perf_counter()
            if line.startswith(b"data: {"):
                delta = json.loads(line.removeprefix(b"data: "))["choices"][0]["delta"]
                found += [(arrived - float(delta["content"])) * MILLISECONDS] if delta else []
    return found


async def _opening(desk: Desk, messages: int) -> Row:
    """From connecting to the last event of a long thread: half of its messages are the person's."""
    async with AsyncExitStack() as cleanup:
        lane = await open_lane(desk.berth, cleanup)
        whole = Whole(desk.berth, [lane], desk.new_id)
        for _ in range(messages // 2):
            await whole.converse("hello")
    texts = await desk.record(lane.thread_id)
    await desk.hand("/hold", texts)
    ours: Samples = []
    floor: Samples = []
    for _ in range(OPENINGS):
        started = time.perf_counter()
        async with desk.berth.watch(lane.thread_id) as stream:
            # Both greet first.
            ours.append((await _count(stream, len(texts) + 1) - started) * MILLISECONDS)
        started = time.perf_counter()
        async with desk.relay.ws_connect("/stream") as socket:
            floor.append((await _count(Stream(socket), len(texts) + 1) - started) * MILLISECONDS)
    named = replace(OPEN, name=f"{OPEN.name}_{messages}_messages")
    return _row("whole", named, ours, floor)
