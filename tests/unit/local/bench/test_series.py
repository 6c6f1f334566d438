"""How samples are taken: places take turns, and a wrong result is no measurement."""

import statistics

import pytest

from local.bench.errors import BenchError
from local.bench.places import Timing
from local.bench.series import OUTPUT, SERIES, Series, first_byte, four_sleeps, measure, output, p95, true


class Scripted:
    """A place with known timings, that writes down what it was asked and how much at once."""

    def __init__(self, name: str, timing: Timing, asked: list[str]) -> None:
        self.name = name
        self.timing = timing
        self.asked = asked

    async def run(self, command: str) -> Timing:
        self.asked.append(f"{self.name}:{command}")
        return self.timing


def place(timing: Timing, name: str = "a", asked: list[str] | None = None) -> Scripted:
    return Scripted(name, timing, [] if asked is None else asked)


async def test_places_take_turns_and_each_begins_once() -> None:
    asked: list[str] = []
    places = [place(Timing(None, 0.001 * n, 0), name, asked) for n, name in enumerate("abc", 1)]
    found = await measure(Series("true", true, 1.0, ()), places, runs=6, rounds=3)
    assert found == {"a": [1.0] * 6, "b": [2.0] * 6, "c": [3.0] * 6}
    order = "".join(entry[0] for entry in asked)
    assert order == "aabbcc" + "bbccaa" + "ccaabb"


async def test_series_that_takes_long_needs_fewer_runs() -> None:
    found = await measure(Series("x", true, 0.1, ()), [place(Timing(None, 1, 0))], runs=200, rounds=10)
    assert len(found["a"]) == 20


async def test_four_at_once_count_up_to_the_last() -> None:
    asked: list[str] = []
    assert await four_sleeps(place(Timing(None, 0.25, 0), asked=asked), 1) == [250.0]
    assert asked == ["a:sleep 0.2"] * 4


async def test_output_is_a_rate_of_what_arrived_whole() -> None:
    assert await output(place(Timing(0.1, 0.5, OUTPUT)), 2) == [20.0, 20.0]
    with pytest.raises(BenchError, match="a lost output: 9999999 of 10000000"):
        await output(place(Timing(0.1, 0.5, OUTPUT - 1)), 1)


async def test_place_that_shows_nothing_while_a_command_runs_has_no_first_byte() -> None:
    assert await first_byte(place(Timing(0.004, 0.3, 4)), 1) == [4.0]
    with pytest.raises(BenchError, match="No output arrived"):
        await first_byte(place(Timing(None, 0.3, 4)), 1)


@pytest.mark.parametrize(
    ("samples", "value"),
    [([7.0], 7.0), ([1.0, 2.0], 1.95), ([float(n) for n in range(101)], 95.0), ([5.0] * 30, 5.0)],
)
def test_p95(samples: list[float], value: float) -> None:
    assert p95(samples) == pytest.approx(value)


def test_metrics_have_names_of_their_own() -> None:
    names = [statistic.name for series in SERIES for statistic in series.statistics]
    assert len(names) == len(set(names)) == 8
    assert all(statistic.of([2.0]) == 2.0 for series in SERIES for statistic in series.statistics)
    assert statistics.median is SERIES[0].statistics[0].of
