"""The helper that makes a backup: walks both folders, packs what is new, lists everything in a manifest.

The manifest of the backup before is read beside the walk, in the same order, so what is remembered does not
grow with the number of files. A file that is as it was keeps its extents and is not even opened. Nothing is
followed and every name is opened from its open folder, so one that is swapped for a link leads nowhere.
`manifest.py` is the form of the list, `packs.py` of the rest.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from . import manifest
from .file_lines import FileLines
from .left_out import LeftOut
from .opening import Opened, Source, opened, opened_outermost
from .packs import Packs
from .spool import Spool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .errand import Errand, Order
    from .manifest import Cursor, Entry

HOME, WORKSPACE, SPOOL, TARGET, PREVIOUS = range(4, 9)
"""Descriptors: handles of the folders, two empty files for the manifest, the one before if there is one."""
LEFT_OUT = {(".berth", "tmp"), (".berth", "backup")}
_VANISHED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class Folder(NamedTuple):
    """A folder that the walk is in."""

    name: str
    opened: Opened
    left: Iterator[str]
    before: bool
    """Whether the manifest before has it too, and its reading stands in it."""


class Backup:
    """One backup from its start to its summary."""

    def __init__(self, errand: Errand, order: Order) -> None:
        self._errand = errand
        self._order = order
        self._spool = Spool(SPOOL, order["spool_memory_bytes"])
        self._writer = manifest.Writer(self._spool)
        former: list[manifest.Pack] = []
        self._before: Cursor | None = None
        if order["previous"]:
            former, lines = manifest.read(PREVIOUS)
            self._before = manifest.Cursor(manifest.entries(lines))
        self._packs = Packs(former, order["pack_bytes"], order["small_packs"], self._deliver_pack)
        if order["previous"]:
            self._know_large_files()
        self._lines = FileLines(errand, order, self._writer, self._packs, self._before)
        self._files = self._folders = self._skipped = 0
        self._unread = LeftOut(order["paths"])
        self._number = 0
        self._links: dict[tuple[int, int], int] = {}
        """The numbers of files that have several names."""
        self._way: list[Folder] = []

    def run(self) -> None:
        for name, fd in zip(manifest.ROOTS, (HOME, WORKSPACE), strict=True):
            self._tree(name, fd)
        self._packs.flush()
        packs = self._packs.table()
        target = Spool(TARGET, self._order["spool_memory_bytes"])
        sha256 = self._writer.finish(packs, target)
        self._deliver("manifest", sha256, target.fd)
        summary = {
            "manifest": sha256,
            "packs": [pack._asdict() for pack in packs],
            "files": self._files,
            "folders": self._folders,
            "bytes": self._lines.bytes,
            "new_bytes": self._packs.new_bytes,
            "skipped": self._skipped,
            "unread": self._unread.count,
            "unread_names": self._unread.names,
        }
        self._errand.show("summary", summary)

    def _know_large_files(self) -> None:
        """Their blocks may be anywhere by now; a small file is only compared with itself."""
        _, lines = manifest.read(PREVIOUS)
        for extents in manifest.extents_of_large_files(lines):
            self._packs.know(extents)

    def _deliver_pack(self, sha256: str, _size: int, fd: int) -> None:
        self._deliver("pack", sha256, fd)
        os.close(fd)

    def _deliver(self, kind: str, sha256: str, fd: int) -> None:
        """Wait until it is wanted; the next one is packed while this is on its way."""
        self._errand.hear()
        self._errand.tell("piece", kind, sha256, fd=fd)

    def _tree(self, name: str, fd: int) -> None:
        state = os.fstat(fd)
        folder = opened_outermost(self._errand, fd)
        self._enter(name, folder, state)
        while self._way:
            here = self._way[-1]
            below = next(here.left, None)
            if below is None:
                self._leave()
            elif (here.name, below) not in LEFT_OUT or len(self._way) != 2 or name != "workspace":
                self._errand.gets_on()
                self._entry(below, here.opened.fd)

    def _match(self, name: str) -> Entry | None:
        if self._before is None or (self._way and not self._way[-1].before):
            return None
        return self._before.match(name)

    def _enter(self, name: str, folder: Opened, state: os.stat_result) -> None:
        """Go into an open folder; `state` is as it was before it was opened up."""
        left = iter(sorted(os.listdir(folder.fd)))
        before = self._match(name)
        inside = before is not None and before[0] == "d"
        if inside and self._before is not None:
            self._before.enter()
        self._writer.add(["d", name, stat.S_IMODE(state.st_mode), state.st_mtime_ns])
        self._way.append(Folder(name, folder, left, inside))

    def _leave(self) -> None:
        here = self._way.pop()
        self._writer.add(["u"])
        if here.before and self._before is not None:
            self._before.leave()
        here.opened.close()

    def _entry(self, name: str, above: int) -> None:
        """One name of a folder. What cannot be read is noted, and the rest goes on."""
        try:
            state = os.stat(name, dir_fd=above, follow_symlinks=False)
            kind = stat.S_IFMT(state.st_mode)
            if kind == stat.S_IFDIR:
                self._folder(name, above, state)
            elif kind == stat.S_IFREG:
                self._file(name, above, state)
            elif kind == stat.S_IFLNK:
                self._writer.add(["s", name, state.st_mtime_ns, os.readlink(name, dir_fd=above)])
            elif kind == stat.S_IFIFO:
                self._writer.add(["p", name, stat.S_IMODE(state.st_mode), state.st_mtime_ns])
            else:
                self._skipped += 1
        except OSError as error:
            if error.errno in _VANISHED:
                return
            self._unread.note([*(folder.name for folder in self._way), name])

    def _folder(self, name: str, above: int, state: os.stat_result) -> None:
        folder = opened(self._errand, name, above, state)
        try:
            self._enter(name, folder, state)
        except OSError:
            folder.close()
            raise
        self._folders += 1

    def _file(self, name: str, above: int, state: os.stat_result) -> None:
        linked = self._links.get((state.st_dev, state.st_ino)) if state.st_nlink > 1 else None
        if linked is not None:
            self._writer.add(["h", name, linked])
            self._files += 1
            return
        before = self._match(name)
        if not self._lines.add_kept(name, state, before):
            source = Source(lambda: opened(self._errand, name, above, state))
            try:
                self._lines.add(name, state, source, before)
            finally:
                source.close()
        if state.st_nlink > 1:
            self._links[state.st_dev, state.st_ino] = self._number
        self._number += 1
        self._files += 1


def work(errand: Errand, order: Order) -> None:
    Backup(errand, order).run()
