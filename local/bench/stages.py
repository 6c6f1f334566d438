"""Where the time of the whole path goes: when each event of a command's life reached the client.

Stages are told by the client's own clock; Berth's clock stands beside them, in whole milliseconds only, so
its column is a mean. `exec` is what computerd itself says that the command took.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from local.bench.places import Computerd, Whole
from local.bench.series import MILLISECONDS, true
from local.client import Event

ACCEPTED = "POST accepted"
EXEC = "exec, as computerd measured it"
COMPUTERD = "the same command, computerd asked straight"


@dataclass(frozen=True)
class Moment:
    """One stage of one command: milliseconds since it was sent, and since then on Berth's clock."""

    stage: str
    arrived: float
    by_berth: float | None


@dataclass(frozen=True)
class Stage:
    name: str
    arrived: float
    step: float
    by_berth: float | None


def moments(started: float, accepted: float, events: Sequence[Event]) -> Iterator[Moment]:
    first = next(event.at_ms for event in events if event.at_ms is not None)
    yield Moment(ACCEPTED, (accepted - started) * MILLISECONDS, None)
    for event in events:
        if event.seq is not None and event.at_ms is not None:
            arrived = (event.arrived - started) * MILLISECONDS
            yield Moment(stage_of(event), arrived, float(event.at_ms - first))


def stage_of(event: Event) -> str:
    match event.type:
        case "run.status" | "computer.status":
            return f"{event.type} {event.data['state']}"
    return event.type


def stages(found: Sequence[Moment]) -> list[Stage]:
    """Medians of many commands, in order of arrival, with the step from one to the next."""
    arrivals: dict[str, list[float]] = {}
    clocks: dict[str, list[float]] = {}
    for moment in found:
        arrivals.setdefault(moment.stage, []).append(moment.arrived)
        if moment.by_berth is not None:
            clocks.setdefault(moment.stage, []).append(moment.by_berth)
    medians = sorted((statistics.median(values), name) for name, values in arrivals.items())
    before = 0.0
    result = []
    for arrived, name in medians:
        mean = statistics.mean(clocks[name]) if name in clocks else None
        result.append(Stage(name, arrived, arrived - before, mean))
        before = arrived
    return result


async def profile(whole: Whole, computerd: Computerd, runs: int) -> tuple[list[Stage], Mapping[str, float]]:
    """Return the stages of `true`, and two figures to compare them with."""
    found: list[Moment] = []
    inside: list[float] = []
    straight: list[float] = []
    for _ in range(runs):
        sent, accepted, events = await whole.converse("$ true")
        found += moments(sent, accepted, events)
        inside += [event.data["command"]["duration_ms"] for event in events if event.type == "tool.finished"]
        straight += await true(computerd, 1)
    figures = {EXEC: statistics.mean(inside), COMPUTERD: statistics.median(straight)}
    return stages(found), figures


def table(found: Sequence[Stage], figures: Mapping[str, float]) -> str:
    width = max(len(stage.name) for stage in found)
    lines = [f"{'stage':<{width}}  {'since sent':>10}  {'step':>8}  {'Berth clock':>11}"]
    for stage in found:
        clock = "" if stage.by_berth is None else f"{stage.by_berth:.1f} ms"
        lines.append(f"{stage.name:<{width}}  {stage.arrived:>7.2f} ms  {stage.step:>5.2f} ms  {clock:>11}")
    return "\n".join([*lines, "", *(f"{name}: {value:.2f} ms" for name, value in figures.items())])
