"""Paths of the caller to files of the workspace, and never anywhere else.

A path is walked one component at a time on open directories. Each component is opened without
following it; if it is a link, its target joins the components that are left. `..` goes back to
the directory that was opened before, and above the workspace there is none. So a check and a
use are the same step, and a process that swaps a folder for a link meanwhile changes nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from . import limits, names
from .errors import InvalidRequest, NotAFile, NotFound, PathOutside, refusal_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW
# A FIFO or a device must not hold up the open itself, nor become our terminal.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
_RACES = 16


class Place:
    """A directory that is open, a name in it, and the path of both from the workspace."""

    __slots__ = ("directory", "folders", "name")

    def __init__(self, directory: int, folders: list[str], name: str) -> None:
        self.directory = directory
        self.folders = folders
        self.name = name

    def path(self, name: str) -> str:
        """Where a sibling of this place lies, from the workspace."""
        return "/".join([*self.folders, name])

    def stat(self) -> os.stat_result | None:
        """What is there now, itself and not what it points to."""
        try:
            return os.stat(self.name, dir_fd=self.directory, follow_symlinks=False)
        except FileNotFoundError:
            return None


class Workspace:
    """The folder that a bot's files live in."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._parts = _parts(root)

    @contextmanager
    def place(self, path: str, make_parents: bool = False) -> Iterator[Place]:
        """Find where a path leads, links followed; what is there itself is not opened."""
        walk = _Walk(os.open(self.root, _DIRECTORY & ~os.O_NOFOLLOW), make_parents)
        try:
            yield walk.to(path, self._inside(names.meant(path), path), self._inside)
        except OSError as error:
            raise refusal_of(error, path) from error
        finally:
            walk.close()

    @contextmanager
    def folder(self, path: str) -> Iterator[tuple[int, str]]:
        """Open a folder for listing: descriptor, and its path from the workspace."""
        walk = _Walk(os.open(self.root, _DIRECTORY & ~os.O_NOFOLLOW), make_parents=False)
        try:
            found = walk.descend(path, self._inside(names.meant(path), path), self._inside)
            if found is not None:
                kind = NotFound if found.stat() is None else NotAFile
                raise kind(f"There is no folder {shown(path)} in the workspace.")
            directory, folders = walk.here
            fd = os.open(".", _LIST, dir_fd=directory)
            try:
                yield fd, "/".join(folders)
            finally:
                os.close(fd)
        except OSError as error:
            raise refusal_of(error, path) from error
        finally:
            walk.close()

    @contextmanager
    def open(self, path: str) -> Iterator[tuple[int, os.stat_result, str]]:
        """Open a regular file for reading: descriptor, its state, its own name."""
        for attempt in range(_RACES):
            with self.place(path) as place:
                try:
                    fd = os.open(place.name, _READ, dir_fd=place.directory)
                except OSError as error:
                    # It was no link a moment ago: walk again.
                    if error.errno == errno.ELOOP and attempt < _RACES - 1:
                        continue
                    raise
            break
        try:
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode):
                raise NotAFile(
                    f"{shown(path)} is {kind_of(state)}, not a regular file.",
                    reason="not_regular",
                    path=shown(path),
                )
            yield fd, state, place.name
        finally:
            os.close(fd)

    def _inside(self, target: str, path: str) -> list[str]:
        """The components of a path below the workspace."""
        if "\0" in target:
            raise InvalidRequest("A path has no NUL characters.", reason="path_nul")
        parts = _parts(target)
        if not target.startswith("/"):
            return parts
        own = self._parts
        if parts[: len(own)] != own:
            raise PathOutside(
                f"{shown(path)} is not in the workspace {self.root}.",
                reason="outside",
                path=shown(path),
                root=str(self.root),
            )
        return parts[len(own) :]


class _Walk:
    """The open directories from the workspace down to where the walk stands."""

    def __init__(self, root: int, make_parents: bool) -> None:
        self._open = [root]
        self._names: list[str] = []
        self._make_parents = make_parents
        self._links = 0

    def close(self) -> None:
        for fd in self._open:
            os.close(fd)

    @property
    def here(self) -> tuple[int, list[str]]:
        """The folder where the walk stands, and its names from the workspace."""
        return self._open[-1], self._names

    def to(self, path: str, parts: list[str], inside: Callable[[str, str], list[str]]) -> Place:
        place = self.descend(path, parts, inside)
        if place is None:
            raise NotAFile(f"{shown(path)} is a folder.", reason="is_folder", path=shown(path))
        return place

    def descend(self, path: str, parts: list[str], inside: Callable[[str, str], list[str]]) -> Place | None:
        """Walk to the end of a path; None where it leads to a folder, in which the walk then stands."""
        left = deque(parts)
        while left:
            name = left.popleft()
            if name == "..":
                self._up(path)
                continue
            try:
                fd = os.open(name, _LOOK, dir_fd=self._open[-1])
            except FileNotFoundError:
                if not left:
                    return Place(self._open[-1], self._names, name)
                # Behind what is not there `..` leads nowhere, and no folder is made for it.
                if not self._make_parents or ".." in left:
                    raise
                # Somebody else may need the same folder at the same time.
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=self._open[-1])
                left.appendleft(name)
                continue
            mode = os.fstat(fd).st_mode
            if stat.S_ISDIR(mode):
                self._open.append(fd)
                self._names.append(name)
                continue
            try:
                if stat.S_ISLNK(mode):
                    self._follow(path, os.readlink("", dir_fd=fd), left, inside)
                elif left:
                    raise NotADirectoryError(errno.ENOTDIR, "not a folder")
                else:
                    return Place(self._open[-1], self._names, name)
            finally:
                os.close(fd)
        return None

    def _up(self, path: str) -> None:
        if len(self._open) == 1:
            raise PathOutside(
                f"{shown(path)} leaves the workspace.", reason="leaves_workspace", path=shown(path)
            )
        os.close(self._open.pop())
        self._names.pop()

    def _follow(
        self, path: str, target: str, left: deque[str], inside: Callable[[str, str], list[str]]
    ) -> None:
        self._links += 1
        if self._links > limits.SYMLINKS:
            raise OSError(errno.ELOOP, "too many links")
        if target.startswith("/"):
            parts = inside(target, path)
            while len(self._open) > 1:
                self._up(path)
        else:
            parts = _parts(target)
        left.extendleft(reversed(parts))


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def kind_of(state: os.stat_result) -> str:
    """What something is, in words."""
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(state.st_mode), "no regular file")
