"""Removing everything below a folder: never through a link, however deep, and also what is closed."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from .opening import FOLDER, set_mode

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_below(folder: int, spared: frozenset[str] = frozenset()) -> None:
    """Empty an open folder but for the names that are spared in it. Raises OSError."""
    way: list[tuple[int, str, Iterator[str]]] = [(folder, "", _names(folder, spared))]
    while way:
        here, name, left = way[-1]
        below = next(left, None)
        if below is not None:
            if stat.S_ISDIR(os.stat(below, dir_fd=here, follow_symlinks=False).st_mode):
                fd = _opened(below, here)
                way.append((fd, below, _names(fd, frozenset())))
            else:
                os.unlink(below, dir_fd=here)
            continue
        way.pop()
        if way:
            os.close(here)
            os.rmdir(name, dir_fd=way[-1][0])


def remove_all(home: int, workspace: int) -> None:
    """Empty both folders, but for the place of the manifest. Raises OSError."""
    remove_below(home)
    remove_below(workspace, frozenset({".berth"}))
    try:
        own = os.open(".berth", FOLDER, dir_fd=workspace)
    except FileNotFoundError:
        return
    try:
        remove_below(own, frozenset({"backup"}))
    finally:
        os.close(own)


def remove_folder(above: int, name: str) -> None:
    """Remove a folder and what is in it, closed or not. Raises OSError, also if something is put into it."""
    folder = _opened(name, above)
    try:
        remove_below(folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=above)


def reopened(handle: int) -> int:
    """A folder for doing everything with it, by a descriptor that can do nothing. Raises OSError."""
    if os.fstat(handle).st_mode & 0o700 != 0o700:
        set_mode(handle, 0o700)
    return os.open(f"/proc/self/fd/{handle}", FOLDER & ~os.O_NOFOLLOW)


def _names(folder: int, spared: frozenset[str]) -> Iterator[str]:
    return iter([name for name in os.listdir(folder) if name not in spared])


def _opened(name: str, above: int) -> int:
    handle = os.open(name, _LOOK, dir_fd=above)
    try:
        return reopened(handle)
    finally:
        os.close(handle)
