"""Stages of a command's life, told by the client's clock and by Berth's."""

from typing import Any

from local.bench.stages import ACCEPTED, Moment, Stage, moments, stages, table
from local.client import Event


def event(kind: str, arrived: float, at_ms: int | None, **data: Any) -> Event:
    return Event(kind, data, None if at_ms is None else 1, at_ms, arrived)


def test_moments_count_from_sending() -> None:
    events = [
        event("message.created", 10.002, 5_000),
        event("run.status", 10.003, 5_001, state="running"),
        event("tool.output", 10.004, None),
        event("tool.finished", 10.008, 5_007),
    ]
    found = [(m.stage, round(m.arrived, 3), m.by_berth) for m in moments(10.0, 10.005, events)]
    assert found == [
        (ACCEPTED, 5.0, None),
        ("message.created", 2.0, 0.0),
        ("run.status running", 3.0, 1.0),
        ("tool.finished", 8.0, 7.0),
    ]


def test_stages_are_medians_in_order_of_arrival() -> None:
    found = [
        Moment("end", 9.0, 8.0),
        Moment("begin", 2.0, 0.0),
        Moment("end", 7.0, 7.0),
        Moment("begin", 4.0, 1.0),
        Moment(ACCEPTED, 5.0, None),
    ]
    assert stages(found) == [
        Stage("begin", 3.0, 3.0, 0.5),
        Stage(ACCEPTED, 5.0, 2.0, None),
        Stage("end", 8.0, 3.0, 7.5),
    ]


def test_table_has_a_line_a_stage_and_the_figures_below() -> None:
    text = table([Stage("begin", 3.0, 3.0, 0.5), Stage(ACCEPTED, 5.0, 2.0, None)], {"exec": 4.25})
    head, first, second, empty, figure = text.splitlines()
    assert head.split()[0] == "stage"
    assert first.split() == ["begin", "3.00", "ms", "3.00", "ms", "0.5", "ms"]
    assert second.endswith("2.00 ms  " + " " * 11)
    assert (empty, figure) == ("", "exec: 4.25 ms")
