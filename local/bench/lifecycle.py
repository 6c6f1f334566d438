"""`./berth bench lifecycle`: starting, waking from each source, saving, and bringing a backup back.

Everything goes the whole path, by messages and the API. Beside each is what this machine needs without Berth:
a bare sandbox, a copy of the tree, the tree or what has changed of it in a compressed archive.
"""

import shutil
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from local.bench import tree
from local.bench.errors import BenchError
from local.bench.rig import Rig, sleep
from local.bench.rows import Row, row
from local.bench.series import MILLISECONDS, Statistic

SANDBOX = ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true")
FLOOR = "lifecycle-floor"
MAKER = "/workspace/tree.py"
MAKER_SOURCE = Path(tree.__file__).read_text()

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """How often each start and wake is done, and how large the tree is that is saved."""

    starts: int
    megabytes: int

    @classmethod
    def of(cls, runs: int) -> "Size":
        return cls(starts=max(1, min(10, runs // 10)), megabytes=max(8, min(1_000, 5 * runs)))


async def bench_lifecycle(rig: Rig, size: Size, progress: Progress) -> AsyncIterator[Row]:
    async for found in _wakes(rig, size.starts, progress):
        yield found
    async for found in _saves(rig, size.megabytes, progress):
        yield found


async def _wakes(rig: Rig, starts: int, progress: Progress) -> AsyncIterator[Row]:
    """Of a workspace with next to nothing in it."""
    sandbox = [_timed(SANDBOX) for _ in range(starts + 1)][1:]
    kinds: list[tuple[str, Callable[[], Awaitable[None]]]] = [
        ("cold_start", rig.berth.reset),
        ("wake_snapshot", lambda: sleep(rig.berth)),
        ("wake_backup", lambda: _asleep_without_snapshot(rig)),
    ]
    for name, prepare in kinds:
        progress(name)
        took = []
        for _ in range(starts):
            await prepare()
            took.append(await _first_command(rig))
            await _run(rig, "echo kept > kept")
        yield _row(name, took, sandbox)


async def _saves(rig: Rig, megabytes: int, progress: Progress) -> AsyncIterator[Row]:
    folder = rig.stack.state / FLOOR
    ours, copy, archive = folder / "tree", folder / "copy", folder / "archive"
    progress("making the tree")
    tree.make(ours, megabytes)
    # By the bot: the rig's own way into the computer ended with its first start.
    await rig.whole.converse(f"/write tree.py\n{MAKER_SOURCE}")
    await _run(rig, f"python3 {MAKER} make tree {megabytes}")
    progress("save_first")
    yield _row("save_first", [await _save(rig)], [_packed(ours, archive)])
    progress("wake_snapshot_tree")
    yield _row(
        "wake_snapshot_tree", [await _first_command(rig)], [_timed(("cp", "-a", str(ours), str(copy)))]
    )
    await _run(rig, f"python3 {MAKER} change tree")
    mark = folder / "mark"
    mark.touch()
    tree.change(ours)
    progress("save_1_percent")
    yield _row("save_1_percent", [await _save(rig)], [_packed(ours, archive, mark)])
    progress("restore")
    _forget_snapshots(rig)
    restored = await _first_command(rig)
    shutil.rmtree(copy)
    yield _row("restore", [restored], [_timed(("cp", "-a", str(ours), str(copy)))])


def _row(name: str, took: Sequence[float], floor: Sequence[float]) -> Row:
    statistic = Statistic(name, "ms", statistics.median)
    return replace(row("whole", statistic, statistic.of(took), statistic.of(floor)), bench="lifecycle")


async def _run(rig: Rig, command: str) -> None:
    await rig.whole.run(command)


async def _first_command(rig: Rig) -> float:
    """From a sleeping computer to the end of its first command."""
    return (await rig.whole.run("true")).last * MILLISECONDS


async def _save(rig: Rig) -> float:
    started = time.perf_counter()
    await sleep(rig.berth)
    return (time.perf_counter() - started) * MILLISECONDS


async def _asleep_without_snapshot(rig: Rig) -> None:
    await sleep(rig.berth)
    _forget_snapshots(rig)


def _forget_snapshots(rig: Rig) -> None:
    """Take the engine's snapshots away, so that the next wake is from the backup."""
    found = list((rig.stack.state / "engine/i").glob("*"))
    if not found:
        raise BenchError("The computer made no snapshot.")
    for snapshot in found:
        shutil.rmtree(snapshot)


def _packed(folder: Path, archive: Path, newer_than: Path | None = None) -> float:
    """Put the folder, or what of it is newer than a file, into a compressed archive."""
    newer = ["--newer-mtime", f"{newer_than}"] if newer_than else []
    compress = "zstd -1" if shutil.which("zstd") else "gzip -1"
    command = ["tar", "-C", str(folder), *newer, "-I", compress, "-cf", str(archive), "."]
    return _timed(command)


def _timed(command: Sequence[str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode:
        raise BenchError(f"The floor's {command[0]} failed: {done.stderr.decode(errors='replace')[:200]}")
    return (time.perf_counter() - started) * MILLISECONDS
