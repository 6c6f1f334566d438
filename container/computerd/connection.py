"""One client's connection: request heads, bodies, answers, each within a deadline.

An idle connection stays open as long as the client likes: a client that reuses it after a pause
must not find it closed. A head that has begun, a body and an answer must get on, or the
connection is dropped. Every answer leaves in one write where it can, without Nagle's delay.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from . import frames, http_wire, limits
from .errors import ConnectionLost, MalformedHttp, TooLarge

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from .http_wire import Head
    from .loop import Loop

_RECEIVE_BYTES = 256 * 1024


class Connection:
    """Requests in, answers out, one after the other."""

    def __init__(self, loop: Loop, client: socket.socket) -> None:
        self._loop = loop
        self._client = client
        self._fd = client.fileno()
        self._buffer = bytearray()
        self._head: Head | None = None
        self._body_left = False
        self.idle_since = loop.clock()
        self.idle = True
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        if self._client.fileno() >= 0:
            self._loop.forget(self._fd)
            self._client.close()

    async def next_request(self) -> Head | None:
        """The head of the next request, or None when the client has gone."""
        if self._head is not None and (self._body_left or not self._head.keep_alive):
            return None
        self.idle, self.idle_since = True, self._loop.clock()
        while not self._buffer:
            if not await self._receive(None):
                return None
        self.idle = False
        deadline = self._loop.clock() + limits.HEAD_S
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > limits.HEAD_BYTES:
                raise MalformedHttp(f"the head is longer than {limits.HEAD_BYTES} bytes")
            if not await self._receive(max(0.0, deadline - self._loop.clock())):
                raise ConnectionLost("gone in the middle of a head")
        if end > limits.HEAD_BYTES:
            raise MalformedHttp(f"the head is longer than {limits.HEAD_BYTES} bytes")
        head = http_wire.parse_head(bytes(self._buffer[:end]))
        del self._buffer[: end + 4]
        self._head = head
        self._body_left = head.length != 0
        return head

    async def body(self, limit: int) -> bytes:
        """The whole body of the request."""
        return b"".join([part async for part in self.body_parts(limit)])

    async def body_parts(self, limit: int) -> AsyncIterator[bytes]:
        """The body as it comes; more than `limit` bytes are refused."""
        head = self._request()
        if not self._body_left:
            return
        if head.length is not None and head.length > limit:
            raise TooLarge(f"The body has {head.length:,} bytes; the limit is {limit:,}.")
        if head.headers.get("expect", b"").lower() == b"100-continue":
            await self.send(http_wire.CONTINUE)
        parts = self._chunks() if head.length is None else self._exactly(head.length)
        taken = 0
        async for part in parts:
            taken += len(part)
            if taken > limit:
                raise TooLarge(f"The body is longer than the limit of {limit:,} bytes.")
            yield part
        self._body_left = False

    async def answer(self, status: int, value: object) -> None:
        body = frames.document(value)
        fields: dict[str, str | int] = {"Content-Type": "application/json", "Content-Length": len(body)}
        if self._request().method == "HEAD":
            self.end_with_this()
            body = b""
        await self.send(self.head(status, fields) + body)

    def head(self, status: int, fields: Mapping[str, str | int]) -> bytes:
        """A response head; says so when the connection ends with this answer."""
        request = self._head
        if request is None or self._body_left or not request.keep_alive:
            fields = {**fields, "Connection": "close"}
        return http_wire.response_head(status, fields)

    @property
    def chunked(self) -> bool:
        return self._request().chunked_ok

    def end_with_this(self) -> None:
        """The end of the connection is the end of the answer."""
        self._head = self._request()._replace(keep_alive=False)

    async def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._client.send(view) :]
            except BlockingIOError:
                if not await self._loop.writable(self._fd, limits.SEND_SILENCE_S):
                    raise ConnectionLost("the client does not read") from None
            except (BrokenPipeError, ConnectionResetError, TimeoutError) as error:
                raise ConnectionLost("the client has gone") from error

    async def linger(self) -> None:
        """Let the last answer arrive: a close with bytes unread would tear it down."""
        if not self._body_left:
            return
        try:
            self._client.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise ConnectionLost("the client has hung up") from error
        deadline = self._loop.clock() + limits.LINGER_S
        while await self._receive(max(0.0, deadline - self._loop.clock())):
            self._buffer.clear()

    async def send_file(self, fd: int, size: int) -> None:
        """Send a file from the kernel's cache, without copying it through this process."""
        offset = 0
        while offset < size:
            try:
                count = min(size - offset, limits.SEND_BYTES)
                sent = os.sendfile(self._fd, fd, offset, count)
            except BlockingIOError:
                if not await self._loop.writable(self._fd, limits.SEND_SILENCE_S):
                    raise ConnectionLost("the client does not read") from None
                continue
            except (BrokenPipeError, ConnectionResetError, TimeoutError) as error:
                raise ConnectionLost("the client has gone") from error
            if sent == 0:
                # The promised length cannot be kept; only a cut connection says so.
                raise ConnectionLost("the file became shorter while it was read")
            offset += sent
            await self._loop.breathe()

    def _request(self) -> Head:
        if self._head is None:
            raise RuntimeError("no request has been read yet")
        return self._head

    async def _receive(self, timeout: float | None) -> bool:
        """Read what is there; False when the client has closed."""
        if not await self._loop.readable(self._fd, timeout):
            raise ConnectionLost("the client does not send")
        try:
            data = self._client.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except (ConnectionResetError, TimeoutError, OSError) as error:
            raise ConnectionLost("the client has gone") from error
        self._buffer += data
        return bool(data)

    async def _more(self) -> None:
        if not await self._receive(limits.BODY_SILENCE_S):
            raise ConnectionLost("gone in the middle of a body")

    async def _exactly(self, length: int) -> AsyncIterator[bytes]:
        while length:
            if not self._buffer:
                await self._more()
                continue
            part = bytes(self._buffer[:length])
            del self._buffer[:length]
            length -= len(part)
            yield part

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := http_wire.parse_chunk_size(await self._line()):
            async for part in self._exactly(size):
                yield part
            if await self._line():
                raise MalformedHttp("a chunk is longer than it says")
        while await self._line():
            # Trailers say nothing that is needed here; the head's limit bounds each.
            continue

    async def _line(self) -> bytes:
        while (end := self._buffer.find(b"\r\n")) < 0:
            if len(self._buffer) > limits.HEAD_BYTES:
                raise MalformedHttp("a line is too long")
            await self._more()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line
