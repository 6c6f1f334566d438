"""A file's new content, beside the old one until it is whole.

The bytes go to a temporary file in the workspace, are forced to the disk, and take the old file's
place in one step. Whoever reads meanwhile has the old content or the new, and a full disk or a
client that goes away in the middle leaves the old one as it was.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from . import limits
from .errors import FileChanged, NotAFile, shown
from .workspace import Place, Workspace, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = ".berth/tmp"
_NEW_MODE = 0o644


class Replacement:
    """Write, then `commit` or `discard`."""

    def __init__(self, workspace: Workspace, token: str) -> None:
        self.size = 0
        self.committed = False
        self._workspace = workspace
        with workspace.place(f"{FOLDER}/{token}", make_parents=True) as place:
            self._name = place.name
            self._folder = os.dup(place.directory)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            self._fd = os.open(self._name, flags, 0o600, dir_fd=self._folder)
        self.inode = os.fstat(self._fd).st_ino

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        self.size += len(data)

    def sync(self) -> None:
        """May take long; the mode bits are set before the content can be seen."""
        os.fsync(self._fd)

    def content(self) -> bytes:
        """What was written."""
        return read_all(self._fd, self.size)

    def commit(self, path: str, exclusive: bool, version: str | None) -> str:
        """Take the place of what is there, or of nothing; returns the path that was used."""
        with self._workspace.place(path, make_parents=True) as place:
            there = place.stat()
            if exclusive:
                return self._link(place)
            if there is not None and not stat.S_ISREG(there.st_mode):
                raise NotAFile(
                    f"{shown(path)} is {kind_of(there)}, not a regular file.",
                    reason="not_regular",
                    path=shown(path),
                )
            if version is not None and (there is None or version != version_of(there)):
                raise FileChanged(
                    f"{shown(path)} has changed since it was read.",
                    reason="file_changed",
                    path=shown(path),
                    changed=True,
                )
            mode = _NEW_MODE if there is None else stat.S_IMODE(there.st_mode)
            os.fchmod(self._fd, mode)
            os.rename(self._name, place.name, src_dir_fd=self._folder, dst_dir_fd=place.directory)
            self.committed = True
            return place.path(place.name)

    def discard(self) -> None:
        """Remove what was not committed, and let go."""
        # After a rename it has its own name.
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._folder)
        os.close(self._fd)
        os.close(self._folder)

    def _link(self, place: Place) -> str:
        os.fchmod(self._fd, _NEW_MODE)
        for name in free_names(place.name):
            try:
                os.link(
                    self._name,
                    name,
                    src_dir_fd=self._folder,
                    dst_dir_fd=place.directory,
                    follow_symlinks=False,
                )
            except FileExistsError:
                continue
            self.committed = True
            return place.path(name)
        raise FileChanged(
            f"There are too many files named like {shown(place.name)}.",
            reason="names_alike",
            path=shown(place.name),
        )


def free_names(name: str) -> Iterator[str]:
    """`data.csv`, `data (2).csv`, `data (3).csv` and so on."""
    yield name
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    elif stem.endswith(".tar"):
        stem, ending = stem.removesuffix(".tar"), f"tar.{ending}"
    for number in range(2, limits.NAMES_TRIED):
        yield f"{stem} ({number}){dot}{ending}"


def read_all(fd: int, size: int) -> bytes:
    """The first `size` bytes of a file, or as many as there are."""
    parts: list[bytes] = []
    at = 0
    while at < size and (part := os.pread(fd, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def version_of(state: os.stat_result) -> str:
    """Changes whenever the file does: another file, another size, or written again."""
    return f'"{state.st_ino:x}-{state.st_size:x}-{state.st_mtime_ns:x}-{state.st_ctime_ns:x}"'
