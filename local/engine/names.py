"""The resolver of a computer: every name has one address, and nobody outside is asked.

The address leads nowhere but to the engine, which learns from TLS or from Host what is wanted; so a look-up
tells nobody anything. It stands on the receipt all the same: a name may be all that a program has to say.
What is no plain question gets an error, or nothing where even that could start a loop. Names are read without
following pointers: a question needs none.
"""

import asyncio
import contextlib
import logging
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from local.engine.destination import HOST
from local.engine.tunnel import NOWHERE

log = logging.getLogger(__name__)

Address = tuple[str, int]

PORT = 53
PACKET_BYTES_MAX = 1232
NAME_BYTES_MAX = 255
AT_ONCE = 64
REST_SECONDS = 0.01
TELLING_AT_ONCE = 16
# Less than the five seconds after which programs ask again, and more than a busy machine needs.
TELL_SECONDS = 4.0
TOLD_SECONDS = 1.0
TOLD_NAMES_MAX = 1_000
STREAM_SECONDS = 10.0
TTL_SECONDS = 60

HEADER = struct.Struct("!6H")
LENGTH = struct.Struct("!H")
IS_ANSWER, OPERATION, WANTS_RECURSION, OFFERS_RECURSION = 0x8000, 0x7800, 0x0100, 0x0080
FORMAT_ERROR, NO_SUCH_NAME = 1, 3
A, AAAA, INTERNET = 1, 28, 1
NAME_OF_QUESTION = 0xC00C


def reply(packet: bytes) -> bytes | None:
    """Return the answer to a packet, or nothing where none is due."""
    if not HEADER.size <= len(packet) <= PACKET_BYTES_MAX:
        return None
    number, flags, questions, *_ = HEADER.unpack_from(packet)
    if flags & IS_ANSWER:
        return None
    said = IS_ANSWER | OFFERS_RECURSION | flags & (OPERATION | WANTS_RECURSION)
    asked = _question(packet) if questions == 1 and not flags & OPERATION else None
    if asked is None:
        return HEADER.pack(number, said | FORMAT_ERROR, 0, 0, 0, 0)
    name, kind, question = asked
    if not HOST.fullmatch(name):
        return HEADER.pack(number, said | NO_SUCH_NAME, 1, 0, 0, 0) + question
    if kind != (A, INTERNET):
        return HEADER.pack(number, said, 1, 0, 0, 0) + question
    record = struct.pack("!HHHIH", NAME_OF_QUESTION, A, INTERNET, TTL_SECONDS, 4) + _address(name)
    return HEADER.pack(number, said, 1, 1, 0, 0) + question + record


def elsewhere(packet: bytes) -> str | None:
    """Return the name whose address a good question asks for, unless it is this computer's own."""
    asked = _question(packet)
    if asked is None or asked[1] not in ((A, INTERNET), (AAAA, INTERNET)) or _at_home(asked[0]):
        return None
    return asked[0]


def _at_home(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost")


def _address(name: str) -> bytes:
    return socket.inet_aton("127.0.0.1" if _at_home(name) else NOWHERE)


def _question(packet: bytes) -> tuple[str, tuple[int, int], bytes] | None:
    """Return the name, its type and class, and the question as it was put."""
    labels: list[str] = []
    at = HEADER.size
    while at < len(packet) and (size := packet[at]):
        # 64 and more would be a pointer.
        if size > 63 or at + size - HEADER.size > NAME_BYTES_MAX - 2:
            return None
        labels.append(packet[at + 1 : at + 1 + size].decode("latin-1"))
        at += 1 + size
    end = at + 5
    if end > len(packet):
        return None
    kind, network = struct.unpack_from("!2H", packet, at + 1)
    return ".".join(labels).lower(), (kind, network), packet[HEADER.size : end]


class LookUps:
    """Tells of names that are looked up: each once in a while, so many at a time; the rest go untold."""

    def __init__(self, tell: Callable[[str], Awaitable[None]]) -> None:
        self._tell = tell
        self._telling = 0
        self._told: dict[str, float] = {}

    def news(self, packet: bytes) -> str | None:
        """Return the name of a good question that is to be told of before it is answered."""
        name, now = elsewhere(packet), time.monotonic()
        if name is None or self._telling >= TELLING_AT_ONCE or now - self._told.get(name, 0) < TOLD_SECONDS:
            return None
        if len(self._told) >= TOLD_NAMES_MAX:
            self._told.clear()
        self._told[name] = now
        return name

    async def tell(self, name: str) -> None:
        """Wait until it has been told, but not for long."""
        self._telling += 1
        try:
            async with asyncio.timeout(TELL_SECONDS):
                await self._tell(name)
        except TimeoutError:
            log.warning("a look-up of %s was not told in time", name)
        finally:
            self._telling -= 1


async def answer_stream(connection: socket.socket, look_ups: LookUps) -> None:
    """Answer the questions of a connection, each behind its length, until one is not worth an answer."""
    loop = asyncio.get_running_loop()
    data = b""
    async with asyncio.timeout(STREAM_SECONDS):
        while part := await loop.sock_recv(connection, PACKET_BYTES_MAX):
            data += part
            while len(data) >= LENGTH.size:
                end = LENGTH.size + LENGTH.unpack_from(data)[0]
                if end > LENGTH.size + PACKET_BYTES_MAX:
                    return
                if len(data) < end:
                    break
                packet = data[LENGTH.size : end]
                answer = reply(packet)
                if answer is None:
                    return
                if name := look_ups.news(packet):
                    await look_ups.tell(name)
                await loop.sock_sendall(connection, LENGTH.pack(len(answer)) + answer)
                data = data[end:]


@dataclass
class Resolver:
    """Answers what comes in on a datagram socket, so much at a time, and then lets others have their turn."""

    socket: socket.socket
    look_ups: LookUps
    _resting: asyncio.TimerHandle | None = field(default=None, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)

    def start(self) -> None:
        asyncio.get_running_loop().add_reader(self.socket, self._answer)

    def stop(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
        for task in self._tasks:
            task.cancel()
        asyncio.get_running_loop().remove_reader(self.socket)

    def _answer(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(AT_ONCE):
            try:
                packet, asker = self.socket.recvfrom(PACKET_BYTES_MAX + 1)
            except BlockingIOError:
                return
            except OSError:
                continue  # an earlier answer found nobody
            if (answer := reply(packet)) is None:
                continue
            if name := self.look_ups.news(packet):
                task = loop.create_task(self._tell_and_send(name, answer, asker))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                self._send(answer, asker)
        loop.remove_reader(self.socket)
        self._resting = loop.call_later(REST_SECONDS, self.start)

    async def _tell_and_send(self, name: str, answer: bytes, asker: Address) -> None:
        await self.look_ups.tell(name)
        self._send(answer, asker)

    def _send(self, answer: bytes, asker: Address) -> None:
        with contextlib.suppress(OSError):  # the asker is gone, or does not read
            self.socket.sendto(answer, asker)
