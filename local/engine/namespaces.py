"""Reaching into a sandbox's namespaces from outside, without a process that stays there.

A socket belongs to the network namespace in which it was made, for good. So somebody joins the
sandbox's network for a moment and makes the listener and a stock of sockets that are not connected
yet; the engine connects them later, from where it is. That needs no relay inside. For root it is a
thread that joins; an ordinary user must first join the user namespace that bubblewrap made for
him, which takes a process: a forked child passes the sockets back.
"""

import array
import ctypes
import fcntl
import functools
import logging
import os
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from local.engine import anyip, names
from local.engine.errors import StartFailedError

log = logging.getLogger(__name__)

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
NS_GET_USERNS = 0xB701
MS_REC, MS_SLAVE, MS_BIND = 0x4000, 0x80000, 0x1000
IP_FREEBIND = 15
BACKLOG = 128
DOORS = 5
KINDS = ("mnt", "pid", "net", "ipc", "uts")
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def set_namespace(descriptor: int) -> None:
    _check(_libc.setns(descriptor, 0), "setns")


def private_mounts() -> None:
    """Give this process mounts of its own: what it mounts, the host does not see."""
    _check(_libc.unshare(CLONE_NEWNS), "unshare")
    _check(_libc.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "mount")


def new_network() -> None:
    """Give this process a network of its own; an ordinary user needs to be root over it first."""
    kinds = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWNET | CLONE_NEWUSER
    _check(_libc.unshare(kinds), "unshare")


def mount_tmpfs(target: str) -> None:
    _check(_libc.mount(b"berth", target.encode(), b"tmpfs", 0, b"mode=755"), "mount")


def bind(source: str, target: str) -> None:
    _check(_libc.mount(source.encode(), target.encode(), None, MS_BIND | MS_REC, None), "mount")


@dataclass(frozen=True)
class Namespaces:
    """Open descriptors of one sandbox's namespaces, taken while its first process waits."""

    descriptors: dict[str, int]
    owner: int
    """The user namespace that owns the others; bubblewrap makes that of the programs below it."""

    @classmethod
    def of(cls, process: int) -> "Namespaces":
        found: dict[str, int] = {}
        try:
            for kind in KINDS:
                found[kind] = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
            owner = fcntl.ioctl(found["net"], NS_GET_USERNS)
        except OSError as error:
            for descriptor in found.values():
                os.close(descriptor)
            raise StartFailedError(f"the sandbox's namespaces cannot be opened: {error}") from error
        return cls(found, owner)

    def close(self) -> None:
        for descriptor in (*self.descriptors.values(), self.owner):
            os.close(descriptor)


@dataclass(frozen=True)
class Doors:
    """The sockets by which a computer's programs come to the engine. All but the proxy may be missing."""

    proxy: socket.socket
    http: socket.socket | None = None
    https: socket.socket | None = None
    names: socket.socket | None = None
    names_by_stream: socket.socket | None = None

    def close(self) -> None:
        for item in (self.proxy, self.http, self.https, self.names, self.names_by_stream):
            if item is not None:
                item.close()


def doors_inside(spaces: Namespaces, count: int, proxy_port: int) -> tuple[Doors, list[socket.socket]]:
    """Open a sandbox's network to the engine; return its doors and `count` TCP sockets of it."""
    found = sockets_inside(spaces, count, proxy_port)
    made = {(item.type, item.getsockname()[1]): item for item in found}
    http, https = (made.get((socket.SOCK_STREAM, port)) for port in anyip.PORTS)
    doors = Doors(
        made[socket.SOCK_STREAM, proxy_port],
        http,
        https,
        names=made.get((socket.SOCK_DGRAM, names.PORT)),
        names_by_stream=made.get((socket.SOCK_STREAM, names.PORT)),
    )
    return doors, [item for item in found if item.getsockname()[1] == 0]


def sockets_inside(spaces: Namespaces, count: int, listen: int | None) -> list[socket.socket]:
    """Return `count` TCP sockets of the sandbox's network, and with a proxy's port the doors."""
    made = _by_thread if os.geteuid() == 0 else _by_child
    found, refused = made(spaces, count, listen)
    if refused:
        _not_intercepted(refused)
    for item in found:
        item.setblocking(False)
        if item.type == socket.SOCK_STREAM:
            item.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


@functools.cache
def _not_intercepted(reason: str) -> None:
    """Say once, and not at each start, what this machine does not allow."""
    log.warning("programs that ignore the proxy reach nothing: this machine refuses the routes (%s)", reason)


def _by_thread(spaces: Namespaces, count: int, listen: int | None) -> tuple[list[socket.socket], str]:
    made: list[socket.socket] = []
    failed: list[OSError] = []
    refused: list[str] = []

    def work() -> None:
        try:
            set_namespace(spaces.descriptors["net"])
            made.extend(_make_sockets(count, listen, refused))
        except OSError as error:
            failed.append(error)

    # A thread of its own, that ends in the sandbox's network and never does anything else.
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise StartFailedError(f"the sandbox's network cannot be joined: {failed[0]}")
    return made, "".join(refused)


def _by_child(spaces: Namespaces, count: int, listen: int | None) -> tuple[list[socket.socket], str]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    child = os.fork()
    if child == 0:
        try:
            set_namespace(spaces.owner)
            set_namespace(spaces.descriptors["net"])
            refused: list[str] = []
            made = _make_sockets(count, listen, refused)
            theirs.sendmsg([b"+" + "".join(refused).encode()], [_rights(made)])
        except OSError as error:
            theirs.sendall(b"-" + str(error).encode())
        finally:
            os._exit(0)
    theirs.close()
    try:
        size = socket.CMSG_SPACE((count + DOORS) * array.array("i").itemsize)
        data, messages, _, _ = ours.recvmsg(4096, size, socket.MSG_CMSG_CLOEXEC)
    finally:
        ours.close()
        os.waitpid(child, 0)
    if not data.startswith(b"+"):
        raise StartFailedError(f"the sandbox's network cannot be joined: {data[1:].decode()}")
    found = [socket.socket(fileno=descriptor) for descriptor in _received(messages)]
    return found, data[1:].decode()


def _make_sockets(count: int, listen: int | None, refused: list[str]) -> list[socket.socket]:
    made = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    if listen is not None:
        made.append(_on_loopback(socket.SOCK_STREAM, listen))
        try:
            anyip.route_to_loopback()
            made += [anyip.listener(port) for port in anyip.PORTS]
            made += [_on_loopback(kind, names.PORT) for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM)]
        except OSError as error:
            # Without these, what ignores the proxy finds no way at all.
            refused.append(str(error))
    for item in made[count:]:
        if item.type == socket.SOCK_STREAM:
            item.listen(BACKLOG)
    return made


def _on_loopback(kind: socket.SocketKind, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, kind)
    # The sandbox may not have brought its loopback up yet.
    made.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
    made.bind(("127.0.0.1", port))
    return made


def _rights(made: Iterable[socket.socket]) -> tuple[int, int, bytes]:
    numbers = array.array("i", [item.fileno() for item in made])
    return socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers.tobytes()


def _received(messages: list[tuple[int, int, bytes]]) -> list[int]:
    numbers = array.array("i")
    for level, kind, data in messages:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return list(numbers)
