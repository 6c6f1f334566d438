"""A result as one line, JSON or a table's, beside the floor of the same run and the best peer."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from local.bench.peers import best
from local.bench.series import Samples, Statistic

BENCH = "exec"


@dataclass(frozen=True)
class Row:
    """`ratio` is value divided by floor: of a time under 1 is better, of a throughput over 1."""

    metric: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    peer: str | None = None
    peer_value: float | None = None
    bench: str = BENCH

    def as_json(self) -> str:
        fields = {"bench": self.bench, **asdict(self)}
        always = ("bench", "metric", "value", "unit", "floor", "ratio")
        return json.dumps({name: v for name, v in fields.items() if name in always or v is not None})


HEAD = """\
| metric | Berth | floor | ratio | best peer |
| --- | --- | --- | --- | --- |"""


def as_table(row: Row) -> str:
    """The same as a line of the table in docs/performance.md, below `HEAD`."""
    floor = "" if row.floor is None else f"{row.floor:g}"
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    peer = "" if row.peer is None else f"{row.peer_value:g} ({row.peer})"
    return f"| `{row.metric}` | {row.value:g} {row.unit} | {floor} | {ratio} | {peer} |"


def row(place: str, statistic: Statistic, value: float, floor: float | None) -> Row:
    peer = best(statistic.name, more_is_better=statistic.more_is_better)
    return Row(
        metric=f"{place}.{statistic.name}",
        value=significant(value),
        unit=statistic.unit,
        floor=None if floor is None else significant(floor),
        ratio=None if not floor else significant(value / floor),
        peer=peer[0] if peer else None,
        peer_value=peer[1] if peer else None,
    )


def rows(statistics: tuple[Statistic, ...], samples: Mapping[str, Samples], floor: str) -> Iterator[Row]:
    """One row for every statistic and place but the floor itself."""
    for statistic in statistics:
        least = statistic.of(samples[floor])
        for place in samples:
            if place != floor:
                yield row(place, statistic, statistic.of(samples[place]), least)


def significant(value: float) -> float:
    """Four digits: more would pretend to a precision that no machine has."""
    return float(f"{value:.4g}")
