"""`./berth bench files`: files in, out and changed, against what the same costs this machine without Berth.

The floor of each is the plain call of the system on this machine's own disk, the least that it can cost.
"""

import hashlib
import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from local.bench.errors import BenchError
from local.bench.places import Computerd
from local.bench.processes import tree_pss_bytes
from local.bench.rig import Rig
from local.bench.rows import Row, row, significant
from local.bench.series import MILLISECONDS, Samples, Statistic
from local.client import Model

MIB = 1024 * 1024
LARGE = 24 * MIB
ENTRIES = 10_000
LINE = b"a line of a text file of the usual length, more or less so\n"
MARK = "THE ONE PLACE"
TEXT = LINE * (MIB // len(LINE) - 1) + MARK.encode() + b"\n"

Work = Callable[[int], Awaitable[None]]
"""Does the thing for the n-th time."""
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Measured:
    name: str
    place: str
    berth: Work
    floor: Callable[[int], None]
    share: float = 1.0


async def bench_files(rig: Rig, runs: int, progress: Progress) -> AsyncIterator[Row]:
    folder = rig.stack.state / "files-floor"
    (folder / "many").mkdir(parents=True)
    for number in range(ENTRIES):
        (folder / "many" / str(number)).touch()
    await rig.whole.run(f"mkdir many && cd many && seq {ENTRIES} | xargs touch")
    await rig.whole.run(f"head -c {LARGE} /dev/urandom > large")
    small, large = _small(rig.computerd, folder), await _large(rig, folder)
    for measured in (*small, *large):
        progress(measured.name)
        count = max(1, round(runs * measured.share))
        ours: Samples = []
        floor: Samples = []
        # The first of each fills caches that every later one finds.
        for number in range(count + 1):
            ours.append(await _timed(measured.berth, number))
            floor.append(_timed_floor(measured.floor, number))
        statistic = Statistic(measured.name, "ms", statistics.median)
        found = row(measured.place, statistic, statistic.of(ours[1:]), statistic.of(floor[1:]))
        yield replace(found, bench="files")
    for measured in large:
        progress(f"{measured.name}, memory")
        for grown in await _growth(rig, measured):
            yield grown


async def _growth(rig: Rig, measured: Measured) -> tuple[Row, Row]:
    """How much more memory Python has in the Worker, and all the host has, after large files went by."""
    heap, processes = rig.stack.host.heap_bytes(), tree_pss_bytes(rig.stack.host_pid)
    for number in range(1_000, 1_004):
        await measured.berth(number)
    grown = {
        "heap_growth": rig.stack.host.heap_bytes() - heap,
        "growth": tree_pss_bytes(rig.stack.host_pid) - processes,
    }
    heap_row, processes_row = (
        Row(f"worker.{measured.name}_{what}", significant(size / MIB), "MiB", bench="files")
        for what, size in grown.items()
    )
    return heap_row, processes_row


def _small(computerd: Computerd, folder: Path) -> tuple[Measured, ...]:
    target = folder / "text"

    async def write(_: int) -> None:
        await computerd.call("PUT", "/files/content?path=text", data=TEXT)

    async def read(_: int) -> None:
        await computerd.call("GET", "/files/content?path=text")

    async def edit(number: int) -> None:
        old, new = (MARK, MARK.lower()) if number % 2 == 0 else (MARK.lower(), MARK)
        await computerd.call("POST", "/files/edit", json={"path": "text", "oldText": old, "newText": new})

    async def listing(_: int) -> None:
        await computerd.call("GET", "/files/list?path=many")

    def look() -> list[tuple[str, int]]:
        with os.scandir(folder / "many") as entries:
            return sorted((entry.name, entry.stat().st_size) for entry in entries)

    return (
        Measured("write_1mib", "computerd", write, lambda _: _put(target, TEXT)),
        Measured("read_1mib", "computerd", read, lambda _: _seen(len(target.read_bytes()))),
        Measured("edit_1mib", "computerd", edit, lambda _: _edit(target)),
        Measured("list_10000", "computerd", listing, lambda _: _seen(len(look()))),
    )


async def _large(rig: Rig, folder: Path) -> tuple[Measured, ...]:
    data = os.urandom(LARGE)
    bot_id = await rig.berth.create_bot("Files", Model())
    thread_id = await rig.berth.create_thread(bot_id)

    async def upload(number: int) -> None:
        await rig.berth.upload(thread_id, f"{number}.bin", data, "application/octet-stream")

    async def export(_: int) -> None:
        events = (await rig.whole.converse("/export large"))[2]
        if not any(event.type == "artifact.created" for event in events):
            raise BenchError("The bot's export failed.")

    def copy(_: int) -> None:
        hashlib.sha256(data).digest()
        _put(folder / "copy", data)

    return (
        Measured("upload_24mb", "whole", upload, lambda _: _put(folder / "copy", data), share=0.1),
        Measured("export_24mb", "whole", export, copy, share=0.1),
    )


def _put(path: Path, data: bytes) -> None:
    """A whole file, on the disk before it takes its place."""
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)


def _edit(path: Path) -> None:
    text = path.read_text()
    if text.count(MARK) != 1:
        raise BenchError("The floor's file is not as it was written.")
    _put(path, text.replace(MARK, MARK).encode())


def _seen(count: int) -> None:
    if not count:
        raise BenchError("The floor found nothing.")


async def _timed(work: Work, number: int) -> float:
    started = time.perf_counter()
    await work(number)
    return (time.perf_counter() - started) * MILLISECONDS


def _timed_floor(work: Callable[[int], None], number: int) -> float:
    started = time.perf_counter()
    work(number)
    return (time.perf_counter() - started) * MILLISECONDS
