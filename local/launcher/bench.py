"""`./berth bench exec|files|egress|lifecycle|runs|web`: how long things take, and what a computer costs.

Results go to standard output, as lines of JSON or as a table, and everything else to standard error.
docs/performance.md says what each metric is and how to read it.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from local.bench import egress
from local.bench.commands import Effort, bench
from local.bench.errors import BenchError
from local.bench.files import bench_files
from local.bench.lifecycle import Size, bench_lifecycle
from local.bench.rig import Rig, standing
from local.bench.rows import HEAD, Row, as_table
from local.bench.runs import Extent, bench_runs
from local.bench.stages import profile, table
from local.bench.web import Reach, bench_web
from local.client import ClientError
from local.launcher.errors import LauncherError
from local.launcher.image import image_root
from local.launcher.interruption import clean_up_in_peace, end_as_interrupted
from local.launcher.terminal import say
from local.launcher.web import build_page
from local.stack import LocalStack, StackError

RUNS = 200
QUICK = 20
BUSY = 0.5
DOWNLOAD_BYTES = 64_000_000


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    end_as_interrupted()
    _warn_if_busy(os.getloadavg()[0])
    try:
        with ExitStack() as cleanup:
            folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="berth-bench-")))
            _progress("starting Berth")
            if options.name == "egress":
                _fetch(cleanup, folder, options)
                return 0
            if options.name == "web":
                build_page()
            stack = cleanup.enter_context(LocalStack(folder, image_root=image_root()))
            cleanup.callback(clean_up_in_peace)
            if options.name == "web":
                asyncio.run(_shown(bench_web(stack, Reach.of(options.runs), _progress), options))
                return 0
            if options.name == "runs":
                relay = cleanup.enter_context(egress.served("relay", folder, "relay.py"))
                rows = bench_runs(stack, relay, Extent.of(options.runs), _progress)
                asyncio.run(_shown(rows, options))
                return 0
            asyncio.run(_profile(stack, options.runs) if options.profile else _measure(stack, options))
    except (StackError, ClientError, BenchError) as error:
        raise LauncherError(str(error)) from error
    finally:
        _progress("")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="berth bench")
    parser.add_argument(
        "name", choices=["exec", "files", "egress", "lifecycle", "runs", "web"], help="what to measure"
    )
    parser.add_argument("--runs", type=_count, default=RUNS, help="commands at each place (%(default)s)")
    parser.add_argument("--quick", dest="runs", action="store_const", const=QUICK, help=f"--runs {QUICK}")
    parser.add_argument("--table", action="store_true", help="a table for docs/performance.md, not JSON")
    parser.add_argument("--profile", action="store_true", help="show where the time of the whole path goes")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number of runs: {text}")
    return int(text)


async def _measure(stack: LocalStack, options: argparse.Namespace) -> None:
    async with standing(stack) as rig:
        await _shown(_rows(rig, options.name, options.runs), options)


async def _shown(rows: AsyncIterator[Row], options: argparse.Namespace) -> None:
    if options.table:
        say(HEAD)
    async for row in rows:
        _progress("")
        say(as_table(row) if options.table else row.as_json())


def _rows(rig: Rig, name: str, runs: int) -> AsyncIterator[Row]:
    if name == "files":
        return bench_files(rig, runs, _progress)
    if name == "lifecycle":
        return bench_lifecycle(rig, Size.of(runs), _progress)
    return bench(rig, Effort.of(runs), _progress)


def _fetch(cleanup: ExitStack, folder: Path, options: argparse.Namespace) -> None:
    origin = cleanup.enter_context(egress.served("origin", folder))
    proxy = cleanup.enter_context(egress.served("proxy", folder))
    made = LocalStack(folder / "berth", image_root=image_root(), outside=origin)
    stack = cleanup.enter_context(made)
    cleanup.callback(clean_up_in_peace)

    _progress("fetching")
    asyncio.run(_shown(egress.bench(stack, origin, proxy, options.runs, DOWNLOAD_BYTES), options))


async def _profile(stack: LocalStack, runs: int) -> None:
    async with standing(stack) as rig:
        _progress("profiling")
        stages, figures = await profile(rig.whole, rig.computerd, runs)
        _progress("")
        say(table(stages, figures))


def _warn_if_busy(load: float) -> None:
    if load > BUSY * (os.cpu_count() or 1):
        sys.stderr.write(f"berth: this machine is busy (load {load:.1f}), and the figures will be too high\n")


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
