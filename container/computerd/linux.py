"""The few things of the kernel that Python's standard library does not reach.

Signals are blocked and read from a descriptor, because a `signalfd` says who sent one: as the
first process of its namespace computerd obeys the world outside (sender 0) and nobody inside.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from typing import NamedTuple

_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_SFD_CLOEXEC = os.O_CLOEXEC
_SFD_NONBLOCK = os.O_NONBLOCK
_SIGINFO_BYTES = 128

_RENAME_NOREPLACE = 1

_libc = ctypes.CDLL(None, use_errno=True)


class Arrival(NamedTuple):
    """A signal, and the process that sent it as seen from here (0: from outside)."""

    number: int
    sender: int


def _prctl(option: int, value: int | bytes) -> None:
    argument = value if isinstance(value, bytes) else ctypes.c_ulong(value)
    if _libc.prctl(option, argument, 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def hide_memory() -> None:
    """Nobody of the same user may trace this process or read its environment and memory."""
    _prctl(_PR_SET_DUMPABLE, 0)


def show_memory() -> None:
    """Undo `hide_memory`: a hidden process may not write its own files below /proc either."""
    _prctl(_PR_SET_DUMPABLE, 1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def name_process(name: str) -> None:
    _prctl(_PR_SET_NAME, name.encode()[:15] + b"\0")


def sync_files(fd: int) -> None:
    """Force everything to the disk that a descriptor's file system holds."""
    if _libc.syncfs(fd):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def rename_to_free(folder: int, name: str, other: int, new: str) -> None:
    """Move what has this name in an open folder; what has the new one already is never replaced."""
    old_name, new_name = os.fsencode(name), os.fsencode(new)
    if _libc.renameat2(folder, old_name, other, new_name, _RENAME_NOREPLACE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def block_signals() -> None:
    """Hold back every signal that can be held back, for `signal_descriptor` to read."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def signal_descriptor(*numbers: int) -> int:
    mask = (ctypes.c_uint64 * 16)()
    for number in numbers:
        mask[0] |= 1 << (number - 1)
    fd = _libc.signalfd(-1, ctypes.byref(mask), _SFD_CLOEXEC | _SFD_NONBLOCK)
    if fd < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(fd)


def arrivals(fd: int) -> list[Arrival]:
    """Read what has come in at a signal descriptor; empty when there is nothing."""
    try:
        data = os.read(fd, 16 * _SIGINFO_BYTES)
    except BlockingIOError:
        return []
    found = []
    for at in range(0, len(data), _SIGINFO_BYTES):
        number, _errno, _code, sender = struct.unpack_from("=IiiI", data, at)
        found.append(Arrival(number, sender))
    return found


def resume(pid: int) -> None:
    """Wake a process that somebody has stopped."""
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return
