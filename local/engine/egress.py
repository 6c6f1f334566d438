"""The ways out of a computer's network: a proxy, and the ports of the web at any address.

The listeners belong to the computer's network and are served from here. A program that knows the proxy names
its destination there: by CONNECT, or by an absolute URL, which `forward` handles. One that knows of nothing
connects to port 80 or 443 of whatever address, and names its destination in TLS or in Host. TLS is ended at
this side of the wire, with a leaf for that name. Whatever the door, each request is looked at on its way
(`watch`), workerd parses it and the egress Worker judges it.
"""

import asyncio
import ipaddress
import logging
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import h11

from local.engine.authority import Authority
from local.engine.destination import Destination, parse_authority
from local.engine.errors import EngineError, MalformedRequestError
from local.engine.forward import (
    HEAD_LIMIT,
    checked_headers,
    forward_requests,
    plain_answer,
    strict_head,
)
from local.engine.names import LookUps, Resolver, answer_stream
from local.engine.namespaces import Doors
from local.engine.refusals import count_look_up, count_refusal
from local.engine.splice import join, until_closed
from local.engine.tunnel import NOWHERE, open_tunnel
from local.engine.watch import AnsweringSide, WatchedSide, watched_sides

log = logging.getLogger(__name__)

CONNECTION_LIMIT = 256
ACCEPT_REST_SECONDS = 0.5
FIRST_SECONDS = 30.0
LAST_WORD_SECONDS = 5.0
IDLE_SECONDS = 600.0
READ_BYTES = 64 * 1024
TLS_HANDSHAKE = b"\x16"
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
RESET = struct.pack("ii", 1, 0)

Serve = Callable[[socket.socket], Awaitable[None]]


