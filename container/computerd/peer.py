"""Who is at the other end of a connection: the world outside, or a command of this computer.

The port is open to whoever is in the computer. A command that could call it would start commands
that outlive itself, beside every count and limit of the caller. So while commands run, a new
connection is looked up: if its other end is a socket of this network namespace and a process of a
command holds it, or hides what it holds, it is refused. Where nothing of a command runs, nobody
inside can connect.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable, Collection
from typing import NamedTuple

_TABLE = "/proc/net/tcp"
_ROUNDS = 5
"""How often the processes that have come meanwhile are asked too."""


class Row(NamedTuple):
    """One socket of the kernel's table."""

    uid: int
    inode: int
    """0 when its process has closed it already."""


def is_inside(  # noqa: PLR0911 - a reason each
    client: socket.socket, processes: Callable[[], Collection[int]], *, outside_is_us: bool
) -> bool:
    """Whether one of these processes is, or a moment ago was, at the other end.

    `outside_is_us` where the caller outside has the same user as this service, as seen from here.
    """
    try:
        ends = client.getpeername(), client.getsockname()
    except OSError:
        # It has gone; there is nobody to serve.
        return True
    row = _look(ends)
    if row is None:
        return False
    if row.inode == 0:
        # Closed before it was served, and with it went the sign of who it was.
        return True
    if row.uid != os.getuid():
        return False
    if not outside_is_us:
        # Whoever calls from outside is another user, so a socket of ours is from inside, in whosever
        # hands it is: a descriptor can be on its way between two processes.
        return True
    seen: set[int] = set()
    for _ in range(_ROUNDS):
        new = set(processes()) - seen
        if any(_may_hold(pid, row.inode) for pid in new):
            return True
        if not new:
            break
        seen |= new
    # Nobody had it; unless who had it has closed it while the others were asked.
    row = _look(ends)
    return row is None or row.inode == 0


def is_our_user(client: socket.socket) -> bool:
    """Whether the socket at the other end belongs to this network namespace and to our user."""
    try:
        row = _look((client.getpeername(), client.getsockname()))
    except OSError:
        return False
    return row is not None and row.uid == os.getuid()


def _look(ends: tuple[tuple[str, int], tuple[str, int]]) -> Row | None:
    with open(_TABLE, encoding="ascii") as file:
        return find(file.read(), *ends)


def find(table: str, local: tuple[str, int], remote: tuple[str, int]) -> Row | None:
    """The row of the socket with these two ends; None if it is not of this namespace."""
    wanted = [_hex(local), _hex(remote)]
    for line in table.splitlines():
        words = line.split()
        if words[1:3] == wanted:
            return Row(int(words[7]), int(words[9]))
    return None


def _hex(address: tuple[str, int]) -> str:
    (number,) = struct.unpack("=I", socket.inet_aton(address[0]))
    return f"{number:08X}:{address[1]:04X}"


def _may_hold(pid: int, inode: int) -> bool:
    """Whether the process has the socket; one that hides what it has may have it."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except PermissionError:
        return True
    except (FileNotFoundError, ProcessLookupError):
        return False
    # A thread can have a table of descriptors of its own (`unshare(CLONE_FILES)`).
    return any(_thread_may_hold(f"/proc/{pid}/task/{thread}/fd", inode) for thread in threads)


def _thread_may_hold(folder: str, inode: int) -> bool:
    name = f"socket:[{inode}]"
    try:
        return any(os.readlink(f"{folder}/{fd}") == name for fd in os.listdir(folder))
    except PermissionError:
        return True
    except (FileNotFoundError, ProcessLookupError):
        # It has ended, or closed one of them, while we looked.
        return False
