"""The list of everything in a backup, in the order of a walk: lines of JSON, compressed with zlib.

The first line is `{"format": 1, "packs": [[sha256, size, used], ...]}`. Each of the others is a list of
entries after a number, which is 1 if a file longer than a block is among them. One entry a line would cost
three times as much to write and read.

    ["d", name, mode, mtime] ... ["u"]                                          a folder, and the way up again
    ["f", name, mode, mtime, size, inode, ctime, linked, extents]               a file
    ["F", ...]                                                                  the same, longer than a block
    ["+", extents]                                                              more of the file before
    ["h", name, number]                                                         another name of a linked file
    ["s", name, mtime, target]                                                  a symbolic link
    ["p", name, mode, mtime]                                                    a named pipe

The two outermost folders are called `home` and `workspace`. An extent is `[offset, length, pack, offset in
the pack, hash]`, with the pack as its place in the first line; what lies between extents is a hole. Files
count from 0, `f` and `F` alike, and `h` names one that is `linked`. Times are nanoseconds, hashes the first
half of a SHA-256 in hex. Names within a folder are sorted as Python sorts them, and a byte that is no UTF-8
is a lone surrogate. A file whose inode is 0 may have changed since it was read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .spool import Spool

FORMAT = 1
ROOTS = ("home", "workspace")
EXTENTS_AN_ENTRY = 1000
_WEIGHT = 1024
"""Of a line: every entry counts for four, every extent for one."""
_LINE_BYTES = 16 * 1024 * 1024
"""More than the longest line has: 256 links of the longest names and targets that there are."""
_FIRST_LINE_BYTES = 64 * 1024 * 1024
_LEVEL = 1
_PIECE_BYTES = 64 * 1024

LARGE = ("F", "+")
_WITH_LARGE = b"[1,"

Entry = list[Any]
Extent = list[Any]

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class ManifestError(Exception):
    """This is no manifest, or one of another format."""


class Pack(NamedTuple):
    """A pack that a manifest refers to, and how many of its bytes that uses."""

    sha256: str
    size: int
    used: int


class Writer:
    """Entries into a spool, then the whole: what the first line says is known last."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._deflate = zlib.compressobj(_LEVEL)
        self._line: list[Any] = [0]
        self._weight = 0

    def add(self, entry: Entry, extents: int = 0) -> None:
        """`extents` is how many the entry has. Raises SpoolError."""
        self._line.append(entry)
        if entry[0] in LARGE:
            self._line[0] = 1
        self._weight += 4 + extents
        if self._weight >= _WEIGHT:
            self._end_line()

    def mark(self) -> tuple[Any, int]:
        """Where `back` can go to."""
        self._end_line()
        return self._deflate.copy(), self._spool.size

    def back(self, mark: tuple[Any, int]) -> None:
        """Forget all entries since then."""
        self._deflate, size = mark
        self._spool.cut(size)
        self._line, self._weight = [0], 0

    def finish(self, packs: list[Pack], target: Spool) -> str:
        """Write the whole to `target`; its SHA-256."""
        self._end_line()
        self._spool.write(self._deflate.flush())
        digest = hashlib.sha256()
        first = _encode({"format": FORMAT, "packs": packs}).encode() + b"\n"
        for data in itertools.chain((zlib.compress(first, _LEVEL),), self._spool.parts()):
            digest.update(data)
            target.write(data)
        return digest.hexdigest()

    def _end_line(self) -> None:
        if len(self._line) > 1:
            self._spool.write(self._deflate.compress(_encode(self._line).encode() + b"\n"))
            self._line, self._weight = [0], 0


def read(fd: int) -> tuple[list[Pack], Iterator[bytes]]:
    """The packs, and the lines of the entries as they are asked for. Both raise ManifestError."""
    lines = _lines(fd)
    try:
        first = json.loads(next(lines, b""))
        if first["format"] != FORMAT:
            raise ManifestError(f"a manifest of format {first['format']!r} is not understood")
        packs = [Pack(str(sha256), int(size), int(used)) for sha256, size, used in first["packs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ManifestError(f"this is no manifest: {error!r}") from error
    return packs, lines


def entries(lines: Iterator[bytes]) -> Iterator[Entry]:
    """Parsed; raises ManifestError."""
    for line in lines:
        try:
            # As text: of bytes the parser would first look which encoding they are in.
            found = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError) as error:
            raise ManifestError(f"a line is no JSON: {error!r}") from error
        if not isinstance(found, list):
            raise ManifestError("a line is no list")
        for entry in itertools.islice(found, 1, None):
            if not isinstance(entry, list) or not entry:
                raise ManifestError("there is something else among the entries")
            yield entry


def extents_of_large_files(lines: Iterator[bytes]) -> Iterator[list[Extent]]:
    """Those that may be found again in any file; other lines are not looked at. Raises ManifestError."""
    for entry in entries(line for line in lines if line.startswith(_WITH_LARGE)):
        if entry[0] in LARGE:
            yield entry[-1]


def _lines(fd: int) -> Iterator[bytes]:
    limit = _FIRST_LINE_BYTES
    rest = b""
    for text in _inflated(fd):
        whole = (rest + text).split(b"\n")
        rest = whole.pop()
        for line in whole:
            yield line
            limit = _LINE_BYTES
        if len(rest) > limit:
            raise ManifestError("a line is too long")
    if rest:
        raise ManifestError("the last line has no end")


def _inflated(fd: int) -> Iterator[bytes]:
    """The text in pieces of bounded size, of one zlib stream after the other."""
    at = 0
    inflate = zlib.decompressobj()
    begun = False
    while data := os.pread(fd, _PIECE_BYTES, at):
        at += len(data)
        while data:
            begun = True
            try:
                text = inflate.decompress(data, _PIECE_BYTES * 16)
            except zlib.error as error:
                raise ManifestError(f"it cannot be unpacked: {error}") from error
            if text:
                yield text
            data = inflate.unconsumed_tail
            if inflate.eof:
                data, inflate, begun = inflate.unused_data, zlib.decompressobj(), False
    if begun:
        raise ManifestError("it ends in the middle")


class Cursor:
    """Goes through the entries of a manifest beside a walk that meets the same names in the same order."""

    def __init__(self, found: Iterator[Entry]) -> None:
        self._entries = found
        self._here: Entry | None = next(found, None)

    def match(self, name: str) -> Entry | None:
        """The entry of that name in this folder, if there is one; names must come sorted."""
        while self._inside() and self._name() < name:
            self._skip()
        return self._here if self._name() == name else None

    def enter(self) -> None:
        """Go into the folder that was matched."""
        self._step()

    def leave(self) -> None:
        """Go up, past what is left in this folder."""
        while self._inside():
            self._skip()
        self._step()

    def extents(self) -> Iterator[Extent]:
        """Those of the file that was matched, which is then behind."""
        if self._here is None:
            return
        yield from self._here[8]
        while (more := self._step()) is not None and more[0] == "+":
            yield from more[1]

    def _inside(self) -> bool:
        return self._here is not None and self._here[0] != "u"

    def _name(self) -> str:
        """Empty for a line without one: what goes on with a file sorts before anything else."""
        here = self._here
        return here[1] if here is not None and here[0] not in ("+", "u") else ""

    def _step(self) -> Entry | None:
        self._here = next(self._entries, None)
        return self._here

    def _skip(self) -> None:
        depth = 0
        while self._here is not None:
            depth += {"d": 1, "u": -1}.get(self._here[0], 0)
            self._step()
            if depth <= 0:
                return
