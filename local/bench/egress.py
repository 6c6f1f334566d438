"""`./berth bench egress`: what a computer fetches, through the whole path, straight, and by a plain proxy.

The same client fetches from the same origin on loopback: in a computer through engine, workerd, egress Worker
and BotComputer, with TLS; on the host straight, and on the host through a forward proxy, both without.
"""

import asyncio
import base64
import itertools
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from local.bench.errors import BenchError
from local.bench.places import Whole
from local.bench.rig import open_lane
from local.bench.rows import Row, significant
from local.bench.series import p95
from local.bundle import ROOT
from local.child import Child, ChildError
from local.client import Berth
from local.stack import LocalStack

# A read that the policy opens to every bot; nothing goes there, as all that leaves goes to the origin.
OPEN_URL = "https://api.kraken.com/0/public/Time"
PROXY = "127.0.0.1:3128"
START_SECONDS = 30.0
FETCHER = ROOT / "local/bench/fetcher.py"
BENCH = "egress"
MB = 1_000_000


@dataclass(frozen=True)
class Figures:
    times_ms: list[float]
    requests_per_second: float
    download: float
    downloads_4: float


@contextmanager
def served(role: str, folder: Path, script: str = "origin.py") -> Iterator[str]:
    """Start the origin, the proxy or another of the benchmark's servers; gives its `host:port`."""
    command = [sys.executable, str(ROOT / "local/bench" / script), role]
    child = Child(f"the {role} of the benchmark", command, log=folder / f"{role}.log")
    try:
        yield f"127.0.0.1:{child.next_line(time.monotonic() + START_SECONDS)}"
    except ChildError as error:
        raise BenchError(str(error)) from error
    finally:
        child.stop()


async def bench(stack: LocalStack, origin: str, proxy: str, runs: int, size: int) -> AsyncIterator[Row]:
    """Rows of every metric at the whole path and the proxy, with the direct client as their floor."""
    arguments = [str(runs), str(size)]
    direct = await _here([f"http://{origin}/", "-", *arguments])
    plain = await _here([f"http://{origin}/", proxy, *arguments])
    whole = await _in_computer(stack, [OPEN_URL, PROXY, *arguments])
    for place, found in (("proxy", plain), ("whole", whole)):
        for row in rows(place, found, direct):
            yield row


def rows(place: str, found: Figures, floor: Figures) -> Iterator[Row]:
    for name, of in (("request_p50", statistics.median), ("request_p95", p95)):
        yield _row(f"{place}.{name}", of(found.times_ms), "ms", of(floor.times_ms))
    for name, unit in (("requests_per_second", "1/s"), ("download", "MB/s"), ("downloads_4", "MB/s")):
        yield _row(f"{place}.{name}", getattr(found, name), unit, getattr(floor, name))


def _row(metric: str, value: float, unit: str, floor: float) -> Row:
    ratio = significant(value / floor)
    return Row(metric, significant(value), unit, significant(floor), ratio, bench=BENCH)


async def _here(arguments: list[str]) -> Figures:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(FETCHER), *arguments, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise BenchError(f"the fetching client ended with {process.returncode}")
    return _figures(out.decode())


async def _in_computer(stack: LocalStack, arguments: list[str]) -> Figures:
    script = base64.b64encode(FETCHER.read_bytes()).decode()
    command = f"$ echo {script} | base64 -d > fetcher.py; python3 fetcher.py {' '.join(arguments)}"
    numbers = itertools.count()
    async with AsyncExitStack() as cleanup:
        session = await cleanup.enter_async_context(aiohttp.ClientSession(stack.url, headers=stack.headers))
        berth = Berth(session)
        lane = await open_lane(berth, cleanup)
        whole = Whole(berth, [lane], lambda: f"bench-message-{next(numbers)}")
        _, _, events = await whole.converse(command)
    for event in events:
        if event.type == "tool.finished":
            output = event.data["command"]["output"]
            if not event.data["ok"]:
                raise BenchError(f"fetching in the computer failed: {output[-500:]}")
            return _figures(output)
    raise BenchError("the computer's command did not end")


def _figures(output: str) -> Figures:
    try:
        return Figures(**json.loads(output))
    except (ValueError, TypeError) as error:
        raise BenchError(f"the fetching client said: {output[-500:]}") from error
