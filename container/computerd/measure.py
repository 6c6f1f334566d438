"""Measures folders by their blocks: `python3 -I -S measure.py INODE... 3<FOLDER 4<FOLDER` prints the bytes.

It is what a tree takes and not what its files seem to have: holes cost nothing, a file with several names
counts once, the folders themselves count too. Everything is opened from the open folder without following a
link. A folder whose mode keeps even its owner out is opened up while it is looked at, or it could hide
anything. What vanishes or moves meanwhile may be missed. Files with the given inodes are left out: computerd
counts what it writes itself.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_FIRST = 3
"""The descriptor of the first folder."""
_BLOCK = 512
_OPEN_LEVELS = 500
"""Deeper folders are left through `..`, so that depth takes no descriptors."""
_LOOK = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ENOUGH = stat.S_IRUSR | stat.S_IXUSR


class _Level:
    """A folder on the way down, and the folders in it that are still to be looked at."""

    def __init__(self, fd: int, state: os.stat_result) -> None:
        self.fd = fd
        self.inode = state.st_ino
        self.mode: int | None = None
        """To be given back when it is left."""
        self.folders: Iterator[str] = iter(())

    def close(self) -> None:
        if self.fd < 0:
            return
        if self.mode is not None:
            os.chmod(f"/proc/self/fd/{self.fd}", self.mode)
        os.close(self.fd)
        self.fd = -1


class Meter:
    """Adds up what it is shown; a file with several names is remembered."""

    def __init__(self, left_out: Collection[int] = ()) -> None:
        self.total = 0
        self._left_out = left_out
        self._seen: set[tuple[int, int]] = set()

    def add(self, root: int) -> None:
        """Everything below an open folder, and that folder."""
        levels = [self._entered(root)]
        while levels:
            level = levels[-1]
            name = next(level.folders, None)
            if name is None:
                _leave(levels)
                continue
            try:
                levels.append(self._below(level, name))
            except OSError:
                # It has gone, is a folder no more, or is nobody's to open: what can be seen is counted.
                continue
            if len(levels) > _OPEN_LEVELS and level.mode is None:
                level.close()

    def _below(self, above: _Level, name: str) -> _Level:
        fd = os.open(name, _LOOK, dir_fd=above.fd)
        try:
            return self._entered(fd)
        finally:
            os.close(fd)

    def _entered(self, place: int) -> _Level:
        """Open a folder that is held, count what is in it and keep the names of the folders in it."""
        state = os.fstat(place)
        self._count(state)
        mode = stat.S_IMODE(state.st_mode)
        path = f"/proc/self/fd/{place}"
        opened_up = mode & _ENOUGH != _ENOUGH and state.st_uid == os.geteuid()
        if opened_up:
            os.chmod(path, mode | _ENOUGH)
        try:
            level = _Level(os.open(path, _READ & ~os.O_NOFOLLOW), state)
        except OSError:
            if opened_up:
                os.chmod(path, mode)
            raise
        level.mode = mode if opened_up else None
        level.folders = iter(self._counted(level.fd))
        return level

    def _counted(self, fd: int) -> list[str]:
        folders = []
        with os.scandir(fd) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                try:
                    self._count(entry.stat(follow_symlinks=False))
                except OSError:
                    # It has gone meanwhile.
                    continue
        return folders

    def _count(self, state: os.stat_result) -> None:
        if state.st_ino in self._left_out:
            return
        if state.st_nlink > 1 and not stat.S_ISDIR(state.st_mode):
            name = (state.st_dev, state.st_ino)
            if name in self._seen:
                return
            self._seen.add(name)
        self.total += state.st_blocks * _BLOCK


def _leave(levels: list[_Level]) -> None:
    """Go up from the last folder; where it was moved away, as far as the way is still known."""
    left = levels.pop()
    if levels and levels[-1].fd < 0:
        try:
            above = os.open("..", _READ, dir_fd=left.fd)
        except OSError:
            above = -1
        if above >= 0 and os.fstat(above).st_ino == levels[-1].inode:
            levels[-1].fd = above
        else:
            if above >= 0:
                os.close(above)
            while levels and levels[-1].fd < 0:
                levels.pop()
    left.close()


def main(left_out: Collection[int]) -> None:
    meter = Meter(left_out)
    fd = _FIRST
    while True:
        try:
            os.fstat(fd)
        except OSError:
            break
        meter.add(fd)
        fd += 1
    os.write(1, str(meter.total).encode())


if __name__ == "__main__":
    main({int(word) for word in sys.argv[1:]})
