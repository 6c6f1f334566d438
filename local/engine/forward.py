"""Plain http through the proxy: every request is read by h11, checked, and written anew.

A connection may carry many requests, each to another place; each gets a tunnel of its own. Bodies
stream both ways. What two parsers could read differently (two framings, bare line feeds, a Host
that is not the URL's) is refused with 400 and the connection closed, so workerd sees exactly the
requests that were judged here.
"""

import asyncio
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import h11

from local.engine.destination import Destination, parse_authority, parse_url
from local.engine.errors import MalformedRequestError, MismatchError
from local.engine.tunnel import open_tunnel

HEAD_LIMIT = 64 * 1024
READ_BYTES = 64 * 1024
KEEP_ALIVE_SECONDS = 75.0
IDLE_SECONDS = 600.0

HOP_BY_HOP = frozenset(
    (b"connection", b"proxy-connection", b"keep-alive", b"te", b"trailer", b"upgrade",
     b"transfer-encoding", b"proxy-authorization", b"proxy-authenticate")
)  # fmt: skip

FOLDED = re.compile(rb"\r\n[ \t]")
LENGTHS = re.compile(rb"\r\ncontent-length:([^\r]*)", re.IGNORECASE)
FRAMING = frozenset((b"content-length", b"host"))

Headers = list[tuple[bytes, bytes]]


@dataclass
class Wire:
    """A socket and the h11 machine that reads and writes it."""

    connection: socket.socket
    machine: h11.Connection

    async def receive(self, seconds: float = IDLE_SECONDS) -> bytes:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(seconds):
            data = await loop.sock_recv(self.connection, READ_BYTES)
        self.machine.receive_data(data)
        return data

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        while True:
            event = self.machine.next_event()
            if event is not h11.NEED_DATA:
                return event  # type: ignore[return-value]
            await self.receive()

    async def send(self, event: h11.Event) -> None:
        data = self.machine.send(event)
        if data:
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(IDLE_SECONDS):
                await loop.sock_sendall(self.connection, data)


async def forward_requests(
    connection: socket.socket,
    machine: h11.Connection,
    first: h11.Request,
    egress_port: Callable[[], int | None],
) -> None:
    """Serve a proxy client, whose first request has been read, until it or we are done."""
    client = Wire(connection, machine)
    request: h11.Request | None = first
    while request is not None:
        await _forward_one(client, request, egress_port())
        if (machine.our_state, machine.their_state) != (h11.DONE, h11.DONE):
            return
        request = await _next_request(client)


async def _next_request(client: Wire) -> h11.Request | None:
    waiting = client.machine.trailing_data[0]
    client.machine.start_next_cycle()
    while True:
        strict_head(waiting)
        event = client.machine.next_event()
        if isinstance(event, h11.Request):
            return event
        if event is not h11.NEED_DATA:
            return None
        part = await client.receive(KEEP_ALIVE_SECONDS)
        if not part:
            return None
        waiting += part


async def _forward_one(client: Wire, request: h11.Request, port: int | None) -> None:
    to, path = parse_url(request.target.decode("latin-1"))
    headers = checked_headers(request.headers, to)
    tunnel = await open_tunnel(port, "X-Hostname", to)
    server = Wire(tunnel, h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT))
    try:
        head = h11.Request(method=request.method, target=path.encode("latin-1"), headers=headers)
        await server.send(head)
        await _relay(client, server)
    finally:
        tunnel.close()


async def _relay(client: Wire, server: Wire) -> None:
    """Move body and answer at the same time: a server may answer before it has read all."""
    upload = asyncio.ensure_future(_relay_body(client, server))
    answer = asyncio.ensure_future(_relay_response(server, client))
    try:
        await asyncio.wait((upload, answer), return_when=asyncio.FIRST_COMPLETED)
        if upload.done() and (error := upload.exception()) is not None:
            if client.machine.our_state is not h11.SEND_RESPONSE:
                raise ConnectionError("the body broke off") from error
            raise error
        await answer
    finally:
        for task in (upload, answer):
            task.cancel()
        await asyncio.gather(upload, answer, return_exceptions=True)


async def _relay_body(client: Wire, server: Wire) -> None:
    if client.machine.they_are_waiting_for_100_continue:
        await client.send(h11.InformationalResponse(status_code=100, headers=[]))
    while client.machine.their_state is h11.SEND_BODY:
        event = await client.next_event()
        if isinstance(event, h11.Data):
            await server.send(event)
        elif isinstance(event, h11.EndOfMessage):
            # Without trailers: workerd would read them as the next request.
            await server.send(h11.EndOfMessage())


async def _relay_response(server: Wire, client: Wire) -> None:
    while True:
        try:
            event = await server.next_event()
        except h11.RemoteProtocolError as error:
            raise ConnectionError(f"the answer broke off: {error}") from error
        match event:
            case h11.InformationalResponse(status_code=code) if code != 100:
                raise ConnectionError("an upgrade that nobody asked for")
            case h11.Response(status_code=code):
                kept = list(kept_headers(event.headers))
                await client.send(h11.Response(status_code=code, headers=kept, reason=event.reason))
            case h11.Data() | h11.EndOfMessage():
                await client.send(event)
            case h11.ConnectionClosed():
                raise ConnectionError("the answer broke off")
        if isinstance(event, h11.EndOfMessage):
            return


def strict_head(data: bytes) -> None:
    """Refuse what of `data` is a head and two parsers could read differently, though each finds it good."""
    head, end, _ = data.partition(b"\r\n\r\n")
    if head.count(b"\n") != head.count(b"\r\n"):
        raise MalformedRequestError("a line of the head ends in a bare line feed")
    if len(head) > HEAD_LIMIT:
        raise MalformedRequestError(f"the head is over {HEAD_LIMIT} bytes")
    if end and FOLDED.search(head):
        raise MalformedRequestError("a line of the head goes on in the next one")
    if end and (len(lengths := LENGTHS.findall(head)) > 1 or any(b"," in length for length in lengths)):
        raise MalformedRequestError("a request has one length")


def checked_headers(
    headers: Iterable[tuple[bytes, bytes]], to: Destination, default_port: int = 80
) -> Headers:
    """Return the request headers to send on, with the Host that the URL says."""
    found = list(headers)
    names = [name for name, _ in found]
    if b"transfer-encoding" in names and b"content-length" in names:
        raise MalformedRequestError("a request has either a length or a transfer encoding", to.host)
    for value in (value for name, value in found if name == b"host"):
        named = parse_authority(value.decode("latin-1"), default_port)
        if (named.host.removesuffix("."), named.port) != (to.host.removesuffix("."), to.port):
            raise MismatchError("the Host header names another place than the URL", to.host)
    kept = [item for item in kept_headers(found) if item[0] not in (b"host", b"expect")]
    if b"transfer-encoding" in names:
        kept.append((b"transfer-encoding", b"chunked"))
    return [(b"host", to.authority(default_port).encode()), *kept]


def kept_headers(headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    """Leave out what concerns one connection only, also by the word of Connection."""
    found = list(headers)
    named = {
        token.strip().lower() for name, value in found if name == b"connection" for token in value.split(b",")
    }
    return [item for item in found if item[0] not in HOP_BY_HOP | (named - FRAMING)]


def plain_answer(status: int, message: str) -> bytes:
    """Return a whole answer that ends the connection, for the program in the computer to show."""
    body = f"berth: {message}\n".encode()
    head = f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body
