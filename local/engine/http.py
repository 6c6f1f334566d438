"""HTTP/1.1 by h11 over asyncio streams: one `Exchange` is one request and its answer.

It serves the Docker API on its Unix socket and the sidecar's two plain routes. h11 does the
parsing; this module adds limits, streaming with back-pressure, and taking the connection over
after an upgrade. What a handler does not read of a body is drained, or the connection closes.
"""

import asyncio
import json
import logging
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass

import h11

from local.engine.errors import EngineError, MalformedRequestError, TooLargeError

log = logging.getLogger(__name__)

CHUNK = 64 * 1024
HEAD_LIMIT = 32 * 1024
JSON_LIMIT = 4 * 1024 * 1024
IDLE_SECONDS = 75.0
SERVER_ERROR = 500

Handler = Callable[["Exchange"], Awaitable[None]]


@dataclass(frozen=True)
class Request:
    method: str
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    target: str


@dataclass
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    machine: h11.Connection

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        while True:
            event = self.machine.next_event()
            if event is not h11.NEED_DATA:
                return event  # type: ignore[return-value]
            if self.machine.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                self.writer.write(self.machine.send(go_on) or b"")
            self.machine.receive_data(await self.reader.read(CHUNK))


@dataclass
class Exchange:
    request: Request
    connection: Connection

    async def body(self) -> AsyncIterator[bytes]:
        while self.connection.machine.their_state is h11.SEND_BODY:
            event = await self.connection.next_event()
            if isinstance(event, h11.Data):
                yield bytes(event.data)

    async def read(self, limit: int = JSON_LIMIT) -> bytes:
        found = bytearray()
        async for part in self.body():
            found += part
            if len(found) > limit:
                raise TooLargeError(f"the body is over {limit} bytes")
        return bytes(found)

    async def read_json(self) -> object:
        data = await self.read()
        try:
            return json.loads(data) if data.strip() else {}
        except ValueError as error:
            raise MalformedRequestError(f"the body is not JSON: {error}") from error

    async def answer(self, status: int, payload: object = None) -> None:
        """Send a whole answer: bytes as they are, None as nothing, else JSON."""
        if isinstance(payload, bytes):
            body = payload
        else:
            body = b"" if payload is None else json.dumps(payload).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
        if status in (204, 304):
            headers, body = [], b""
        parts = self._head(status, headers), self._send(h11.Data(body)) if body else b""
        self.connection.writer.write(b"".join((*parts, self._send(h11.EndOfMessage()))))
        await self.connection.writer.drain()

    async def fail(self, status: int, message: str) -> None:
        """Send an error as Docker does; in the middle of an answer break off instead."""
        if self.connection.machine.our_state is not h11.SEND_RESPONSE:
            raise ConnectionError(message)
        await self.answer(status, {"message": message})

    async def answer_stream(self, media_type: str, parts: AsyncIterator[bytes]) -> None:
        writer = self.connection.writer
        writer.write(self._head(200, [("content-type", media_type)]))
        await writer.drain()
        async for part in parts:
            writer.write(self._send(h11.Data(part)))
            await writer.drain()
        writer.write(self._send(h11.EndOfMessage()))
        await writer.drain()

    async def take_over(self, headers: Mapping[str, str]) -> bytes:
        """Answer 101 and return what already arrived for the new protocol."""
        await self.read()
        event = h11.InformationalResponse(status_code=101, headers=list(headers.items()))
        self.connection.writer.write(self._send(event))
        await self.connection.writer.drain()
        return self.connection.machine.trailing_data[0]

    async def gone(self) -> None:
        """Return when the client has hung up, for answers that may never come."""
        while await self.connection.reader.read(CHUNK):
            pass

    def _head(self, status: int, headers: list[tuple[str, str]]) -> bytes:
        return self._send(h11.Response(status_code=status, headers=headers))

    def _send(self, event: h11.Event) -> bytes:
        return self.connection.machine.send(event) or b""


def acceptor(
    handler: Handler, tasks: set[asyncio.Task[None]]
) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
    """Return what a stream server calls. `tasks` holds the work: the loop alone would let it go."""

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(serve(handler, reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return accept


async def serve(handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer requests on one connection until either side is done with it."""
    machine = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    connection = Connection(reader, writer, machine)
    try:
        while await _serve_one(handler, connection):
            machine.start_next_cycle()
    except (ConnectionError, TimeoutError, h11.LocalProtocolError):
        pass  # the other side went away, or was left in the middle of an answer
    finally:
        writer.close()


async def _serve_one(handler: Handler, connection: Connection) -> bool:
    """Answer one request; return whether the connection can carry another."""
    machine = connection.machine
    try:
        event = await asyncio.wait_for(connection.next_event(), IDLE_SECONDS)
        if not isinstance(event, h11.Request):
            return False
        exchange = Exchange(_request(event), connection)
        await _handle(handler, exchange)
        if machine.our_state is h11.DONE:
            await exchange.read(JSON_LIMIT)
    except h11.RemoteProtocolError as error:
        await _refuse(connection, error.error_status_hint, str(error))
    except EngineError as error:
        await _refuse(connection, error.status, str(error))
    return machine.our_state is h11.DONE and machine.their_state is h11.DONE


async def _handle(handler: Handler, exchange: Exchange) -> None:
    try:
        await handler(exchange)
    except (ConnectionError, h11.ProtocolError):
        raise
    except EngineError as error:
        if error.status >= SERVER_ERROR:
            log.warning("%s %s: %s", exchange.request.method, exchange.request.target, error)
        await exchange.fail(error.status, str(error))
    except Exception as error:
        log.exception("%s %s failed", exchange.request.method, exchange.request.target)
        await exchange.fail(500, f"{type(error).__name__}: {error}")


async def _refuse(connection: Connection, status: int, message: str) -> None:
    if connection.machine.our_state in (h11.IDLE, h11.SEND_RESPONSE):
        body = json.dumps({"message": message}).encode()
        head = f"HTTP/1.1 {status} Refused\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        connection.writer.write(head.encode() + body)
        await connection.writer.drain()


def _request(event: h11.Request) -> Request:
    target = event.target.decode("latin-1")
    url = urllib.parse.urlsplit(target)
    return Request(
        method=event.method.decode("latin-1"),
        path=tuple(urllib.parse.unquote(part) for part in url.path.strip("/").split("/")),
        query=dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True)),
        headers={k.decode("latin-1"): v.decode("latin-1") for k, v in event.headers},
        target=target,
    )
