"""Looks at every request in a tunnel before workerd gets it, without holding up what flows.

The bytes go on as they came, and are read here first: heads by h11, bodies by `framing`. A head or a body
that two parsers could take apart differently, a Host that is not the tunnel's, a target that is no path, and
the tunnel is closed. After a request for another protocol nothing goes on until the answer says whether the
protocol has changed.
"""

import asyncio

import h11

from local.engine.destination import Destination, check_path, parse_authority, parse_host
from local.engine.errors import MalformedRequestError, MismatchError, NamelessError
from local.engine.forward import HEAD_LIMIT, Headers, checked_headers, plain_answer, strict_head
from local.engine.framing import Body, body_of
from local.engine.splice import Side

HELD_BYTES_MAX = 256 * 1024
SWITCHED = b"HTTP/1.1 101"
HEAD_END = b"\r\n\r\n"
VERSIONS = (b"1.0", b"1.1")


class RequestWatch:
    """The requests of one connection, read one after the other. Raises MalformedRequestError.

    Where the client has named no destination beforehand, what it says first names it: TLS, or the Host of the
    first request. What comes later must agree.
    """

    def __init__(self, to: Destination | None, default_port: int) -> None:
        self.to = to
        self._default_port = default_port
        self._begun = False
        self.switching = False
        """Whether the last request asked for another protocol; what follows may not be HTTP."""
        self._start()

    def name_in_tls(self, name: str | None) -> str:
        """Take the name that TLS gives, and return the host to answer for."""
        if self.to is None:
            if name is None:
                raise NamelessError("TLS does not name the host that it is for")
            self.to = Destination(parse_host(name), self._default_port)
        elif name is not None and plain(name) != plain(self.to.host):
            said = f"TLS names {name[:100]!r} in a tunnel to {self.to.host!r}"
            raise MismatchError(said, self.to.host)
        return self.to.host

    def feed(self, data: bytes) -> bytes:
        """Read on; return what follows a request that asked for another protocol."""
        while data and not self.switching:
            data = self._read_head(data) if self._body is None else self._body.take(data)
            if self._body is not None and self._body.done:
                self.switching = self._upgrade
                self._start()
        return data

    def unswitched(self) -> None:
        """The protocol stays HTTP: what follows is a request again."""
        self.switching = False

    def _start(self) -> None:
        self._head = bytearray()
        self._body: Body | None = None
        self._upgrade = False

    def _read_head(self, data: bytes) -> bytes:
        """Read on in a head; return what follows it."""
        begun = len(self._head)
        self._head += data
        end = self._head.find(HEAD_END, max(0, begun - len(HEAD_END) + 1)) + len(HEAD_END)
        whole = end >= len(HEAD_END)
        head = bytes(self._head[:end] if whole else self._head)
        strict_head(head)
        if not whole:
            return b""
        machine = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
        machine.receive_data(head)
        try:
            event = machine.next_event()
        except h11.RemoteProtocolError as error:
            raise MalformedRequestError(str(error)) from error
        if not isinstance(event, h11.Request):
            raise MalformedRequestError("this is not a request")
        self._check(event)
        self._body = body_of(head)
        return data[end - begun :]

    def _check(self, request: h11.Request) -> None:
        if not request.target.startswith(b"/") and request.target != b"*":
            raise MalformedRequestError("a request in a tunnel names a path")
        headers = [(name, value) for name, value in request.headers]
        to = _destination(headers, self._default_port) if self.to is None else self.to
        names = [name for name, _ in headers]
        if b"host" not in names:
            # workerd would take the address of the tunnel for it, and the receipt would show that.
            raise NamelessError("a request names its host once", to.host)
        if request.http_version not in VERSIONS:
            raise MalformedRequestError("a request is of version 1.1", to.host)
        check_path(request.target.decode("latin-1"), to)
        self.to = to
        checked_headers(headers, self.to, self._default_port)
        self._upgrade = b"upgrade" in names
        # Else the answer to an earlier request, which is not read, could pass for the one to this.
        if self._upgrade and self._begun:
            raise MalformedRequestError("a connection that is to change its protocol begins with that")
        self._begun = True


