"""A row is one line of JSON, with the floor of its own run and the best peer."""

import json
import statistics
from dataclasses import fields

import pytest

from local.bench.peers import PEERS, Peer, best
from local.bench.rows import HEAD, Row, as_table, rows, significant
from local.bench.series import SERIES, Statistic

TRUE = Statistic("true_p50", "ms", statistics.median)


def test_every_place_but_the_floor_has_a_row_with_its_ratio() -> None:
    samples = {"floor": [2.0, 4.0, 3.0], "computerd": [3.3, 3.3], "whole": [6.0]}
    found = [json.loads(row.as_json()) for row in rows((TRUE,), samples, "floor")]
    assert found[0] == {
        "bench": "exec",
        "metric": "computerd.true_p50",
        "value": 3.3,
        "unit": "ms",
        "floor": 3.0,
        "ratio": 1.1,
        "peer": "sandbox-agent",
        "peer_value": 3.5,
    }
    assert [row["metric"] for row in found] == ["computerd.true_p50", "whole.true_p50"]
    assert found[1]["ratio"] == 2.0


def test_table_has_the_same_figures() -> None:
    samples = {"floor": [3.0], "whole": [7.512345]}
    (found,) = rows((TRUE,), samples, "floor")
    assert as_table(found) == "| `whole.true_p50` | 7.512 ms | 3 | 2.50 | 3.5 (sandbox-agent) |"
    assert as_table(Row("x", 52.0, "MiB")) == "| `x` | 52 MiB |  |  |  |"
    assert HEAD.count("|") == 12


def test_figure_without_floor_and_peer_says_so() -> None:
    assert json.loads(Row("worker.python_heap", 52.0, "MiB").as_json()) == {
        "bench": "exec",
        "metric": "worker.python_heap",
        "value": 52.0,
        "unit": "MiB",
        "floor": None,
        "ratio": None,
    }


@pytest.mark.parametrize(
    ("metric", "more", "peer"),
    [
        ("true_p50", False, ("sandbox-agent", 3.5)),
        ("first_byte", False, ("openssh", 6.15)),
        ("output_10mb", True, ("openssh", 240)),
        ("true_per_second", True, ("sandbox-agent", 546)),
        ("no_such_metric", False, None),
    ],
)
def test_best_peer_is_the_one_to_beat(metric: str, more: bool, peer: tuple[str, float] | None) -> None:
    assert best(metric, more_is_better=more) == peer


def test_every_metric_of_the_series_has_peers() -> None:
    metrics = {statistic.name for series in SERIES for statistic in series.statistics}
    assert metrics <= {field.name for field in fields(Peer)}
    assert all(peer.true_p50 <= peer.true_p95 and peer.echo_p50 <= peer.echo_p95 for peer in PEERS)


@pytest.mark.parametrize(("value", "shown"), [(3.14159, 3.142), (12345.6, 12350.0), (0.00123456, 0.001235)])
def test_digits_that_no_machine_has_are_left_out(value: float, shown: float) -> None:
    assert significant(value) == shown
