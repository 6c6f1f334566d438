"""Reading what computerd says about a command: newline-delimited JSON from an untrusted machine.

The computer can send anything. A frame is checked here once and becomes a value; what does not fit
is a `FrameError`, and the command is then treated as cut off.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from contracts.limits import MIB
from durable_objects.bot_computer.output import valid_text
from durable_objects.shared.json_text import loads

FRAME_BYTES_MAX = 2 * MIB
STREAMS = frozenset({"stdout", "stderr", "log"})
Stream = Literal["stdout", "stderr", "log"]


class FrameError(Exception):
    """The computer sent something that is not a frame."""


@dataclass(frozen=True)
class Started:
    pass


@dataclass(frozen=True)
class Heartbeat:
    pass


@dataclass(frozen=True)
class Output:
    stream: Stream
    end: int
    text: str
    left_out: int = 0
    """Bytes that come before `end` and are not in the text, which only says so."""


@dataclass(frozen=True)
class Exited:
    """How a command ended. With neither a code nor a signal it is over, and nobody knows how."""

    exit_code: int | None
    signal: int | None
    timed_out: bool
    stopped: bool
    oom: bool
    workspace_full: bool
    leftovers: int
    duration_ms: int
    output_bytes: int
    log_note: str | None


Frame = Started | Heartbeat | Output | Exited


async def lines(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Split a body into lines; an overlong one is a FrameError, an unfinished last one is dropped."""
    begun: list[bytes] = []
    size = 0
    async with aclosing(body):
        async for chunk in body:
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join((*begun, end))
                begun, size = [], 0
            begun.append(rest)
            size += len(rest)
            if size > FRAME_BYTES_MAX:
                raise FrameError("a frame is too long")


def parse(line: bytes) -> Frame:
    try:
        fields = loads(line)
    except ValueError as error:
        raise FrameError("a frame is not JSON") from error
    if not isinstance(fields, dict):
        raise FrameError("a frame is not an object")
    match fields.get("type"):
        case "output":
            return _output(fields)
        case "heartbeat":
            return Heartbeat()
        case "started":
            return Started()
        case "exited":
            return _exited(fields)
    raise FrameError("a frame is of no known type")


def _output(fields: dict[str, Any]) -> Output:
    stream, text = fields.get("stream"), fields.get("text")
    if stream not in STREAMS or not isinstance(text, str):
        raise FrameError("an output frame is malformed")
    return Output(stream, _count(fields, "end"), valid_text(text), _count(fields, "left_out"))


def _exited(fields: dict[str, Any]) -> Exited:
    exit_code, signal = _small(fields, "exit_code"), _small(fields, "signal")
    timed_out, stopped = fields.get("timed_out") is True, fields.get("stopped") is True
    note = fields.get("log_note")
    return Exited(
        exit_code=exit_code,
        signal=signal,
        timed_out=timed_out,
        stopped=stopped,
        oom=fields.get("oom") is True,
        workspace_full=fields.get("workspace_full") is True,
        leftovers=_count(fields, "leftovers"),
        duration_ms=_count(fields, "duration_ms"),
        output_bytes=_count(fields, "output_bytes"),
        log_note=valid_text(note)[:500] if isinstance(note, str) else None,
    )


def _count(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise FrameError(f"{name} is not a count")
    return value


def _small(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 255:
        raise FrameError(f"{name} is out of range")
    return value
