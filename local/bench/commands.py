"""`./berth bench exec`: commands at every place, and what a computer costs to start and to keep.

Rows come out as soon as they are known, so a run that is interrupted has not been for nothing.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import aiohttp

from local.bench.places import Floor
from local.bench.processes import below, pss_bytes, tree_pss_bytes
from local.bench.rig import Rig, floor_served, sleep
from local.bench.rows import Row, row, rows, significant
from local.bench.series import MILLISECONDS, SERIES, Samples, Statistic, measure, true

READINGS = 5
READING_SECONDS = 0.2
MIB = 1024 * 1024

COLD_START = Statistic("cold_start", "ms", statistics.median)
IDLE_MEMORY = Statistic("idle_memory_pss", "MiB", statistics.median)
USED_MEMORY = Statistic("used_memory_pss", "MiB", statistics.median)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How often things are done: `runs` of a command at a place, in so many rounds, and cold starts.

    Before them `warm_up` runs are not counted: WebAssembly gets its fast code only by being used.
    """

    runs: int
    rounds: int
    colds: int
    warm_up: int

    @classmethod
    def of(cls, runs: int) -> "Effort":
        return cls(
            runs,
            rounds=max(1, min(10, runs // 10)),
            colds=max(3, min(20, runs // 10)),
            warm_up=min(200, 2 * runs),
        )


async def bench(rig: Rig, effort: Effort, progress: Progress) -> AsyncIterator[Row]:
    progress(IDLE_MEMORY.name)
    yield await memory(rig, IDLE_MEMORY)
    progress("warming up")
    for place in rig.places:
        await true(place, effort.warm_up)
    for series in SERIES:
        progress(series.name)
        samples = await measure(series, rig.places, runs=effort.runs, rounds=effort.rounds)
        for found in rows(series.statistics, samples, rig.floor.name):
            yield found
    progress(USED_MEMORY.name)
    yield await memory(rig, USED_MEMORY)
    progress(COLD_START.name)
    yield await cold_start(rig, effort.colds)
    yield Row("worker.python_heap", significant(rig.stack.heap_mb), "MiB")


async def memory(rig: Rig, statistic: Statistic) -> Row:
    """Of all processes that exist because one computer runs, while it does nothing."""
    ours: Samples = []
    floor: Samples = []
    for _ in range(READINGS):
        await asyncio.sleep(READING_SECONDS)
        ours.append(sum(pss_bytes(process) for process in below(rig.stack.engine_pid)) / MIB)
        floor.append(tree_pss_bytes(rig.floor_process) / MIB)
    return row("computer", statistic, statistic.of(ours), statistic.of(floor))


async def cold_start(rig: Rig, colds: int) -> Row:
    """From standby to the first command's result; for the floor, from nothing to its first answer."""
    ours: Samples = []
    floor: Samples = []
    for _ in range(colds):
        await sleep(rig.berth)
        ours.append((await rig.whole.run("true")).last * MILLISECONDS)
        floor.append(await _cold_floor(rig) * MILLISECONDS)
    return row("whole", COLD_START, COLD_START.of(ours), COLD_START.of(floor))


async def _cold_floor(rig: Rig) -> float:
    started = time.perf_counter()
    with floor_served(rig.stack.state) as (_, url):
        async with aiohttp.ClientSession(url) as session:
            await Floor(session).run("true")
        return time.perf_counter() - started
