"""Spans: which piece of work took how long, and within which other.

They are kept only where somebody wants them. A span's name and attributes pass `words.py`. Of what waits to
be sent there are at most `KEPT`; what comes then is counted and lost, and nobody waits for it.
"""

import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from telemetry import trace
from telemetry.words import told, words

KEPT = 512
Kind = Literal["internal", "server", "client"]


@dataclass
class Span:
    name: str
    kind: Kind
    trace_id: str
    span_id: str
    parent_id: str
    begin_ns: int
    attributes: dict[str, Any]
    end_ns: int = 0
    error: str = ""


@dataclass
class Waiting:
    """What waits to be sent, of this whole process."""

    wanted: bool = False
    spans: deque[Span] = field(default_factory=deque)
    lost: int = 0

    def add(self, span: Span) -> None:
        if len(self.spans) < KEPT:
            self.spans.append(span)
        else:
            self.lost += 1

    def take(self, most: int) -> list[Span]:
        return [self.spans.popleft() for _ in range(min(most, len(self.spans)))]


waiting = Waiting()


@contextmanager
def span(name: str, kind: Kind = "internal", **attributes: object) -> Iterator[dict[str, Any]]:
    """Time the work inside. What is put into the dict before its end are further attributes."""
    now = trace.current() or trace.begun()
    if not waiting.wanted:
        with trace.within(now):
            yield {}
        return
    made = Span(name, kind, now.request_id, os.urandom(8).hex(), now.span_id, time.time_ns(), {})
    more: dict[str, Any] = {}
    try:
        with trace.within(replace(now, span_id=made.span_id)):
            yield more
    except BaseException as error:
        made.error = told(error)
        raise
    finally:
        made.end_ns = time.time_ns()
        run = {"run_id": now.run_id} if now.run_id else {}
        made.attributes = words({**attributes, **run, **more})
        waiting.add(made)
