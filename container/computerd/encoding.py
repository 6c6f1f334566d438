"""How a text file's bytes are characters: what its first bytes say, or what they look like.

A mark at the start decides. Without one, UTF-8 is tried, then the double-byte encodings of Chinese,
Japanese and Korean, which must show two of their characters side by side (an accented letter of
Latin-1 forms at most a lone one), then Windows-1252. A NUL byte without a mark means: no text.
"""

from __future__ import annotations

from typing import NamedTuple

from .text import incomplete_tail

DETECT_BYTES = 64 * 1024
_NUL_BYTES = 8192
"""A NUL this early says that the file is no text; further on it is met by whoever reads that far."""


class Encoding(NamedTuple):
    """`codec` is Python's name; `mark` are the bytes before the text. Decoding keeps bytes that are none."""

    codec: str
    mark: bytes = b""

    def decode(self, data: bytes) -> str:
        """Bytes to characters; those that are none become lone surrogates where the codec allows it."""
        return data.decode(self.codec, "surrogateescape")

    def encode(self, text: str) -> bytes:
        return text.encode(self.codec, "surrogateescape")


UTF8 = Encoding("utf-8")

_MARKS = (
    Encoding("utf-8", b"\xef\xbb\xbf"),
    Encoding("utf-32-le", b"\xff\xfe\0\0"),
    Encoding("utf-32-be", b"\0\0\xfe\xff"),
    Encoding("utf-16-le", b"\xff\xfe"),
    Encoding("utf-16-be", b"\xfe\xff"),
)
# The strict codec finds out; the second name is the superset that the file is then read with.
_CONTROLS = [byte for byte in range(1, 32) if byte not in b"\t\n\v\f\r\x1b"]
_DOUBLE = (("gb2312", "gb18030"), ("big5", "big5"), ("shift_jis", "cp932"), ("euc_kr", "cp949"))


def detect(head: bytes, whole: bool) -> Encoding | None:
    """The encoding of a file that begins with these bytes (`whole`: has no others), or None for no text."""
    for marked in _MARKS:
        if head.startswith(marked.mark):
            return marked
    text, nul, _ = head.partition(b"\0")
    if (nul and len(text) < _NUL_BYTES) or _is_noise(text):
        return None
    if nul:
        head, whole = text, False
    if _is(head if whole else head[: len(head) - incomplete_tail(head)], "utf-8"):
        return UTF8
    for strict, codec in _DOUBLE:
        if _looks_double(head if whole else head[: head.rfind(b"\n") + 1] or head[:-1], strict):
            return Encoding(codec)
    return Encoding("cp1252") if _is(head, "cp1252") else UTF8


def detect_whole(data: bytes) -> Encoding | None:
    """The encoding of a whole file: where it begins with nothing but ASCII, what comes then decides."""
    kind = detect(data[:DETECT_BYTES], len(data) <= DETECT_BYTES)
    if kind != UTF8 or len(data) <= DETECT_BYTES:
        return kind
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if data[: error.start].isascii():
            start = data.rfind(b"\n", 0, error.start) + 1
            start = max(start, error.start - DETECT_BYTES // 2)
            return detect(data[start : start + DETECT_BYTES], len(data) <= start + DETECT_BYTES)
    return kind


def _is_noise(head: bytes) -> bool:
    """Text has next to no control characters; compressed bytes have one in eight."""
    rare = sum(head.count(byte) for byte in _CONTROLS)
    return rare * 20 > len(head)


def _is(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _looks_double(data: bytes, codec: str) -> bool:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return False
    wide = [ord(character) > 0xFF for character in text]
    neighbours = zip([False, *wide[:-1]], wide, [*wide[1:], False], strict=True)
    beside = sum(here and (before or after) for before, here, after in neighbours)
    return beside * 2 > sum(wide) > 0
