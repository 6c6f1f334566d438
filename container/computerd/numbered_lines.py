"""A window of a text file's lines, numbered as `cat -n` does, from bytes as they come.

Whatever the file's size and the length of its lines, only the window is kept: a line is cut at
its limit while it is read, and lines before the window are counted and not stored.
"""

from __future__ import annotations

from . import limits
from .text import incomplete_tail

_UTF8_LONGEST = 4


class NumberedLines:
    """Feed it the file from the start; it is `full` when it has seen enough."""

    def __init__(
        self,
        first: int,
        count: int,
        line_characters: int = limits.READ_LINE_CHARACTERS,
        text_characters: int = limits.READ_TEXT_CHARACTERS,
    ) -> None:
        self._first = first
        self._end = first + count
        self._characters = line_characters
        self._line_bytes = line_characters * _UTF8_LONGEST
        self._room = text_characters
        self._shown: list[str] = []
        self._number = 1
        """Of the line that is being read."""
        self._line = bytearray()
        self._line_length = 0
        self.more_from: int | None = None
        """The first line that is not in the window, once there is one."""

    @property
    def full(self) -> bool:
        return self.more_from is not None

    @property
    def total(self) -> int:
        """Lines seen so far; all of them once `finish` was called."""
        return self._number - 1

    def text(self) -> str:
        return "".join(self._shown)

    def feed(self, data: bytes) -> None:
        at = self._skip(data) if self._number < self._first else 0
        while at < len(data) and not self.full:
            if not self._line_length and (self._number >= self._end or self._room <= 0):
                self.more_from = self._number
                break
            newline = data.find(b"\n", at)
            self._take(data, at, len(data) if newline < 0 else newline)
            if newline < 0:
                return
            self._show()
            at = newline + 1
        if at < len(data):
            self._count(data, at)

    def finish(self) -> None:
        """The file has ended; its last line may have no newline."""
        if not self._line_length:
            return
        if self.full or self._number < self._first:
            self._number += 1
        else:
            self._show()

    def _skip(self, data: bytes) -> int:
        """Pass over lines before the window; where the window begins in the data."""
        wanted = self._first - self._number
        if data.count(b"\n") < wanted:
            self._count(data, 0)
            return len(data)
        at = 0
        for _ in range(wanted):
            at = data.index(b"\n", at) + 1
        self._number = self._first
        self._line_length = 0
        return at

    def _count(self, data: bytes, at: int) -> None:
        newlines = data.count(b"\n", at)
        self._number += newlines
        behind = len(data) - 1 - data.rfind(b"\n", at)
        self._line_length = behind if newlines else self._line_length + len(data) - at

    def _take(self, data: bytes, at: int, end: int) -> None:
        room = self._line_bytes - len(self._line)
        self._line += data[at : min(end, at + room)]
        self._line_length += end - at

    def _show(self) -> None:
        shown = f"{self._number:6d}\t{self._cut()}\n"
        self._room -= len(shown)
        self._shown.append(shown)
        self._number += 1
        self._line.clear()
        self._line_length = 0

    def _cut(self) -> str:
        whole = len(self._line) == self._line_length
        data = bytes(self._line)
        if not whole:
            data = data[: len(data) - incomplete_tail(data)]
        text = data.decode("utf-8", "replace")
        if whole and len(text) <= self._characters:
            return text
        return f"{text[: self._characters]} … [cut: the line has {self._line_length:,} bytes]"
