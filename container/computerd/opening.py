"""Opening and reading what a walk meets: never through a link, and also what its owner has closed to himself.

A folder or file without the bits that reading needs is opened up for the moment. computerd is told before,
with a descriptor, so that it gets its mode back even if this process is killed meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .errand import Errand

FOLDER_BITS = 0o500
FILE_BITS = 0o400
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO or a device must not hold up the open itself, nor become our terminal.
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class Opened:
    """An open folder or file; `close` puts its mode back where that was changed."""

    def __init__(self, fd: int, errand: Errand, closed: tuple[int, int] | None) -> None:
        self.fd = fd
        self._errand = errand
        self._closed = closed

    def close(self) -> None:
        os.close(self.fd)
        if self._closed is not None:
            handle, mode = self._closed
            set_mode(handle, mode)
            os.close(handle)
            self._errand.tell("closed")


def opened(errand: Errand, name: str, above: int, state: os.stat_result) -> Opened:
    """Open a folder or a regular file that `state` is of, for reading. Raises OSError."""
    folder = stat.S_ISDIR(state.st_mode)
    flags, bits = (FOLDER, FOLDER_BITS) if folder else (FILE, FILE_BITS)
    user = os.geteuid()
    if user == 0 or state.st_uid != user or state.st_mode & bits == bits:
        return Opened(os.open(name, flags, dir_fd=above), errand, None)
    return _opened_up(errand, os.open(name, _LOOK, dir_fd=above), flags, bits)


def opened_outermost(errand: Errand, fd: int) -> Opened:
    """Open one of the two folders that have none above, by a handle. Raises OSError."""
    if os.geteuid() == 0 or os.fstat(fd).st_mode & FOLDER_BITS == FOLDER_BITS:
        return Opened(os.open(f"/proc/self/fd/{fd}", FOLDER & ~os.O_NOFOLLOW), errand, None)
    return _opened_up(errand, os.dup(fd), FOLDER, FOLDER_BITS)


def _opened_up(errand: Errand, handle: int, flags: int, bits: int) -> Opened:
    closed: tuple[int, int] | None = None
    try:
        state = os.fstat(handle)
        if stat.S_IFMT(state.st_mode) not in (stat.S_IFDIR, stat.S_IFREG):
            raise FileNotFoundError(errno.ENOENT, "something else by now")
        closed = (handle, stat.S_IMODE(state.st_mode))
        errand.tell("opened", closed[1], fd=handle)
        set_mode(handle, closed[1] | bits)
        # Not the name again: it may be another's by now.
        fd = os.open(f"/proc/self/fd/{handle}", flags & ~os.O_NOFOLLOW)
    except OSError:
        if closed is not None:
            set_mode(*closed)
            errand.tell("closed")
        os.close(handle)
        raise
    return Opened(fd, errand, closed)


def set_mode(handle: int, mode: int) -> None:
    """Of what a descriptor that can do nothing else is of: `fchmod` refuses such a one."""
    os.chmod(f"/proc/self/fd/{handle}", mode)


class Source:
    """A file that is opened when something of it is read."""

    def __init__(self, opening: Callable[[], Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    @property
    def fd(self) -> int:
        if self._opened is None:
            self._opened = self._opening()
        return self._opened.fd

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def read(self, offset: int, length: int) -> bytes:
        """As many bytes as there are by now, at most `length`."""
        data = os.pread(self.fd, length, offset)
        while len(data) < length and (more := os.pread(self.fd, length - len(data), offset + len(data))):
            data += more
        return data

    def blocks(self, state: os.stat_result, block_bytes: int) -> Iterator[tuple[int, int]]:
        """Offset and length of what is no hole, cut where whole blocks begin."""
        at = 0
        while at < state.st_size:
            end = state.st_size
            if state.st_blocks * 512 < state.st_size:
                try:
                    at = os.lseek(self.fd, at, os.SEEK_DATA)
                    end = min(os.lseek(self.fd, at, os.SEEK_HOLE), end)
                except OSError as error:
                    if error.errno == errno.ENXIO:
                        return  # nothing but a hole is left
                    raise
            while at < end:
                cut = min(end, (at // block_bytes + 1) * block_bytes)
                yield at, cut - at
                at = cut
