"""Bytes of a stream to text, without ever cutting a character.

A pipe cuts where it likes. The few bytes of a character that is not whole yet are held back
and go in front of the next chunk, so each chunk can be written, numbered and decoded on its
own. Bytes that are no UTF-8 at all become U+FFFD in the text and stay as they are in the log.
"""

from __future__ import annotations

CHARACTER_BYTES = 4
"""The most bytes that a character has."""
_LONGEST = CHARACTER_BYTES - 1
"""The most bytes that a character can have and still be incomplete."""


def incomplete_tail(data: bytes) -> int:
    """How many bytes at the end begin a character that has not ended."""
    for back in range(1, min(_LONGEST, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            return 0
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if byte < 0xF5 and back < wanted else 0
    return 0


def character_from(data: bytes, position: int) -> int:
    """How far behind a position the next character begins, where that is in the middle of one."""
    behind = 0
    for byte in data[position : position + _LONGEST]:
        if byte & 0xC0 != 0x80:
            break
        behind += 1
    return behind


class WholeCharacters:
    """Holds back the incomplete end of one stream."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        if self._held:
            data = self._held + data
        tail = incomplete_tail(data)
        if not tail:
            self._held = b""
            return data
        self._held = data[-tail:]
        return data[:-tail]

    def flush(self) -> bytes:
        held, self._held = self._held, b""
        return held
