"""Staying with one command to its end, whatever the connection to the computer does.

The service inside runs a command id at most once, so asking again after a break only re-attaches,
from the byte where the last frame ended. A computer that is silent, gone or talking nonsense ends
the command as `lost`, with the output that was seen.

Who stops a command does not wait for all that it has printed: from then on whoever is behind goes on at
the end of the output, and says how much was left out.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from contracts.errors import BerthError, ErrorCode
from contracts.limits import KIB, LIVE_TAIL_CHARACTERS
from contracts.records import CommandResult, EgressReceipt
from contracts.states import CommandState
from durable_objects.bot_computer.commands import GRACE_SECONDS, lost
from durable_objects.bot_computer.frames import Exited, FrameError, Output, lines, parse
from durable_objects.bot_computer.output import Excerpt, OutputWindow, valid_text
from durable_objects.shared.silence import silence_limit
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

SILENCE_SECONDS = 15.0
ALIVE_SECONDS = 5.0
ATTACHES = 5
RECEIPTS_MAX = 50
OTHER_HOSTS = "(others)"
# Once a stop was asked for, so much is read on before the rest is left out, but for the last of it. A tail is
# read whole before the next jump, so a command that goes on printing is followed to its end.
STOPPED_BYTES = 512 * KIB
STOPPED_TAIL_BYTES = STOPPED_BYTES // 2


class UnreachableError(Exception):
    """The service in the computer cannot be reached, or the connection to it broke."""


class Wire(Protocol):
    """The service in the computer; every method raises UnreachableError, or BerthError for its refusals."""

    async def run(
        self, command_id: str, command: str, timeout_s: int, offset: int, tail: int | None
    ) -> AsyncGenerator[bytes, None]:
        """The frames from an offset on; of what is there already, the last `tail` bytes at most."""
        ...

    async def stop(self, command_id: str) -> None: ...

    async def boot(self) -> str:
        """What the service calls its present start."""
        ...


Listener = Callable[[str, int, str], Awaitable[None]]
"""(stream, character offset, text); slow listeners skip what they cannot follow."""


@dataclass(frozen=True)
class Outgoing:
    """A kind of request to the outside, and what was said to it: one line of a receipt."""

    host: str
    method: str
    reason: str
    code: ErrorCode | None = None
    """Why it was refused; None where it may leave."""


@dataclass
class Tally:
    count: int = 0
    sent: int = 0
    received: int = 0


class Relay:
    """Feeds one listener: one call at a time, joining what comes meanwhile, at most the last 64 Ki."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._pending: tuple[str, int, str] | None = None
        self._task: asyncio.Task[None] | None = None

    def push(self, stream: str, offset: int, text: str) -> None:
        if self._pending:
            first, start, before = self._pending
            joined = before + text
            cut = max(0, len(joined) - LIVE_TAIL_CHARACTERS)
            self._pending = (stream if first == stream else "log", start + cut, joined[cut:])
        else:
            self._pending = (stream, offset, text)
        if self._task is None:
            self._task = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        try:
            while self._pending:
                piece, self._pending = self._pending, None
                await self._listener(*piece)
        except Exception:
            # The border to another object: live output is a hint, and its receiver may be gone.
            log.info("a listener of live output went away", exc_info=True)
        else:
            self._task = None


