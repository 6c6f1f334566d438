"""Logs as JSON, one object a line: when, how bad, which part, our own sentence, and which request and run.

`what` is always a sentence that stands in the sources; what is put into it passes `words.py`. So a log line
has no content whatever a caller gives it. Of a library's lines only the name is told: their texts are not
ours.
"""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from telemetry import trace
from telemetry.words import stack, told, word

OURS = ("api.", "contracts.", "durable_objects.", "egress.", "telemetry.", "entry", "api")
FIELDS = "fields"

Write = Callable[[str, str], None]
"""(level, line)"""


class JsonLines(logging.Handler):
    def __init__(self, write: Write) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        self._write(record.levelname.lower(), json.dumps(line(record), separators=(",", ":")))


def line(record: logging.LogRecord) -> dict[str, Any]:
    """A record as the object of its line."""
    fields: dict[str, Any] = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "part": record.name,
        "what": _sentence(record) if record.name.startswith(OURS) else "a library has something to say",
    }
    if now := trace.current():
        fields["request_id"] = now.request_id
        if now.run_id:
            fields["run_id"] = now.run_id
    given = getattr(record, FIELDS, {})
    fields |= {name: word(value) for name, value in given.items()}
    if record.exc_info and (error := record.exc_info[1]):
        fields |= {"error": told(error), "stack": stack(error)}
    return fields


def _sentence(record: logging.LogRecord) -> str:
    arguments = record.args if isinstance(record.args, tuple) else ()
    try:
        return str(record.msg) % tuple(
            _Word(word(one)) if isinstance(one, str) else _shown(one) for one in arguments
        )
    except (TypeError, ValueError):
        return str(record.msg)


class _Word(str):
    """What `%r` shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _shown(value: object) -> object:
    safe = word(value)
    return _Word(safe) if isinstance(safe, str) else safe


def install(write: Write) -> None:
    """Every logger's lines go there from now on, from `info` up."""
    root = logging.getLogger()
    root.handlers[:] = [JsonLines(write)]
    root.setLevel(logging.INFO)
    # Its notes of every step are no news, and are built from what is being worked on.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
