"""Spans and sums of counters as OTLP in JSON, as OpenTelemetry has it for `/v1/traces` and `/v1/metrics`."""

from collections.abc import Mapping
from typing import Any

from telemetry.counters import COUNTERS, Point
from telemetry.spans import Span

KINDS = {"internal": 1, "server": 2, "client": 3}
DELTA = 1
OK, ERROR = 0, 2


def _attributes(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in fields.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}


def traces(spans: list[Span], resource: Mapping[str, str]) -> dict[str, Any]:
    scope = {"scope": {"name": "berth"}, "spans": [_span(span) for span in spans]}
    return {"resourceSpans": [{"resource": {"attributes": _attributes(resource)}, "scopeSpans": [scope]}]}


def _span(span: Span) -> dict[str, Any]:
    parent = {} if int(span.parent_id, 16) == 0 else {"parentSpanId": span.parent_id}
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        **parent,
        "name": span.name,
        "kind": KINDS[span.kind],
        "startTimeUnixNano": str(span.begin_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _attributes(span.attributes),
        "status": {"code": ERROR, "message": span.error} if span.error else {"code": OK},
    }


def metrics(points: list[Point], begin_ns: int, end_ns: int, resource: Mapping[str, str]) -> dict[str, Any]:
    """Points of the same counter and labels as one sum, of the time since the last ones were sent."""
    sums: dict[tuple[str, tuple[str, ...]], float] = {}
    for point in points:
        key = (point.name, point.labels)
        sums[key] = sums.get(key, 0) + point.value
    times = {"startTimeUnixNano": str(begin_ns), "timeUnixNano": str(end_ns)}
    by_name: dict[str, list[dict[str, Any]]] = {}
    for (name, labels), value in sums.items():
        told = _attributes({label: text for label, text in zip(COUNTERS[name], labels, strict=True) if text})
        by_name.setdefault(name, []).append({"attributes": told, "asDouble": value, **times})
    made = [
        {
            "name": f"berth.{name}",
            "sum": {"dataPoints": data, "aggregationTemporality": DELTA, "isMonotonic": True},
        }
        for name, data in by_name.items()
    ]
    scope = {"scope": {"name": "berth"}, "metrics": made}
    return {"resourceMetrics": [{"resource": {"attributes": _attributes(resource)}, "scopeMetrics": [scope]}]}