class Follower:
    def __init__(
        self,
        row: Row,
        wire: Wire,
        boot: str,
        now_ms: Callable[[], int],
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        self._row = row
        self._wire = wire
        self._boot = boot
        self._now_ms = now_ms
        self._sign_of_life = alive
        self.gone = False
        """Whether the machine was asked for its health and did not answer."""
        self._window = OutputWindow()
        self._end = 0
        self._tail = ""
        self._relays: list[Relay] = []
        self._stopped_at: int | None = 0 if row["stop_asked"] else None
        """Where the output was when a stop was asked for, or when some of it was left out since."""
        self._stop_heard = False
        self._receipts: dict[Outgoing, Tally] = {}

    @property
    def log_path(self) -> str:
        return f"/workspace/.berth/logs/{self._row['id']}.log"

    def listen(self, listener: Listener) -> None:
        """Add a listener; it gets the live tail first."""
        relay = Relay(listener)
        if self._tail:
            relay.push("log", self._window.characters - len(self._tail), self._tail)
        self._relays.append(relay)

    async def stop(self) -> None:
        """Ask the command to end: now if it has begun, and with each of its frames until it has heard."""
        if self._stopped_at is None:
            self._stopped_at = self._end
        await self._ask_stop()

    async def _ask_stop(self) -> None:
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await self._wire.stop(self._row["id"])
        except (UnreachableError, BerthError, TimeoutError) as error:
            # It has not begun, or the connection broke: its next frame asks again.
            log.info("command %s could not be asked to stop yet: %r", self._row["id"], error)
        else:
            self._stop_heard = True

    def note(self, request: Outgoing) -> None:
        """A request to the outside was judged while this command ran."""
        line = _line(request)
        if line not in self._receipts and len(self._receipts) >= RECEIPTS_MAX:
            line = Outgoing(OTHER_HOSTS, "", "", request.code)
        self._receipts.setdefault(line, Tally()).count += 1

    def moved(self, request: Outgoing, sent: int, received: int) -> None:
        """Bytes of such a request moved; nothing is known of one from before this command."""
        others = Outgoing(OTHER_HOSTS, "", "", request.code)
        tally = self._receipts.get(_line(request)) or self._receipts.get(others)
        if tally:
            tally.sent += sent
            tally.received += received

    async def follow(self) -> CommandResult:
        try:
            async with asyncio.timeout(self._row["timeout_s"] + GRACE_SECONDS):
                ended = await self._attached()
        except TimeoutError:
            log.warning("command %s outlived its timeout and its grace", self._row["id"])
            ended = None
        if ended is None:
            return lost(self._row, self._now_ms(), self._excerpt().text, self.receipts())
        return self._result(ended)

    async def _attached(self) -> Exited | None:
        """The command's end, or None where the computer that ran it is gone."""
        for attach in range(ATTACHES):
            try:
                async with silence_limit(SILENCE_SECONDS) as heard:
                    ended = None
                    while ended is None:
                        ended = await self._read(heard)
            except (UnreachableError, FrameError, TimeoutError) as error:
                log.warning("command %s, attach %d: %s", self._row["id"], attach + 1, error)
                if not await self._alive():
                    self.gone = True
                    return None
            else:
                return ended
        return None

    async def _read(self, heard: Callable[[], None]) -> Exited | None:
        """The command's end, or None where it is to be read on from the tail of its output."""
        tail = None if self._stopped_at is None else STOPPED_TAIL_BYTES
        row = self._row
        body = await self._wire.run(row["id"], row["command"], row["timeout_s"], self._end, tail)
        async with aclosing(lines(body)) as frames:
            async for line in frames:
                heard()
                self._sign_of_life()
                frame = parse(line)
                if isinstance(frame, Exited):
                    return frame
                if self._stopped_at is not None and not self._stop_heard:
                    await self._ask_stop()
                if isinstance(frame, Output):
                    self._show(frame)
                    if self._is_behind():
                        self._stopped_at = self._end
                        return None
        raise UnreachableError("the stream ended before the command did")

    def _is_behind(self) -> bool:
        return self._stopped_at is not None and self._end - self._stopped_at > STOPPED_BYTES

    def _show(self, frame: Output) -> None:
        offset, stream, text = self._window.characters, frame.stream, frame.text
        self._window.add(text)
        self._end = max(self._end, frame.end)
        if frame.left_out:
            self._window.left_out = min(self._window.left_out + frame.left_out, self._end)
            if self._stopped_at is not None:
                self._stopped_at = self._end
        self._tail = (self._tail + text)[-LIVE_TAIL_CHARACTERS:]
        for relay in self._relays:
            relay.push(stream, offset, text)

    async def _alive(self) -> bool:
        """Whether the machine that runs the command still answers, and is the same start."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                return await self._wire.boot() == self._boot
        except (UnreachableError, TimeoutError):
            return False

    def _excerpt(self) -> Excerpt:
        return self._window.excerpt(self.log_path)

    def receipts(self) -> list[EgressReceipt]:
        return [
            EgressReceipt(
                host=line.host,
                method=line.method,
                allowed=line.code is None,
                reason=line.reason,
                code=line.code,
                count=tally.count,
                sent=tally.sent,
                received=tally.received,
            )
            for line, tally in self._receipts.items()
        ]

    def _result(self, ended: Exited) -> CommandResult:
        excerpt = self._excerpt()
        wall = self._now_ms() - (self._row["started_ms"] or self._row["accepted_ms"])
        return CommandResult(
            id=self._row["id"],
            state=_state(ended),
            exit_code=ended.exit_code,
            signal=ended.signal,
            oom=ended.oom,
            workspace_full=ended.workspace_full,
            leftovers=ended.leftovers,
            duration_ms=min(ended.duration_ms, max(0, wall)),
            output=excerpt.text,
            output_bytes=ended.output_bytes,
            cut_characters=excerpt.cut_characters,
            cut_lines=excerpt.cut_lines,
            log_path=self.log_path,
            log_note=ended.log_note,
            egress=self.receipts(),
        )


def _line(request: Outgoing) -> Outgoing:
    return Outgoing(
        valid_text(request.host)[:253],
        valid_text(request.method)[:20],
        valid_text(request.reason)[:500],
        request.code,
    )


def _state(ended: Exited) -> CommandState:
    if ended.timed_out:
        return CommandState.TIMED_OUT
    if ended.stopped:
        return CommandState.STOPPED
    if ended.exit_code is None and ended.signal is None:
        return CommandState.LOST
    return CommandState.SIGNALLED if ended.signal is not None else CommandState.EXITED
