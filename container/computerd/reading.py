"""Reading a text file's lines as UTF-8, whatever its encoding, in bounded time and memory."""

from __future__ import annotations

import codecs
import os
from typing import TYPE_CHECKING

from . import limits
from .encoding import UTF8
from .numbered_lines import NumberedLines

if TYPE_CHECKING:
    from .api_input import ReadOrder
    from .encoding import Encoding
    from .loop import Loop

_SLICE_BYTES = 1024 * 1024


class NoTextError(Exception):
    """There are NUL bytes where lines were to be shown."""


async def window(
    loop: Loop, fd: int, size: int, order: ReadOrder, encoding: Encoding = UTF8
) -> dict[str, object]:
    """The lines that were asked for, and where there is more."""
    lines = NumberedLines(order.first, order.lines)
    decoder = None if encoding.codec == "utf-8" else codecs.getincrementaldecoder(encoding.codec)("replace")
    position = os.lseek(fd, len(encoding.mark), os.SEEK_SET)
    while data := os.read(fd, _SLICE_BYTES):
        position += len(data)
        if decoder is not None:
            data = decoder.decode(data).encode()
        elif not lines.full and (nul := data.find(b"\0")) >= 0:
            lines.feed(data[:nul])
            if lines.more_from is None:
                raise NoTextError
            data = data[nul:]
        lines.feed(data)
        if lines.full and size > limits.COUNT_LINES_BYTES:
            return {"text": lines.text(), "more_from_line": lines.more_from}
        await loop.breathe()
    if decoder is not None:
        lines.feed(decoder.decode(b"", final=True).encode())
    lines.finish()
    return {"text": lines.text(), "more_from_line": lines.more_from, "total_lines": lines.total}
