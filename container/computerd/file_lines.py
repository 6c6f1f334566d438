"""The lines of one file in a manifest: what is kept of it, and what is read and packed anew."""

from __future__ import annotations

import itertools
import stat
import time
from typing import TYPE_CHECKING

from . import manifest
from .packs import hash_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from .errand import Errand, Order
    from .manifest import Cursor, Entry, Extent, Writer
    from .opening import Source
    from .packs import Packs


class FileLines:
    """Lists files; `bytes` is the content of all so far, holes left out."""

    def __init__(
        self, errand: Errand, order: Order, writer: Writer, packs: Packs, before: Cursor | None
    ) -> None:
        self.bytes = 0
        self._errand = errand
        self._writer = writer
        self._packs = packs
        self._before = before
        self._block_bytes: int = order["block_bytes"]
        self._known_before_ns: int = order["known_before_ns"]
        # Who changes a file within a tick of its time being looked at cannot be seen by its time.
        self._settled_ns = time.time_ns() - int(order["settled_s"] * 1e9)

    def add_kept(self, name: str, state: os.stat_result, before: Entry | None) -> bool:
        """The short way for most files: one of a single block that is as it was. False for any other."""
        if before is None or before[0] != "f" or len(before[8]) > 1:
            return False
        if not unchanged(before, state, self._known_before_ns):
            return False
        kept = before[8]
        if kept:
            if not self._packs.keeps(kept[0]):
                return False
            kept = [self._packs.keep(kept[0], shared=False)]
            self.bytes += kept[0][1]
        self._add(name, state, kept)
        return True

    def add(self, name: str, state: os.stat_result, source: Source, before: Entry | None) -> None:
        """The lines of a file; none of them stays if it cannot be read to its end. Raises OSError."""
        if before is not None and before[0] not in ("f", "F"):
            before = None
        if before is not None and unchanged(before, state, self._known_before_ns):
            self._write(name, state, self._kept(source, state))
        else:
            self._write(name, state, self._packed(source, state, before))

    def _write(self, name: str, state: os.stat_result, extents: Iterator[Extent]) -> None:
        first = list(itertools.islice(extents, manifest.EXTENTS_AN_ENTRY))
        mark = self._writer.mark() if len(first) == manifest.EXTENTS_AN_ENTRY else None
        self._add(name, state, first)
        length = sum(extent[1] for extent in first)
        try:
            while more := list(itertools.islice(extents, manifest.EXTENTS_AN_ENTRY)):
                self._writer.add(["+", more], len(more))
                length += sum(extent[1] for extent in more)
        except OSError:
            if mark is not None:
                self._writer.back(mark)
            raise
        self.bytes += length

    def _add(self, name: str, state: os.stat_result, extents: list[Extent]) -> None:
        settled = state.st_ctime_ns < self._settled_ns
        entry = [
            "F" if self._large(state) else "f",
            name,
            stat.S_IMODE(state.st_mode),
            state.st_mtime_ns,
            state.st_size,
            state.st_ino if settled else 0,
            state.st_ctime_ns,
            int(state.st_nlink > 1),
            extents,
        ]
        self._writer.add(entry, len(extents))

    def _large(self, state: os.stat_result) -> bool:
        return state.st_size > self._block_bytes

    def _kept(self, source: Source, state: os.stat_result) -> Iterator[Extent]:
        """Of a file that is as it was: read is only what lies in a pack that is given up."""
        shared = self._large(state)
        assert self._before is not None  # noqa: S101 - a file is only kept where it was found there
        for extent in self._before.extents():
            if self._packs.keeps(extent):
                yield self._packs.keep(extent, shared)
                continue
            self._errand.gets_on()
            block = source.read(extent[0], extent[1])
            yield self._packs.put(extent[0], block, hash_of(block), shared)

    def _packed(self, source: Source, state: os.stat_result, before: Entry | None) -> Iterator[Extent]:
        """Of a file that is new or may have changed: all of it is read, and packed what is not known."""
        shared = self._large(state)
        known: dict[str, Extent] = {}
        if before is not None and before[0] == "f":
            known = {extent[4]: extent for extent in before[8] if self._packs.keeps(extent)}
        for offset, length in source.blocks(state, self._block_bytes):
            self._errand.gets_on()
            block = source.read(offset, length)
            if not block:
                return
            digest = hash_of(block)
            old = known.get(digest)
            if old is not None and old[1] == len(block):
                yield self._packs.keep([offset, *old[1:]], shared)
            else:
                yield self._packs.put(offset, block, digest, shared)


def unchanged(before: Entry, state: os.stat_result, known_before_ns: int) -> bool:
    """Whether a file is as the manifest before has it.

    By its time, size and identity; where the computer is known to have woken with what the manifest has, by
    its path, size and time alone if it has not been touched since (`known_before_ns`).
    """
    _, _, _, mtime_ns, size, inode, ctime_ns, *_ = before
    if not inode or (size, mtime_ns) != (state.st_size, state.st_mtime_ns):
        return False
    same = (inode, ctime_ns) == (state.st_ino, state.st_ctime_ns)
    return same or state.st_ctime_ns < known_before_ns
