"""One command: what it has printed, and what a reader who stands at an offset gets next.

A reader has no queue of its own. It names the offset it has reached; from there on it is served
from memory while it keeps up, and from the log when it has fallen behind. So any number of
readers, slow or dead, cost the command nothing. What neither memory nor log has kept (past
the log's limit) is said as a gap.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING

from . import frames, limits
from .outcome import TAIL_BYTES
from .text import CHARACTER_BYTES, WholeCharacters, character_from, incomplete_tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .command_log import CommandLog
    from .loop import Bell

_CHUNK_COST = 256
"""What a chunk costs in memory besides its bytes."""


class State(Enum):
    STARTING = auto()
    RUNNING = auto()
    FAILED = auto()
    """The shell could not be started; nothing ran."""
    ENDED = auto()


class Cause(Enum):
    """Why computerd ended a command."""

    TIMEOUT = auto()
    STOP = auto()
    PROCESSES = auto()
    SPACE = auto()


class Chunk:
    """Some output as it came, and its frame once somebody has asked for it."""

    __slots__ = ("_frame", "data", "offset", "stream")

    def __init__(self, stream: frames.Stream, offset: int, data: bytes) -> None:
        self.stream = stream
        self.offset = offset
        self.data = data
        self._frame: bytes | None = None

    def frame(self) -> bytes:
        if self._frame is None:
            self._frame = frames.output(self.stream, self.offset, self.data)
        return self._frame


class Command:
    """A command that runs, or ran."""

    def __init__(self, identifier: str, started_at_ms: int, log: CommandLog, bell: Bell) -> None:
        self.identifier = identifier
        self.started_at_ms = started_at_ms
        self.log = log
        self.bell = bell
        """Rings at new output and at every change of state."""
        self.state = State.STARTING
        self.result: frames.Exit | None = None
        self.output_bytes = 0
        self.stderr_tail = b""
        self._followers = 0
        self._recent: deque[Chunk] = deque()
        self._recent_cost = 0
        self._streams: dict[frames.Stream, WholeCharacters] = {
            "stdout": WholeCharacters(),
            "stderr": WholeCharacters(),
        }

    def enter(self, state: State) -> None:
        self.state = state
        self.bell.ring()

    def finish(self, result: frames.Exit) -> None:
        self.result = result
        self.log.close()
        self._let_go()
        self.enter(State.ENDED)

    def join(self) -> None:
        """A reader follows from now on; `leave` when it goes."""
        self._followers += 1

    def leave(self) -> None:
        self._followers -= 1
        self._let_go()

    def _let_go(self) -> None:
        """Keep in memory only what somebody still follows: the log does not know stdout from stderr."""
        if self.result is not None and not self._followers and self.log.kept == self.output_bytes:
            self._recent.clear()
            self._recent_cost = 0

    def absorb(self, stream: frames.Stream, data: bytes) -> None:
        """Take what a pipe delivered."""
        if stream == "stderr":
            self.stderr_tail = (self.stderr_tail + data)[-TAIL_BYTES:]
        self._keep(stream, self._streams[stream].feed(data))

    def flush(self) -> None:
        """Both streams have ended; what they held back will not become whole."""
        for stream, characters in self._streams.items():
            self._keep(stream, characters.flush())

    def say(self, text: str) -> None:
        """A word of computerd's own, in the log and to all readers."""
        self._keep("log", f"\n[berth: {text}]\n".encode())

    def tail_from(self, offset: int, size: int) -> int:
        """Where a reader goes on who has everything up to `offset` and wants at most the last `size` bytes.

        Never in the middle of a character.
        """
        start = self.output_bytes - size
        if start <= offset:
            return offset
        if size == 0:
            return self.output_bytes
        first = self._recent[0].offset if self._recent else self.output_bytes
        if start >= first:
            chunk = next(self._chunks_from(start))
            return start + character_from(chunk.data, start - chunk.offset)
        data = self.log.read(start, CHARACTER_BYTES)
        return start + character_from(data, 0) if data else first

    def since(self, offset: int) -> tuple[bytes, int]:
        """The next frames for a reader who has everything up to `offset`, and where they end."""
        if offset >= self.output_bytes:
            return b"", offset
        start = self._recent[0].offset if self._recent else self.output_bytes
        if offset >= start:
            return self._from_memory(offset)
        data = self.log.read(offset, min(limits.SEND_BYTES, start - offset))
        if data and offset + len(data) < start:
            data = data[: len(data) - incomplete_tail(data)] or data
        if data:
            return frames.output("log", offset, data), offset + len(data)
        return frames.gap(offset, start), start

    def _from_memory(self, offset: int) -> tuple[bytes, int]:
        parts: list[bytes] = []
        size = 0
        for chunk in self._chunks_from(offset):
            if offset > chunk.offset:
                cut = chunk.data[offset - chunk.offset :]
                parts.append(frames.output(chunk.stream, offset, cut))
            else:
                parts.append(chunk.frame())
            offset = chunk.offset + len(chunk.data)
            size += len(parts[-1])
            if size >= limits.SEND_BYTES:
                break
        return b"".join(parts), offset

    def _chunks_from(self, offset: int) -> Iterator[Chunk]:
        # A reader is nearly always at the end: look from there.
        index = len(self._recent)
        while index and self._recent[index - 1].offset > offset:
            index -= 1
        for position in range(max(0, index - 1), len(self._recent)):
            chunk = self._recent[position]
            if chunk.offset + len(chunk.data) > offset:
                yield chunk

    def _keep(self, stream: frames.Stream, data: bytes) -> None:
        if not data:
            return
        self.log.append(data)
        self._recent.append(Chunk(stream, self.output_bytes, data))
        self._recent_cost += len(data) + _CHUNK_COST
        self.output_bytes += len(data)
        while self._recent_cost > limits.RECENT_BYTES and len(self._recent) > 1:
            self._recent_cost -= len(self._recent.popleft().data) + _CHUNK_COST
        self.bell.ring()


def lost_command(identifier: str, log: CommandLog, size: int, at_ms: int, bell: Bell) -> Command:
    """A command of which only the log is left: it ran before this computer started."""
    command = Command(identifier, at_ms, log, bell)
    log.kept = log.size = command.output_bytes = size
    note = "The computer has started anew since; how the command ended is not known."
    command.finish(
        frames.Exit(
            exit_code=None,
            signal=None,
            timed_out=False,
            stopped=False,
            oom=False,
            workspace_full=False,
            leftovers=0,
            duration_ms=0,
            output_bytes=size,
            log_path=log.path,
            log_bytes=size,
            log_capped=False,
            log_note=note,
        )
    )
    return command
