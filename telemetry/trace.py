"""Which request and which run a piece of work belongs to: it goes along with every call from part to part.

The id of a request is 32 hexadecimal digits, and it is also the id of its trace. Between objects it crosses
as one text, a W3C `traceparent` with the run behind it: `00-<request>-<span>-01;<run>`. What comes from
outside is never taken: a request begins at the Worker.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

TRACE_HEADER = "berth-trace"
CARRIED = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-01;([A-Za-z0-9_]{0,64})")


@dataclass(frozen=True)
class Trace:
    request_id: str
    span_id: str
    """Of the span that is open now; sixteen zeros before the first."""
    run_id: str = ""

    def as_text(self) -> str:
        return f"00-{self.request_id}-{self.span_id}-01;{self.run_id}"


NO_SPAN = "0" * 16
_now: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current() -> Trace | None:
    return _now.get()


def carried() -> str:
    """What a call to another part takes along."""
    trace = _now.get() or begun()
    return trace.as_text()


def begun() -> Trace:
    return Trace(os.urandom(16).hex(), NO_SPAN)


def read(text: str) -> Trace:
    """What another part sent along; where that is nothing, work begins here."""
    found = CARRIED.fullmatch(text)
    return Trace(*found.groups()) if found else begun()


@contextmanager
def within(trace: Trace) -> Iterator[Trace]:
    token = _now.set(trace)
    try:
        yield trace
    finally:
        _now.reset(token)


def of_run(run_id: str) -> Trace:
    """The present trace, which from here on is a run's; one that another run has set going begins its own."""
    now = _now.get()
    return replace(begun() if now is None or now.run_id not in ("", run_id) else now, run_id=run_id)


_notes: ContextVar[dict[str, object] | None] = ContextVar("notes", default=None)


@contextmanager
def noted() -> Iterator[dict[str, object]]:
    """What is noted inside, wherever, about the piece of work as a whole."""
    notes: dict[str, object] = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def note(**facts: object) -> None:
    if (notes := _notes.get()) is not None:
        notes.update(facts)
