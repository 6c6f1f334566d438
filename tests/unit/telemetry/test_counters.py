"""Counters on their way out: what does not take them fails nothing else."""

import pytest

from telemetry.counters import Point, hand_on

POINTS = [Point("spans_lost", (), value) for value in (1, 2, 3)]


def test_each_is_handed_on_in_its_order() -> None:
    taken: list[Point] = []
    hand_on(POINTS, taken.append)
    assert taken == POINTS


def test_a_dataset_that_raises_loses_counters_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    taken: list[Point] = []

    def full(point: Point) -> None:
        if taken:
            raise RuntimeError("limit of data points exceeded")
        taken.append(point)

    hand_on(POINTS, full)
    assert taken == POINTS[:1]
    assert "counters are lost" in caplog.text
