"""What is measured of commands, and how: one after the other, warm, the places taking turns.

A series takes samples at a place, a block of them each round, so that whatever else the machine does falls on
all places alike. A metric is a statistic of a series' samples.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from local.bench.errors import BenchError
from local.bench.places import Place

AT_ONCE = 4
OUTPUT = 10_000_000
MILLISECONDS = 1_000.0

Samples = list[float]
Take = Callable[[Place, int], Awaitable[Samples]]
"""Take about so many samples at a place."""


@dataclass(frozen=True)
class Statistic:
    """`name` is that of the metric."""

    name: str
    unit: str
    of: Callable[[Sequence[float]], float]
    more_is_better: bool = False


@dataclass(frozen=True)
class Series:
    """`share` of the wanted runs is enough where one sample takes long."""

    name: str
    take: Take
    share: float
    statistics: tuple[Statistic, ...]


def p95(samples: Sequence[float]) -> float:
    """The 95th percentile, between two samples where it falls between them."""
    if len(samples) == 1:
        return samples[0]
    return statistics.quantiles(samples, n=20, method="inclusive")[-1]


async def times(place: Place, command: str, runs: int) -> Samples:
    return [(await place.run(command)).last * MILLISECONDS for _ in range(runs)]


async def true(place: Place, runs: int) -> Samples:
    return await times(place, "true", runs)


async def echo(place: Place, runs: int) -> Samples:
    return await times(place, "echo hello", runs)


async def first_byte(place: Place, runs: int) -> Samples:
    found = [(await place.run("echo a; sleep 0.3; echo b")).first for _ in range(runs)]
    if None in found:
        raise BenchError(f"No output arrived while the command ran, at {place.name}.")
    return [first * MILLISECONDS for first in found if first is not None]


async def output(place: Place, runs: int) -> Samples:
    """MB a second, to the end of the command; every byte must have been counted."""
    found = []
    for _ in range(runs):
        timing = await place.run(f"yes 0123456789abcdef0123456789abcde | head -c {OUTPUT}")
        if timing.characters != OUTPUT:
            raise BenchError(f"{place.name} lost output: {timing.characters} of {OUTPUT} bytes arrived.")
        found.append(OUTPUT / 1e6 / timing.last)
    return found


async def four_sleeps(place: Place, runs: int) -> Samples:
    found = []
    for _ in range(runs):
        timings = await asyncio.gather(*(place.run("sleep 0.2") for _ in range(AT_ONCE)))
        found.append(max(timing.last for timing in timings) * MILLISECONDS)
    return found


async def true_per_second(place: Place, runs: int) -> Samples:
    """One rate from all the runs, with a few always under way."""
    each = max(1, runs // AT_ONCE)
    started = time.perf_counter()
    await asyncio.gather(*(times(place, "true", each) for _ in range(AT_ONCE)))
    return [each * AT_ONCE / (time.perf_counter() - started)]


SERIES = (
    Series(
        "true",
        true,
        1.0,
        (Statistic("true_p50", "ms", statistics.median), Statistic("true_p95", "ms", p95)),
    ),
    Series(
        "echo",
        echo,
        1.0,
        (Statistic("echo_p50", "ms", statistics.median), Statistic("echo_p95", "ms", p95)),
    ),
    Series("first_byte", first_byte, 0.1, (Statistic("first_byte", "ms", statistics.median),)),
    Series(
        "output_10mb",
        output,
        0.1,
        (Statistic("output_10mb", "MB/s", statistics.median, more_is_better=True),),
    ),
    Series("four_sleeps", four_sleeps, 0.1, (Statistic("four_sleeps", "ms", statistics.median),)),
    Series(
        "true_per_second",
        true_per_second,
        1.0,
        (Statistic("true_per_second", "1/s", statistics.median, more_is_better=True),),
    ),
)


async def measure(
    series: Series, places: Sequence[Place], *, runs: int, rounds: int
) -> Mapping[str, Samples]:
    """Return the samples of every place by its name; who begins changes from round to round."""
    block = max(1, round(runs * series.share / rounds))
    found: dict[str, Samples] = {place.name: [] for place in places}
    for number in range(rounds):
        turn = number % len(places)
        for place in (*places[turn:], *places[:turn]):
            found[place.name] += await series.take(place, block)
    return found
