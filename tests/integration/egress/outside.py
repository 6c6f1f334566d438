"""A server on loopback that stands for everything outside: it notes what reached it, and answers as told.

Tests judge the wire by it: what a client saw does not prove what left. It speaks plain sockets and h11, in a
thread of its own, so that it can also answer as a hostile server would: `?answer=` in a URL says how.
"""

import asyncio
import gzip
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

import h11

URL_HEADER = "x-outside-url"
PIECE = bytes(64 * 1024)
# How many bytes trickle, one a second.
TRICKLED = 120


@dataclass(frozen=True)
class Seen:
    """One request that reached the outside."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Seen, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Outside:
    seen: list[Seen] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    """Bytes of streams by their host, as they went out."""
    broken: set[str] = field(default_factory=set)
    """Hosts whose last stream has not come to its end."""
    streaming: set[str] = field(default_factory=set)
    """Hosts that send a stream right now."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What lies at a URL; another one of the same host is not there."""
    port: int = 0

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        serving = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def at(self, host: str) -> list[Seen]:
        """What was asked of one host; a test uses names that no other uses."""
        return [seen for seen in self.seen if urlsplit(seen.url).hostname == host]

    async def _close(self) -> None:
        self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            seen = await _read(reader)
            if seen is not None:
                self.seen.append(seen)
                await self._answer(seen, reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass  # a client that was cut off, or the end of the test
        finally:
            writer.close()

    async def _answer(self, seen: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        parts = urlsplit(seen.url)
        wanted = parse_qs(parts.query).get("answer", [""])[0]
        kind, _, rest = wanted.partition(" ")
        match kind:
            case "bytes":
                await self._stream(parts.hostname or "", int(rest), writer)
            case "trickle":
                await self._trickle(parts.hostname or "", rest, reader, writer)
            case "gzip":
                packed = gzip.compress(bytes(int(rest)), mtime=0)
                _head(writer, 200, content_encoding="gzip", content_length=str(len(packed)))
                writer.write(packed)
            case "broken":
                _head(writer, 200, transfer_encoding="chunked")
                writer.write(b"5\r\nhello\r\n5\r\nhe")
            case "redirect" | "status":
                code, _, to = rest.partition(" ")
                _head(writer, int(code), content_length="0", **({"location": to} if to else {}))
            case "loop":
                _head(writer, 302, location=seen.url, content_length="0")
            case "alt-svc":
                _head(writer, 200, alt_svc='h3=":443"', content_length="2")
                writer.write(b"ok")
            case "switch":
                writer.write(
                    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nraw"
                )
            case "" if any(url.startswith(f"https://{parts.netloc}/") for url in self.files):
                found = self.files.get(seen.url.partition("?")[0])
                _head(writer, 404 if found is None else 200, content_length=str(len(found or b"")))
                writer.write(found or b"")
            case _:
                _head(writer, 200, content_length="3")
                writer.write(b"" if seen.method == "HEAD" else b"ok\n")
        await writer.drain()

    async def _stream(self, host: str, size: int, writer: asyncio.StreamWriter) -> None:
        _head(writer, 200, content_length=str(size))
        self.broken.add(host)
        self.streaming.add(host)
        left = size
        try:
            while left:
                piece = PIECE[: min(left, len(PIECE))]
                writer.write(piece)
                await writer.drain()
                left -= len(piece)
                self.sent[host] = size - left
        finally:
            self.streaming.discard(host)
        self.broken.discard(host)

    async def _trickle(
        self, host: str, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """A byte a second for two minutes, or nothing at all, until the other end is gone."""
        heads = {
            "sized": {"content_length": str(TRICKLED)},
            "encoded": {"content_length": str(TRICKLED), "content_encoding": "br"},
            "large": {"content_length": "1000000", "content_encoding": "gzip"},
            "endless": {"transfer_encoding": "chunked"},
        }
        self.sent[host] = 0
        self.streaming.add(host)
        try:
            if kind != "silent":
                _head(writer, 200, **heads[kind])
            for _ in range(TRICKLED):
                if kind != "silent":
                    writer.write(b"1\r\nx\r\n" if kind == "endless" else b"x")
                    await writer.drain()
                    self.sent[host] += 1
                with suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await reader.read(1)
                        return
        finally:
            self.streaming.discard(host)


def _head(writer: asyncio.StreamWriter, status: int, **headers: str) -> None:
    lines = [f"HTTP/1.1 {status} X", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    machine = h11.Connection(h11.SERVER)
    request: h11.Request | None = None
    body = b""
    while True:
        event = machine.next_event()
        if event is h11.NEED_DATA:
            machine.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        else:
            break
    if request is None:
        return None
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
    return Seen(request.method.decode(), headers.pop(URL_HEADER, ""), headers, body)
