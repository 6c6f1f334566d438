"""The log of one command: every byte of its output, in a file of the workspace, up to a limit.

The folder belongs to the computer's user, so a command may have put anything in its place. A log
is created anew, never opened over something that is there. When it cannot be written the
command goes on and its result says why the log is not whole.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container
from contextlib import suppress
from typing import TYPE_CHECKING

from . import limits

if TYPE_CHECKING:
    from .space import Space

FOLDER = ".berth/logs"
_FULL = "the workspace is full"
_NEW_BYTES = 4 * 4096
"""What a new log may take before there is anything in it: folders, and its last block."""


class CommandLog:
    """Appends until the limit, the disk or a fault ends it."""

    def __init__(
        self, workspace: str, identifier: str, limit: int | None = None, space: Space | None = None
    ) -> None:
        self.path = f"{workspace}/{FOLDER}/{identifier}.log"
        self.kept = 0
        """Bytes of output in the file, from the first on."""
        self.size = 0
        """Bytes of the file: those, and a line about the limit."""
        self.capped = False
        self.note: str | None = None
        self._limit = limits.LOG_BYTES if limit is None else limit
        self._space = space
        self._fd = -1

    def create(self) -> None:
        """Make the file; a file that is there already is somebody else's."""
        if self._space is not None:
            self._space.wrote(_NEW_BYTES)
        try:
            self._fd = self._open()
        except OSError as error:
            self.note = f"The log could not be made: {error.strerror}."

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self.path, flags, 0o644)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            return os.open(self.path, flags, 0o644)

    def append(self, data: bytes) -> None:
        if self._fd < 0 or self.capped or self.note is not None:
            return
        if self._space is not None:
            if self._space.full:
                self.note = _cut_short(self.kept, _FULL)
                return
            self._space.wrote(len(data))
        room = self._limit - self.kept
        written = self._write(data[:room] if len(data) > room else data)
        self.kept += written
        self.size += written
        if len(data) > room and self.note is None:
            self.capped = True
            line = f"\n[berth: the log ends here, at its limit of {self._limit:,} bytes]\n"
            self.note = _cut_short(self.kept, "that is its limit")
            self.size += self._write(line.encode())

    def read(self, offset: int, size: int) -> bytes:
        """Output from an offset, what there is of it."""
        size = min(size, self.kept - offset)
        if size <= 0:
            return b""
        if self._fd >= 0:
            return os.pread(self._fd, size, offset)
        return read_log(self.path, offset, size)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def discard(self) -> None:
        """Nothing ran: the id is free again."""
        if self._fd >= 0:
            self.close()
            os.unlink(self.path)

    def remove(self) -> None:
        """Nobody will look for it again."""
        self.close()
        with suppress(FileNotFoundError):
            os.unlink(self.path)

    def _write(self, data: bytes) -> int:
        written = 0
        while written < len(data):
            try:
                written += os.write(self._fd, data[written:] if written else data)
            except OSError as error:
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                self.note = _cut_short(self.kept + written, _FULL if full else str(error.strerror))
                break
        return written


def _cut_short(kept: int, reason: str) -> str:
    return f"The log has the first {kept:,} bytes only: {reason}."


def read_log(path: str, offset: int, size: int) -> bytes:
    """Read a finished log, if it is still a file; nothing otherwise."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        return os.pread(fd, size, offset)
    finally:
        os.close(fd)


def prune(workspace: str, kept: Container[str]) -> None:
    """Remove the oldest logs over the number and the bytes that stay; those of `kept` ids stay anyhow.

    The folder belongs to the computer's user: what is no log of ours in it is left alone.
    """
    found: list[tuple[int, int, str]] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(f"{workspace}/{FOLDER}") as entries:
        for entry in entries:
            if entry.name.endswith(".log") and entry.is_file(follow_symlinks=False):
                state = entry.stat(follow_symlinks=False)
                found.append((state.st_mtime_ns, state.st_size, entry.name))
    found.sort(reverse=True)
    size = 0
    for number, (_, length, name) in enumerate(found, start=1):
        size += length
        over = number > limits.LOGS_KEPT or size > limits.LOGS_BYTES
        if over and name.removesuffix(".log") not in kept:
            with suppress(FileNotFoundError):
                os.unlink(f"{workspace}/{FOLDER}/{name}")


def size_of_log(workspace: str, identifier: str) -> int | None:
    """The size of a log on disk, None if there is none under this id."""
    try:
        found = os.lstat(f"{workspace}/{FOLDER}/{identifier}.log")
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
