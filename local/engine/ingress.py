"""The way in: the sidecar's port on the host, as workerd uses it.

`CONNECT host:port` is spliced to that port on the computer's loopback: 200, or 400 when nothing
listens there. `PUT /egress` says where workerd takes this computer's outgoing requests, `GET /ca`
returns the certificate of the interception. The first bytes decide; a tunnel never touches an
HTTP parser again.
"""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, cast

from local.engine import http
from local.engine.errors import EngineError, MalformedRequestError, NoSuchObjectError, WrongStateError
from local.engine.records import as_mapping
from local.engine.splice import Side, join

HEAD_LIMIT = 16 * 1024
CONNECT_SECONDS = 5.0
TUNNEL_LIMIT = 1024
HEAD_SECONDS = 30.0
OPENED = b"HTTP/1.1 200 OK\r\n\r\n"


class Inside(Protocol):
    """A running computer, as far as connections into it go."""

    def take_socket(self) -> socket.socket: ...

    def address(self, port: int) -> tuple[str, int]: ...


@dataclass
class Sidecar:
    """The networking sidecar of one computer."""

    certificate: bytes
    inside: Callable[[], Inside | None]
    egress_port: int | None = None
    server: asyncio.Server | None = None
    port: int = 0
    open: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(lambda: Door(self), "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        if self.server is not None:
            self.server.close()
            self.server = None

    def one_closed(self, _: object) -> None:
        self.open -= 1

    async def answer(self, exchange: http.Exchange) -> None:
        match exchange.request.method, exchange.request.path:
            case "PUT", ("egress",):
                self.egress_port = _port(await exchange.read_json())
                await exchange.answer(200, {})
            case "GET", ("ca",):
                await exchange.answer(200, self.certificate)
            case method, path:
                raise NoSuchObjectError(f"the sidecar has no {method} /{'/'.join(path)}")


def _port(body: object) -> int:
    port = as_mapping(body, "body").get("port")
    if not isinstance(port, int) or not 0 < port < 65536:
        raise MalformedRequestError("port must be a number between 1 and 65535")
    return port


class Door(asyncio.Protocol):
    """One connection to the sidecar, until it is known what it wants."""

    def __init__(self, sidecar: Sidecar) -> None:
        self.sidecar = sidecar
        self.transport: asyncio.Transport | None = None
        self.head = b""
        self.patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self.transport = cast(asyncio.Transport, transport)
        loop = asyncio.get_running_loop()
        self.patience = loop.call_later(HEAD_SECONDS, self.transport.abort)

    def connection_lost(self, _: Exception | None) -> None:
        if self.patience is not None:
            self.patience.cancel()

    def data_received(self, data: bytes) -> None:
        transport = self.transport
        if transport is None:
            return
        self.head += data
        end = self.head.find(b"\r\n\r\n")
        if end >= 0:
            transport.pause_reading()
            if self.patience is not None:
                self.patience.cancel()
            if self.head.startswith(b"CONNECT "):
                work = self._tunnel(transport, self.head[:end], self.head[end + 4 :])
            else:
                work = self._plain(transport)
            task = asyncio.get_running_loop().create_task(work)
            self.sidecar.tasks.add(task)
            task.add_done_callback(self.sidecar.tasks.discard)
        elif len(self.head) > HEAD_LIMIT:
            transport.abort()

    async def _tunnel(self, transport: asyncio.Transport, head: bytes, early: bytes) -> None:
        try:
            port = _connect_port(head)
            connection = await self._connect(port)
        except (EngineError, OSError, TimeoutError) as error:
            body = json.dumps({"message": str(error)}).encode()
            answer = f"HTTP/1.1 400 Bad Request\r\nContent-Length: {len(body)}\r\n\r\n"
            transport.write(answer.encode() + body)
            transport.close()
            return
        outer, inner = Side(), Side()
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: inner, sock=connection)
        self.sidecar.open += 1
        outer.closed.add_done_callback(self.sidecar.one_closed)
        outer.connection_made(transport)
        transport.set_protocol(outer)
        transport.write(OPENED)
        if early:
            outer.early.append(early)
        join(outer, inner)

    async def _connect(self, port: int) -> socket.socket:
        inside = self.sidecar.inside()
        if inside is None:
            raise NoSuchObjectError("the computer is not running")
        if self.sidecar.open >= TUNNEL_LIMIT:
            raise WrongStateError(f"the computer has {TUNNEL_LIMIT} connections already")
        connection = inside.take_socket()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                loop = asyncio.get_running_loop()
                await loop.sock_connect(connection, inside.address(port))
        except BaseException:
            connection.close()
            raise
        return connection

    async def _plain(self, transport: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        protocol.connection_made(transport)
        transport.set_protocol(protocol)
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        reader.feed_data(self.head)
        transport.resume_reading()
        await http.serve(self.sidecar.answer, reader, writer)


def _connect_port(head: bytes) -> int:
    digits = head.split(b"\r\n", 1)[0].split(b" ")[1].rpartition(b":")[2]
    if not digits.isdigit() or not 0 < int(digits) < 65536:
        raise MalformedRequestError(f"not a port: {digits[:20]!r}")
    return int(digits)
