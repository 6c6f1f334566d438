"""The second step of a restore: everything into its place, in the order of the manifest.

A folder gets its mode and its time when all that is in it is there. One that cannot be put back is noted with
what is in it, and the rest goes on; only a full disk ends everything.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from .left_out import LeftOut
from .manifest import ManifestError
from .opening import FOLDER
from .spool import FULL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .errand import Errand
    from .manifest import Entry
    from .staging import Staging

_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FIRST_MODE = 0o600


class Folder(NamedTuple):
    """A folder that is being filled."""

    name: str
    fd: int
    mode: int
    mtime_ns: int


class Placing:
    """Goes through a manifest once; `tree` is called for each outermost folder, in their order."""

    def __init__(self, errand: Errand, paths: Mapping[str, str], entries: Iterator[Entry]) -> None:
        self._errand = errand
        self._entries = entries
        self._number = -1
        self._files = self._folders = self._bytes = 0
        self._missing = LeftOut(paths)
        self._way: list[Folder] = []

    def result(self) -> dict[str, object]:
        return {
            "files": self._files,
            "folders": self._folders,
            "bytes": self._bytes,
            "missing": self._missing.count,
            "missing_names": self._missing.names,
        }

    def tree(self, name: str, fd: int, staging: Staging) -> None:
        """Fill an open folder. Raises ManifestError, and OSError for a full disk."""
        entry = next(self._entries, None)
        if entry is None or entry[:2] != ["d", name]:
            raise ManifestError(f"there is no {name} in it")
        self._way.append(Folder(name, fd, entry[2], entry[3]))
        while self._way:
            entry = next(self._entries, None)
            if entry is None:
                raise ManifestError("it ends within a folder")
            self._errand.gets_on()
            if entry[0] == "u":
                self._leave(staging)
            elif entry[0] == "+":
                self._count(entry[1])
            else:
                self._try(entry, staging)

    def _try(self, entry: Entry, staging: Staging) -> None:
        kind, name = entry[0], entry[1]
        if kind in ("f", "F"):
            self._number += 1
            self._count(entry[8])
        try:
            self._place(entry, self._way[-1].fd, staging)
        except OSError as error:
            if error.errno in FULL:
                raise
            self._missing.note([*(folder.name for folder in self._way), name])
            if kind == "d":
                self._pass_over()

    def _place(self, entry: Entry, above: int, staging: Staging) -> None:
        match entry:
            case ["d", name, mode, mtime_ns]:
                # The computer's own is there already: the manifest lies in it.
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=above)
                fd = os.open(name, FOLDER, dir_fd=above)
                self._way.append(Folder(name, fd, mode, mtime_ns))
                self._folders += 1
            case ["f" | "F", name, mode, mtime_ns, size, _, _, linked, _]:
                (staging.link if linked else staging.move)(self._number, name, above)
                if os.stat(name, dir_fd=above, follow_symlinks=False).st_size < size:
                    _lengthen(name, above, size)
                _set(name, above, mode, mtime_ns)
                self._files += 1
            case ["h", name, number]:
                staging.link(number, name, above)
                self._files += 1
            case ["s", name, mtime_ns, target]:
                os.symlink(target, name, dir_fd=above)
                os.utime(name, ns=(mtime_ns, mtime_ns), dir_fd=above, follow_symlinks=False)
            case ["p", name, mode, mtime_ns]:
                os.mkfifo(name, _FIRST_MODE, dir_fd=above)
                _set(name, above, mode, mtime_ns)
            case _:
                raise ManifestError(f"{entry[0]!r} is not known")

    def _leave(self, staging: Staging) -> None:
        here = self._way.pop()
        if self._way:
            os.fchmod(here.fd, here.mode)
            os.utime(here.fd, ns=(here.mtime_ns, here.mtime_ns))
            os.close(here.fd)
            return
        staging.remove()
        # The outermost may be somebody else's, who only lets us write into it.
        with suppress(PermissionError):
            os.fchmod(here.fd, here.mode)
            os.utime(here.fd, ns=(here.mtime_ns, here.mtime_ns))

    def _pass_over(self) -> None:
        """Of a folder that could not be made."""
        depth = 1
        while depth and (entry := next(self._entries, None)) is not None:
            depth += {"d": 1, "u": -1}.get(entry[0], 0)
            self._number += entry[0] in ("f", "F")

    def _count(self, extents: list[list[int]]) -> None:
        self._bytes += sum(extent[1] for extent in extents)


def _set(name: str, above: int, mode: int, mtime_ns: int) -> None:
    if mode != _FIRST_MODE:
        os.chmod(name, mode, dir_fd=above)
    os.utime(name, ns=(mtime_ns, mtime_ns), dir_fd=above, follow_symlinks=False)


def _lengthen(name: str, above: int, size: int) -> None:
    """A hole at the end of a file."""
    fd = os.open(name, _WRITE, dir_fd=above)
    try:
        os.ftruncate(fd, size)
    finally:
        os.close(fd)