@dataclass
class Gateway:
    """One computer's ways out."""

    doors: Doors
    authority: Authority
    egress_port: Callable[[], int | None]
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _accepting: list[asyncio.Task[None]] = field(default_factory=list)
    _resolver: Resolver | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        look_ups = LookUps(lambda name: count_look_up(self.egress_port(), name))
        doors = (
            (self.doors.proxy, self._proxy),
            (self.doors.http, self._http),
            (self.doors.https, self._https),
            (self.doors.names_by_stream, lambda asking: answer_stream(asking, look_ups)),
        )
        for listener, serve in doors:
            if listener is not None:
                self._accepting.append(loop.create_task(self._accept(listener, serve)))
        if self.doors.names is not None:
            self._resolver = Resolver(self.doors.names, look_ups)
            self._resolver.start()

    def stop(self) -> None:
        for task in (*self._accepting, *self.tasks):
            task.cancel()
        if self._resolver is not None:
            self._resolver.stop()

    async def _accept(self, listener: socket.socket, serve: Serve) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except ConnectionError:
                continue  # given up by the program before we came to it
            except OSError as error:
                # Mostly too few descriptors: whoever holds them lets go in time, and this door serves again.
                log.warning("no connection out can be taken up: %s", error)
                await asyncio.sleep(ACCEPT_REST_SECONDS)
                continue
            if len(self.tasks) >= CONNECTION_LIMIT:
                connection.close()
                continue
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            task = loop.create_task(self._serve(connection, serve))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _serve(self, connection: socket.socket, serve: Serve) -> None:
        try:
            await serve(connection)
        except (EngineError, h11.RemoteProtocolError) as error:
            if isinstance(error, MalformedRequestError | h11.RemoteProtocolError):
                await count_refusal(self.egress_port(), error)
            await self._tell(connection, plain_answer(getattr(error, "status", 400), str(error)))
        except (OSError, TimeoutError) as error:
            log.debug("a connection out ended: %s", error)
        finally:
            connection.close()

    async def _tell(self, connection: socket.socket, answer: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(connection, answer)
        except OSError as error:
            log.debug("a refusal was not heard: %s", error)

    async def _proxy(self, connection: socket.socket) -> None:
        machine = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
        async with asyncio.timeout(FIRST_SECONDS):
            request = await self._first_request(connection, machine)
        if request is None:
            return
        if request.method == b"CONNECT":
            if machine.trailing_data[0]:
                # It would have to be kept for a tunnel that may never be; no client needs this.
                raise MalformedRequestError("nothing is sent behind CONNECT before it is answered")
            await self._connect(connection, request)
        else:
            await forward_requests(connection, machine, request, self.egress_port)

    async def _http(self, connection: socket.socket) -> None:
        await self._caught(connection, secure=False)

    async def _https(self, connection: socket.socket) -> None:
        await self._caught(connection, secure=True)

    async def _caught(self, connection: socket.socket, *, secure: bool) -> None:
        """Serve a program that believes it has reached the address it went to."""
        if _reached(connection).is_loopback:
            # The computer's own; nothing listens at these ports there.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return
        await self._splice(connection, None, secure=secure)

    async def _first_request(self, connection: socket.socket, machine: h11.Connection) -> h11.Request | None:
        loop = asyncio.get_running_loop()
        head = b""
        while True:
            part = await loop.sock_recv(connection, READ_BYTES)
            if not part:
                return None
            head += part
            strict_head(head)
            machine.receive_data(part)
            event = machine.next_event()
            if isinstance(event, h11.Request):
                return event

    async def _connect(self, connection: socket.socket, request: h11.Request) -> None:
        to = parse_authority(request.target.decode("latin-1"))
        # Some programs name the proxy there, as Node's do; the tunnel's Host is looked at all the same.
        own = _names_of(connection)
        headers = [(name, value) for name, value in request.headers if (name, value) not in own]
        checked_headers(headers, to, to.port)
        await asyncio.get_running_loop().sock_sendall(connection, ESTABLISHED)
        async with asyncio.timeout(FIRST_SECONDS):
            first = await _peek(connection)
        if first:
            await self._splice(connection, to, secure=first == TLS_HANDSHAKE)

    async def _splice(self, connection: socket.socket, to: Destination | None, *, secure: bool) -> None:
        """Serve a connection for `to`, or for what it names first, whatever door it came through."""
        left, right = watched_sides(to, 443 if secure else 80)
        reached = str(_reached(connection))
        try:
            await self._greet(connection, left, secure=secure)
            await self._flow(left, right, secure=secure)
        except MalformedRequestError as error:
            host = left.found.result().host if left.found.done() else reached if to is None else ""
            await count_refusal(
                self.egress_port(), error, host="" if host == NOWHERE else host, secure=secure
            )
            left.end_refused(error)
            await left.let_go(LAST_WORD_SECONDS)
        except EngineError as error:
            left.end_with(plain_answer(error.status, str(error)))
            await left.let_go(LAST_WORD_SECONDS)
        except BaseException:
            left.abort()
            right.abort()
            raise

    async def _greet(self, connection: socket.socket, left: WatchedSide, *, secure: bool) -> None:
        """Hand a connection to its side; where it is TLS, after the handshake."""
        context = self.authority.greeting(left.name_in_tls) if secure else None
        # The transport closes its socket in its own time, and `_serve` closes the one it has.
        own = connection.dup()
        patience = FIRST_SECONDS if secure else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: left, own, ssl=context, ssl_handshake_timeout=patience
            )
        except OSError as error:
            own.close()
            if left.closed.done():
                left.closed.result()  # why there was no handshake
            if isinstance(error, ssl.SSLError) and not left.found.done():
                raise MalformedRequestError("what came is not TLS") from error
            raise

    async def _flow(self, left: WatchedSide, right: AnsweringSide, *, secure: bool) -> None:
        async with asyncio.timeout(FIRST_SECONDS):
            await asyncio.wait((left.found, left.closed), return_when=asyncio.FIRST_COMPLETED)
        if left.closed.done():
            left.closed.result()
        if not left.found.done():
            return
        tunnel = await open_tunnel(
            self.egress_port(), "X-Tls-Sni" if secure else "X-Hostname", left.found.result()
        )
        await asyncio.get_running_loop().create_connection(lambda: right, sock=tunnel)
        join(left, right)
        await until_closed(left, right, IDLE_SECONDS)


def _names_of(connection: socket.socket) -> set[tuple[bytes, bytes]]:
    """The Host headers that name the door by which a connection came."""
    port = connection.getsockname()[1]
    return {(b"host", f"{host}:{port}".encode()) for host in ("127.0.0.1", "localhost")}


def _reached(connection: socket.socket) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the address that the program at the other end connected to."""
    found = ipaddress.ip_address(connection.getsockname()[0])
    return getattr(found, "ipv4_mapped", None) or found


async def _peek(connection: socket.socket) -> bytes:
    """Return the next byte without taking it."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(connection, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(connection)
    return connection.recv(1, socket.MSG_PEEK)
