"""Where files lie under their numbers until all of them are there."""

from __future__ import annotations

import os
from contextlib import suppress

from .opening import FOLDER
from .removal import remove_below

_FILES_A_FOLDER = 1024
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class Staging:
    """A folder of its own in `folder`, on the same file system: from here files are moved."""

    def __init__(self, folder: int, name: str) -> None:
        self._folder = folder
        self._name = name
        os.mkdir(name, 0o700, dir_fd=folder)
        self._fd = os.open(name, FOLDER, dir_fd=folder)
        self._number = -1
        self._file = -1

    def file(self, number: int) -> int:
        """A descriptor to write to, until the next one is asked for."""
        if number != self._number:
            self.rest()
            path = _path(number)
            try:
                self._file = os.open(path, _WRITE, 0o600, dir_fd=self._fd)
            except FileNotFoundError:
                os.mkdir(path.partition("/")[0], 0o700, dir_fd=self._fd)
                self._file = os.open(path, _WRITE, 0o600, dir_fd=self._fd)
            self._number = number
        return self._file

    def rest(self) -> None:
        """Hold no file open."""
        if self._number >= 0:
            os.close(self._file)
            self._number = -1

    def move(self, number: int, name: str, folder: int) -> None:
        """Give a file its place; where nothing was written of it, it is empty."""
        try:
            os.rename(_path(number), name, src_dir_fd=self._fd, dst_dir_fd=folder)
        except FileNotFoundError:
            os.close(os.open(name, _WRITE | os.O_EXCL, 0o600, dir_fd=folder))

    def link(self, number: int, name: str, folder: int) -> None:
        """Give a file one of its places."""
        if not self._has(number):
            self.file(number)
            self.rest()
        os.link(_path(number), name, src_dir_fd=self._fd, dst_dir_fd=folder, follow_symlinks=False)

    def remove(self) -> None:
        """Nothing is moved from here any more."""
        self.rest()
        remove_below(self._fd)
        os.close(self._fd)
        os.rmdir(self._name, dir_fd=self._folder)

    def _has(self, number: int) -> bool:
        with suppress(FileNotFoundError):
            os.stat(_path(number), dir_fd=self._fd, follow_symlinks=False)
            return True
        return False


def _path(number: int) -> str:
    return f"{number // _FILES_A_FOLDER}/{number}"