def plain(host: str) -> str:
    return host.lower().removesuffix(".")


def _destination(headers: Headers, port: int) -> Destination:
    """Return where a request is for that came without a word on it: its Host says."""
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 or not hosts[0]:
        raise NamelessError("a request names its host once")
    to = parse_authority(hosts[0].decode("latin-1"), port)
    if to.port != port:
        raise MismatchError("the Host header names another port than the connection's", to.host)
    return to


class WatchedSide(Side):
    """The computer's end of a tunnel."""

    def __init__(self, watch: RequestWatch) -> None:
        super().__init__()
        self._watch: RequestWatch | None = watch
        self._held = bytearray()
        self._answered = False
        self._lost = asyncio.Event()
        self.found: asyncio.Future[Destination] = self.closed.get_loop().create_future()
        """Where the connection is for, as soon as that is known."""
        self._note(watch)

    def name_in_tls(self, name: str | None) -> str:
        """Choose the leaf for a client that greets; what is wrong with the name ends this side."""
        watch = self._watch
        if watch is None:
            raise MalformedRequestError("TLS is begun once")
        try:
            host = watch.name_in_tls(name)
        except MalformedRequestError as error:
            self._refuse(error)
            raise
        self._note(watch)
        return host

    def eof_received(self) -> bool:
        # What still waits for an answer would come after the end that is passed on here.
        self._held.clear()
        return self.found.done() and super().eof_received()

    def data_received(self, data: bytes) -> None:
        if self.closed.done():
            return
        watch = self._watch
        if watch is None:
            super().data_received(data)
            return
        if watch.switching:
            self._hold(data)
            return
        try:
            rest = watch.feed(data)
        except MalformedRequestError as error:
            self._refuse(error)
            return
        super().data_received(data[: len(data) - len(rest)])
        self._hold(rest)
        self._note(watch)
        if not self.found.done() and self.transport is not None:
            self.transport.resume_reading()

    def on_answer(self, data: bytes) -> None:
        """The other end has said something: the first bytes tell whether the protocol has changed."""
        self._answered = True
        if self._watch is None or not self._watch.switching:
            return
        held, self._held = bytes(self._held), bytearray()
        if data.startswith(SWITCHED):
            self._watch = None
        else:
            self._watch.unswitched()
        if held:
            self.data_received(held)

    def connection_lost(self, error: Exception | None) -> None:
        self._lost.set()
        super().connection_lost(error)

    async def let_go(self, seconds: float) -> None:
        """Wait until what was said last is heard, but no longer: until then the connection counts."""
        if self.transport is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._lost.wait()
        except TimeoutError:
            pass  # it does not listen
        finally:
            self.transport.abort()

    def _note(self, watch: RequestWatch) -> None:
        if watch.to is not None and not self.found.done():
            self.found.set_result(watch.to)

    def _hold(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > HELD_BYTES_MAX:
            self._refuse(MalformedRequestError("too much follows a request for another protocol"))

    def _refuse(self, error: MalformedRequestError) -> None:
        """Let nothing more through; whoever waits for the end of this side gets the error."""
        self.early.clear()
        if not self.closed.done():
            self.closed.set_exception(error)
        self._part()

    def _part(self) -> None:
        """End the other side without an end to this one."""
        if (other := self.other) is not None:
            self.other = other.other = None
            if other.transport is not None:
                other.transport.abort()

    def end_refused(self, error: MalformedRequestError) -> None:
        """Say why, where no answer has begun that the words could be mistaken for a part of."""
        self._part()
        if self._answered and self.transport is not None:
            self.transport.abort()
        else:
            self.end_with(plain_answer(error.status, str(error)))


class AnsweringSide(Side):
    """workerd's end of a tunnel."""

    def __init__(self, watched: WatchedSide) -> None:
        super().__init__()
        self._watched = watched

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watched.on_answer(data)


def watched_sides(to: Destination | None, default_port: int) -> tuple[WatchedSide, AnsweringSide]:
    """Both ends of a tunnel to `to`, or to what the client names first."""
    left = WatchedSide(RequestWatch(to, default_port))
    return left, AnsweringSide(left)
