"""MessagePack of the venue's actions: maps in insertion order, shortest integers, no floats.

The bytes are what is hashed and signed, so whatever has no single form is refused: numbers with a point
travel as strings.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

DEPTH_MAX = 16


def packed(value: Any, depth: int = 0) -> bytes:
    """Return the encoding. Raises ValueError for what an action cannot hold."""
    if depth > DEPTH_MAX:
        raise ValueError("nested too deep for an action")
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _integer(value)
        case str():
            return _text(value.encode())
        case Mapping():
            parts = (packed(part, depth + 1) for pair in value.items() for part in pair)
            return _head(len(value), 0x80, 0xDE) + b"".join(parts)
        case Sequence() if not isinstance(value, bytes | bytearray):
            return _head(len(value), 0x90, 0xDC) + b"".join(packed(part, depth + 1) for part in value)
        case _:
            raise ValueError(f"an action holds no {type(value).__name__}")


def _head(count: int, fixed: int, wide: int) -> bytes:
    """The head of a map or a list; `wide` is the code with 16 bits, the one behind it has 32."""
    if count < 16:
        return bytes([fixed | count])
    return struct.pack(">BH", wide, count) if count < 2**16 else struct.pack(">BI", wide + 1, count)


def _text(text: bytes) -> bytes:
    size = len(text)
    if size < 32:
        return bytes([0xA0 | size]) + text
    if size < 2**8:
        return struct.pack(">BB", 0xD9, size) + text
    return (struct.pack(">BH", 0xDA, size) if size < 2**16 else struct.pack(">BI", 0xDB, size)) + text


# (code, format, from, below), the shortest first.
INTEGERS = (
    (0xCC, "B", 0, 2**8), (0xCD, "H", 0, 2**16), (0xCE, "I", 0, 2**32), (0xCF, "Q", 0, 2**64),
    (0xD0, "b", -(2**7), 0), (0xD1, "h", -(2**15), 0), (0xD2, "i", -(2**31), 0), (0xD3, "q", -(2**63), 0),
)  # fmt: skip


def _integer(number: int) -> bytes:
    if 0 <= number < 2**7 or -(2**5) <= number < 0:
        return struct.pack("b", number)
    for code, form, least, below in INTEGERS:
        if least <= number < below:
            return struct.pack(f">B{form}", code, number)
    raise ValueError(f"{number} is too large for an action")
