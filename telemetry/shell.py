"""The border to the platform: lines to its console, counters to Analytics Engine, and all to a collector.

`BERTH_OTLP_URL` names a collector that speaks OTLP over HTTP (`/v1/traces` and `/v1/metrics` are put behind
it), the secret `BERTH_OTLP_HEADER` is what it knows us by, as `Name: value`. The binding `METRICS` is a
dataset of Workers Analytics Engine. All are optional. Nothing waits for any of them: what waits to be sent
is bounded and sending has a time limit. Spans that nobody took are lost and counted; sums go with the next.
"""

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from telemetry import logs, spans
from telemetry.counters import Point, count, hand_on, take
from telemetry.otlp import metrics, traces
from telemetry.trace import read, within

log = logging.getLogger(__name__)

SEND_MS = 5_000
EVERY_MS = 2_000
SPANS_AT_ONCE = 256
POINTS_KEPT = 2_000
SERVICE = "berth"


def console(level: str, line: str) -> None:
    """A line goes to the console by its level, which is what Cloudflare's logs filter by."""
    write = {"error": js.console.error, "critical": js.console.error, "warning": js.console.warn}
    write.get(level, js.console.log)(line)


logs.install(console)


class _Sending:
    """Of this whole process: when something was sent last, and what nobody has taken yet, since when.

    A send that dies with its event holds up nobody.
    """

    last_ms = 0
    since_ms = 0
    points: list[Point] = []  # noqa: RUF012 - there is one


@contextmanager
def event(
    env: Any, ctx: Any, name: str, kind: spans.Kind = "server", carried: str = "", **attributes: object
) -> Iterator[dict[str, Any]]:
    """One event that the platform hands to us: a request, a call of an object, an alarm.

    `carried` is what the part that calls sent along. What is put into the dict are attributes of its span.
    """
    spans.waiting.wanted = bool(_setting(env, "BERTH_OTLP_URL"))
    try:
        with within(read(carried)), spans.span(name, kind, **attributes) as more:
            yield more
    finally:
        told(env, ctx)


def told(env: Any, ctx: Any) -> None:
    """At the end of an event: hand on what waits, without anybody waiting for it.

    `env` and `ctx` are JavaScript's.
    """
    address = _setting(env, "BERTH_OTLP_URL")
    points = take()
    _write(env, points)
    if not address:
        return
    _Sending.points = (_Sending.points + points)[-POINTS_KEPT:]
    now, due = time.time_ns() // 1_000_000, _Sending.last_ms + EVERY_MS
    if now < due and len(spans.waiting.spans) < SPANS_AT_ONCE:
        return
    since, _Sending.since_ms, _Sending.last_ms = _Sending.since_ms or now, now, now
    points, _Sending.points = _Sending.points, []
    ctx.waitUntil(
        asyncio.ensure_future(_send(address, _setting(env, "BERTH_OTLP_HEADER"), points, since, now))
    )


def _write(env: Any, points: list[Point]) -> None:
    dataset = getattr(env, "METRICS", None)
    if dataset is None or not hasattr(dataset, "writeDataPoint"):
        return

    def write(point: Point) -> None:
        fields = {"indexes": [point.name], "blobs": list(point.labels), "doubles": [point.value]}
        dataset.writeDataPoint(to_js(fields, dict_converter=js.Object.fromEntries))

    hand_on(points, write)


async def _send(address: str, header: str, points: list[Point], since_ms: int, now_ms: int) -> None:
    about = {"service.name": SERVICE}
    wanted, lost = spans.waiting.take(SPANS_AT_ONCE), spans.waiting.lost
    spans.waiting.lost = 0
    sums = metrics(points, since_ms * 1_000_000, now_ms * 1_000_000, about) if points else None
    # Beside each other, so that a collector that says nothing costs its time limit once.
    summed, traced = await asyncio.gather(
        _post(f"{address.rstrip('/')}/v1/metrics", header, sums),
        _post(f"{address.rstrip('/')}/v1/traces", header, traces(wanted, about) if wanted else None),
    )
    if not summed:
        _Sending.points = (points + _Sending.points)[-POINTS_KEPT:]
        _Sending.since_ms = min(_Sending.since_ms, since_ms)
    if not traced:
        lost += len(wanted)
    if lost:
        count("spans_lost", lost)


async def _post(url: str, header: str, body: dict[str, Any] | None) -> bool:
    """Whether it was taken, or there is nothing to take."""
    if body is None:
        return True
    name, _, value = header.partition(":")
    headers = {"content-type": "application/json", **({name.strip(): value.strip()} if value else {})}
    options = {"method": "POST", "headers": headers, "body": json.dumps(body), "redirect": "manual"}
    try:
        signal = js.AbortSignal.timeout(SEND_MS)
        answer = await js.fetch(
            url, to_js({**options, "signal": signal}, dict_converter=js.Object.fromEntries)
        )
        # Nothing in it is of interest, and a body that is not read keeps its connection.
        if answer.body:
            await answer.body.cancel()
        taken = bool(answer.ok)
    except JsException as error:
        log.warning("spans and counters could not be sent: %s", error)
        return False
    if not taken:
        log.warning("spans and counters were refused with the status %d", int(answer.status))
    return taken


def _setting(env: Any, name: str) -> str:
    value = getattr(env, name, None)
    return value if isinstance(value, str) else ""
