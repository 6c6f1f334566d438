"""The side of a helper process in its talk with computerd: packets of JSON, descriptors beside them.

A helper does what takes long and much memory: it packs the files for a backup, or puts them back. computerd
ends it by killing it, and it ends by itself when computerd's side is closed. `errands.py` is that side.

    ["alive"]                        it gets on
    ["opened", mode] + descriptor    of what is opened up: until ["closed"] it has to get its mode back
    ["piece", kind, SHA-256] + descriptor, ["packs"] + descriptor, ["summary"] + descriptor
    ["done"], ["result", answer]
    ["failed", kind, message]        with a kind of `errands.py`; nothing comes after it
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

from .manifest import ManifestError
from .spool import FULL, Spool, SpoolError

if TYPE_CHECKING:
    from collections.abc import Callable

CONTROL = 3
"""The descriptor of the helper's end; those of its order follow."""
PACKET_BYTES = 64 * 1024
_ALIVE_EVERY_S = 2.0

Order = dict[str, Any]


class Gone(Exception):
    """computerd wants nothing of this helper any more."""


class Errand:
    """A helper's end of the talk."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._alive_at = time.monotonic()

    def tell(self, *message: object, fd: int | None = None) -> None:
        """Raises Gone."""
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], [] if fd is None else [fd])
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Gone from error

    def hear(self) -> tuple[list[Any], int]:
        """The next packet, and its descriptor or -1. Raises Gone."""
        try:
            data, fds, _, _ = socket.recv_fds(self._control, PACKET_BYTES, 1, socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError as error:
            raise Gone from error
        if not data:
            raise Gone
        message: list[Any] = json.loads(data)
        return message, fds[0] if fds else -1

    def show(self, kind: str, value: object) -> None:
        """Tell what may be longer than a packet."""
        spool = Spool(os.memfd_create(kind, os.MFD_CLOEXEC))
        spool.write(json.dumps(value).encode())
        self.tell(kind, fd=spool.fd)
        os.close(spool.fd)

    def gets_on(self) -> None:
        """Say now and then that the work gets on; cheap enough for every file."""
        now = time.monotonic()
        if now - self._alive_at > _ALIVE_EVERY_S:
            self._alive_at = now
            self.tell("alive")


def run(work: Callable[[Errand, Order], None], order: str) -> int:
    """Do the work of a helper process and say how it failed, if it did."""
    errand = Errand(socket.socket(fileno=CONTROL))
    found = json.loads(order)
    memory = found["memory_kib"] * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        try:
            work(errand, found)
        except SpoolError as error:
            errand.tell("failed", "full" if error.full else "unavailable", str(error))
        except ManifestError as error:
            errand.tell("failed", "invalid", str(error))
        except OSError as error:
            full = error.errno in FULL
            errand.tell("failed", "full" if full else "unavailable", error.strerror or "")
    except Gone:
        return 0
    except (MemoryError, KeyError, IndexError, TypeError, ValueError) as error:
        # computerd sees that it ends without a word; the operator's log says why.
        print(f"computerd: a helper failed: {error!r}", file=sys.stderr)
        return 1
    return 0
