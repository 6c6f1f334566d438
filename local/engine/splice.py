"""Two connections made one: bytes go both ways with back-pressure and half-close.

Plain asyncio protocols, one `Side` a connection, no task and no buffer of our own: what one
transport cannot send yet pauses the other one's reading. An idle limit, where there is one, is
looked at by a timer and not at every packet.
"""

import asyncio
from typing import cast


class Side(asyncio.Protocol):
    """One end of a splice. What it reads before it has its other end, it keeps and stops reading."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: Side | None = None
        self.closed = asyncio.get_running_loop().create_future()
        self.moved = 0
        self.early: list[bytes] = []
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self.moved += 1
        if (other := self._peer()) is not None:
            other.write(data)
        elif self.transport is not None:
            self.early.append(data)
            # Not in connection_made: uvloop starts to read after it in any case.
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        """Pass the end on; the connection stays up for what still comes the other way."""
        self.ended = True
        return self.other is None or self._pass_end()

    def _pass_end(self) -> bool:
        """Return whether this side should stay open although it will read no more."""
        other = self._peer()
        mine = self.transport
        if self.other is None or other is None or mine is None or other.is_closing():
            return False
        if mine.can_write_eof() and other.can_write_eof():
            other.write_eof()
            return not self.other.ended
        other.close()
        return False

    def pause_writing(self) -> None:
        if (other := self._peer()) is not None and not other.is_closing():
            other.pause_reading()

    def resume_writing(self) -> None:
        if (other := self._peer()) is not None and not other.is_closing():
            other.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        if (other := self._peer()) is not None:
            if error is None:
                other.close()
            else:
                other.abort()
        if not self.closed.done():
            self.closed.set_result(None)

    def end_with(self, data: bytes) -> None:
        # Whoever has left already hears nothing, and to write to them would raise.
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)
            self.transport.close()

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def meet(self, other: "Side") -> None:
        """Take on the other end and give it what came before it did."""
        self.other = other
        mine, its = self.transport, other.transport
        if mine is None or its is None or its.is_closing():
            if mine is not None:
                mine.close()
            return
        if self.early:
            its.write(b"".join(self.early))
            self.early.clear()
        if self.ended and not self._pass_end():
            mine.close()
        elif not self.ended and not mine.is_closing():
            mine.resume_reading()

    def _peer(self) -> asyncio.Transport | None:
        return self.other.transport if self.other is not None else None


def join(left: Side, right: Side) -> None:
    """Connect two sides that both have their transport, and let them flow."""
    left.other, right.other = right, left
    left.meet(right)
    right.meet(left)


async def until_closed(left: Side, right: Side, idle_seconds: float | None) -> None:
    """Wait for the end of both; end them if nothing moved for `idle_seconds`. Raises what ended one."""
    both = asyncio.gather(left.closed, right.closed)
    before = -1
    while not both.done():
        await asyncio.wait([both], timeout=idle_seconds)
        moved = left.moved + right.moved
        if not both.done() and moved == before:
            left.abort()
            right.abort()
        before = moved
    both.result()
