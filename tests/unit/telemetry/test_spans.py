"""Traces go along with the work, spans hang together, and nothing of them grows without end."""

import asyncio
from collections.abc import Iterator

import pytest

from telemetry import counters, spans, trace
from telemetry.otlp import metrics, traces

MARK = "zanzibar"


@pytest.fixture(autouse=True)
def wanted() -> Iterator[None]:
    spans.waiting.wanted = True
    spans.waiting.spans.clear()
    spans.waiting.lost = 0
    counters.waiting.clear()
    yield
    spans.waiting.wanted = False
    spans.waiting.spans.clear()
    counters.waiting.clear()


def test_what_is_carried_is_taken_up_and_nothing_else() -> None:
    made = trace.Trace("a" * 32, "b" * 16, "run_1")
    assert trace.read(made.as_text()) == made
    for text in ("", MARK, made.as_text() + " ", made.as_text().upper(), f"{made.as_text()} {MARK}"):
        begun = trace.read(text)
        assert begun.request_id != made.request_id
        assert (len(begun.request_id), begun.run_id) == (32, "")


def test_spans_know_what_they_are_part_of() -> None:
    with (
        trace.within(trace.begun()) as request,
        spans.span("request", "server"),
        spans.span("inner", code="ok"),
    ):
        pass
    inner, outer = spans.waiting.spans
    assert (outer.trace_id, outer.parent_id) == (request.request_id, trace.NO_SPAN)
    assert (inner.trace_id, inner.parent_id, inner.attributes) == (
        outer.trace_id,
        outer.span_id,
        {"code": "ok"},
    )
    assert outer.begin_ns <= inner.begin_ns <= inner.end_ns <= outer.end_ns


async def test_a_task_keeps_the_request_it_was_begun_by_and_a_run_its_own() -> None:
    async def other() -> str:
        await asyncio.sleep(0)
        return trace.carried()

    with trace.within(trace.begun()) as request:
        task = asyncio.ensure_future(other())
        run = trace.of_run("run_1")
        with trace.within(run):
            assert trace.of_run("run_1") == run
            assert trace.of_run("run_2").request_id != run.request_id
    with trace.within(trace.begun()):
        assert (await task).startswith(f"00-{request.request_id}-")


def test_a_span_has_no_content() -> None:
    def work() -> None:
        with spans.span("work", what=f"say {MARK}", path=f"/{MARK}") as more:
            more["why"] = f"for {MARK}"
            raise ValueError(MARK)

    with pytest.raises(ValueError, match=MARK):
        work()
    (made,) = spans.waiting.spans
    assert made.attributes == {"what": "?", "path": "?", "why": "?"}
    assert made.error.startswith("ValueError at ")
    assert MARK not in str(traces([made], {"service.name": "berth"}))


def test_where_nobody_wants_spans_there_are_none_but_the_request_is_known() -> None:
    spans.waiting.wanted = False
    with spans.span("work"):
        now = trace.current()
    assert now is not None
    assert not spans.waiting.spans


def test_what_nobody_takes_is_counted_and_lost() -> None:
    for _ in range(spans.KEPT + 3):
        with spans.span("work"):
            pass
    assert (len(spans.waiting.spans), spans.waiting.lost) == (spans.KEPT, 3)
    assert len(spans.waiting.take(10)) == 10
    for _ in range(counters.KEPT + 3):
        counters.count("egress", outcome="allowed")
    assert len(counters.waiting) == counters.KEPT


def test_counters_have_labels_of_the_table_only() -> None:
    counters.count("calls", tool="computer__exec", outcome="ok")
    counters.count("calls", tool=f"say {MARK}", outcome="OK")
    counters.count("requests", route=f"GET /api/bots/{MARK}9", status="2xx")
    counters.count("requests", route="GET /api/bots/{bot_id}", status="200")
    with pytest.raises(ValueError, match="has no label"):
        counters.count("calls", owner="o1")
    with pytest.raises(KeyError):
        counters.count("unheard_of")
    assert [point.labels for point in counters.take()] == [
        ("computer__exec", "ok"),
        ("other", "other"),
        ("other", "2xx", ""),
        ("GET /api/bots/{bot_id}", "other", ""),
    ]
    assert counters.take() == []


def test_points_become_sums_as_collectors_read_them() -> None:
    for code in ("not_found", "not_found", None):
        counters.count("requests", route="none", status="4xx", code=code)
    told = metrics(counters.take(), 5, 9, {"service.name": "berth"})
    (metric,) = told["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
    assert metric["name"] == "berth.requests"
    assert [point["asDouble"] for point in metric["sum"]["dataPoints"]] == [2, 1]
    assert (metric["sum"]["aggregationTemporality"], metric["sum"]["isMonotonic"]) == (1, True)
    assert [one["key"] for one in metric["sum"]["dataPoints"][1]["attributes"]] == ["route", "status"]


def test_spans_become_what_collectors_read() -> None:
    with (
        trace.within(trace.Trace("a" * 32, "b" * 16)),
        spans.span("owner send", "server", ok=True, ms=3, part=0.5),
    ):
        pass
    (made,) = traces(spans.waiting.take(9), {"service.name": "berth"})["resourceSpans"][0]["scopeSpans"][0][
        "spans"
    ]
    assert (made["traceId"], made["parentSpanId"], made["kind"]) == ("a" * 32, "b" * 16, 2)
    assert int(made["endTimeUnixNano"]) >= int(made["startTimeUnixNano"])
    values = {one["key"]: one["value"] for one in made["attributes"]}
    assert values == {"ok": {"boolValue": True}, "ms": {"intValue": "3"}, "part": {"doubleValue": 0.5}}
