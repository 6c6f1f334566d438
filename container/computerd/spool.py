"""What a helper writes: to the disk, or in memory where that is full, so that a full one can be saved too."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE_BYTES = 256 * 1024
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SpoolError(Exception):
    """What must be written cannot be; no fault of the file that is being read."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.full = error.errno in FULL


class Spool:
    """A file that is only added to, `fd` for whoever reads it."""

    def __init__(self, fd: int, memory_bytes: int = 0) -> None:
        self.fd = fd
        self.size = 0
        self.in_memory = False
        self._memory_bytes = memory_bytes

    def write(self, data: bytes) -> None:
        """Raises SpoolError."""
        try:
            self._write(data)
        except OSError as error:
            if SpoolError(error).full and not self.in_memory and self.size <= self._memory_bytes:
                self._move()
                self.write(data)
                return
            raise SpoolError(error) from error

    def cut(self, size: int) -> None:
        self.size = size

    def parts(self) -> Iterator[bytes]:
        at = 0
        while at < self.size and (data := os.pread(self.fd, min(_PIECE_BYTES, self.size - at), at)):
            at += len(data)
            yield data

    def _write(self, data: bytes) -> None:
        if self.in_memory and self.size + len(data) > self._memory_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        view, at = memoryview(data), self.size
        while view:
            count = os.pwrite(self.fd, view, at)
            view, at = view[count:], at + count
        self.size = at

    def _move(self) -> None:
        memory = Spool(os.memfd_create("spool", os.MFD_CLOEXEC), self._memory_bytes)
        memory.in_memory = True
        for data in self.parts():
            memory.write(data)
        # Others need the room that this took.
        os.ftruncate(self.fd, 0)
        os.close(self.fd)
        self.fd, self.in_memory = memory.fd, True
