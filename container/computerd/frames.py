"""The lines that a client of a command reads: newline-delimited JSON, one frame a line.

Offsets are byte offsets in the command's output, which is its log up to the log's limit.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import Literal, NamedTuple

Stream = Literal["stdout", "stderr", "log"]

HEARTBEAT = b'{"type":"heartbeat"}\n'


class Exit(NamedTuple):
    """How a command ended; docs/computer.md explains each field."""

    exit_code: int | None
    signal: int | None
    timed_out: bool
    stopped: bool
    oom: bool
    workspace_full: bool
    leftovers: int
    duration_ms: int
    output_bytes: int
    log_path: str
    log_bytes: int
    log_capped: bool
    log_note: str | None


def document(value: object) -> bytes:
    """A JSON value as UTF-8. Half of a surrogate pair, as odd file names have, is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def started(identifier: str, started_at_ms: int) -> bytes:
    return document({"type": "started", "id": identifier, "started_at_ms": started_at_ms}) + b"\n"


def output(stream: Stream, offset: int, data: bytes) -> bytes:
    # Six times as fast here as the encoder that leaves other characters as they are.
    text = encode_basestring_ascii(data.decode("utf-8", "replace")).encode("ascii")
    return b'{"type":"output","stream":"%s","offset":%d,"end":%d,"text":%s}\n' % (
        stream.encode(),
        offset,
        offset + len(data),
        text,
    )


def gap(offset: int, end: int) -> bytes:
    """Says that output is left out, as it was not kept or not wanted: nothing is missing without a word."""
    left_out = end - offset
    text = f"\n[berth: {left_out:,} bytes of output were left out here]\n"
    frame = {"type": "output", "stream": "log", "offset": offset, "end": end, "text": text}
    return document({**frame, "left_out": left_out}) + b"\n"


def exited(result: Exit) -> bytes:
    return document({"type": "exited", **result._asdict()}) + b"\n"
