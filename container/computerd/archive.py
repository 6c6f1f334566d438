"""Packs a folder into a zip as it is read: `python3 -I archive.py ENTRIES MEMORY_KIB 3<FOLDER >ZIP`.

The folder comes as an open directory, and everything in it is opened from there without following a
link, so a name that is swapped for a link meanwhile leads nowhere. Regular files and folders only, without
`.berth`. What vanishes before it is opened is left out; what may not be read too, and a text at the end of
the zip names it. Of a file there comes as much as it had when it was opened, or less. Nothing is written to
the disk, and a full pipe waits for its reader.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import stat
import sys
import time
import zipfile
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = 3
"""The descriptor: as its standard input Python takes no directory."""
_OWN = ".berth"
_PIECE_BYTES = 256 * 1024
_NAME_BYTES = 65_535
_LEFT_OUT = "left out of this zip.txt"
_LEFT_OUT_NAMES = 1_000
_DOS_FOLDER = 0x10
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOT_OURS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.ENODEV)
_FORBIDDEN = (errno.EACCES, errno.EPERM)
# What a zip can say: two seconds in it are one step.
_FIRST_TIME, _LAST_TIME = 315_532_800, 4_354_819_198


class TooMuchError(Exception):
    """There is more in the folder than a zip may list."""


def pack(folder: int, out: BinaryIO, entries: int) -> None:
    """Not a `with`: only what is whole gets its end."""
    archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    left_out = _LeftOut()
    for name, fd, state in _walk(folder, left_out):
        if len(archive.filelist) >= entries or len(name.encode()) > _NAME_BYTES:
            raise TooMuchError
        about = zipfile.ZipInfo(name, _moment(state.st_mtime))
        about.external_attr = (state.st_mode & 0xFFFF) << 16
        if about.is_dir():
            about.external_attr |= _DOS_FOLDER
            # Python 3.11 expects it, and does not set it.
            about.CRC = 0
            archive.mkdir(about)
        else:
            _add(archive, about, fd, state.st_size)
        if len(archive.filelist) == 1:
            # Whoever waits sees that it has begun.
            out.flush()
    left_out.tell(archive)
    archive.close()
    out.flush()


class _LeftOut:
    """What may not be read: whoever unpacks a zip cannot see what is not in it."""

    def __init__(self) -> None:
        self._count = 0
        self._names: list[str] = []

    def note(self, name: str) -> None:
        self._count += 1
        if len(self._names) < _LEFT_OUT_NAMES:
            # As JSON, so that a name with a line break stays one line.
            self._names.append(json.dumps(name, ensure_ascii=False))

    def tell(self, archive: zipfile.ZipFile) -> None:
        if not self._count:
            return
        more = self._count - len(self._names)
        lines = ["The computer's user may not read these, so they are not in this zip:", *self._names]
        taken, name = set(archive.namelist()), _LEFT_OUT
        while name in taken or f"{name}/" in taken:
            name = f"_{name}"
        text = "\n".join([*lines, f"and {more} more"] if more else lines)
        archive.writestr(name, f"{text}\n")


def _add(archive: zipfile.ZipFile, about: zipfile.ZipInfo, fd: int, size: int) -> None:
    about.compress_type = zipfile.ZIP_DEFLATED
    # Tells whether the size needs the larger form, which fewer programs read.
    about.file_size = size
    with archive.open(about, "w") as entry:
        while size and (piece := os.read(fd, min(size, _PIECE_BYTES))):
            entry.write(piece)
            size -= len(piece)


def _walk(folder: int, left_out: _LeftOut) -> Iterator[tuple[str, int, os.stat_result]]:
    """Everything below, folders (with `/` behind) before what is in them, each open while it is looked at."""
    ways = [(folder, "", iter(sorted(os.listdir(folder))))]
    while ways:
        above, prefix, names = ways[-1]
        name = next(names, None)
        if name is None:
            ways.pop()
            os.close(above)
            continue
        if name == _OWN:
            continue
        whole = prefix + _told(name)
        try:
            fd = _opened(name, above)
        except OSError as error:
            if error.errno not in _FORBIDDEN:
                raise
            left_out.note(whole)
            continue
        if fd is None:
            continue
        state = os.fstat(fd)
        if stat.S_ISDIR(state.st_mode):
            yield f"{whole}/", fd, state
            ways.append((fd, f"{whole}/", iter(sorted(os.listdir(fd)))))
            continue
        try:
            if stat.S_ISREG(state.st_mode):
                yield whole, fd, state
        finally:
            os.close(fd)


def _opened(name: str, folder: int) -> int | None:
    """A file or a folder, open; None for what is neither, or has gone."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        # Opening a pipe or a device does something to it.
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return None
        return os.open(name, _OPEN, dir_fd=folder)
    except OSError as error:
        if error.errno in _NOT_OURS:
            return None
        raise


def _told(name: str) -> str:
    """The name in a zip, which is UTF-8: as `names.py` tells it, which this process does not import."""
    escaped = name.replace("\ufffd", "\udcef\udcbf\udcbd")
    return "".join(f"\ufffd{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in escaped)


def _moment(seconds: float) -> tuple[int, int, int, int, int, int]:
    at = time.gmtime(min(max(seconds, _FIRST_TIME), _LAST_TIME))
    return at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec


def main(entries: int, memory_kib: int) -> None:
    # A reader that has gone ends this at once and without a word.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (memory_kib * 1024, memory_kib * 1024))
    pack(_FOLDER, sys.stdout.buffer, entries)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]))
    except (TooMuchError, MemoryError, OSError) as error:
        # The reader only learns that it ends in the middle, and closing the archive would give it an end.
        os.write(2, f"a folder could not be packed: {error!r}\n".encode("utf-8", "replace"))
        os._exit(1)
