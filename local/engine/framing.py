"""Where the body of a request ends, in the one spelling that every parser reads alike.

What the standard allows beyond it (extensions of chunks, trailers, spaces around a size, lists of lengths) no
client in use sends, and parsers disagree about it: of a bare line feed in a chunk's size one makes the end of
the request, and another waits.
"""

import re

from local.engine.errors import MalformedRequestError

LENGTH = re.compile(rb" *([0-9]{1,15}) *")
CHUNKED = re.compile(rb" *chunked *", re.IGNORECASE)
# As much of a line as has come; it is refused at the first byte that does not fit.
SIZE_PART = re.compile(rb"[0-9A-Fa-f]{1,8}(\r\n?)?")
END_PART = re.compile(rb"\r\n?")
LINE_BYTES_MAX = 16


class Body:
    """A body of so many bytes."""

    def __init__(self, length: int) -> None:
        self._left = length

    @property
    def done(self) -> bool:
        return self._left == 0

    def take(self, data: bytes) -> bytes:
        """Read on; return what follows the body. Raises MalformedRequestError."""
        taken = min(self._left, len(data))
        self._left -= taken
        return data[taken:]


class ChunkedBody(Body):
    """A body in chunks: sizes and ends in their plainest form, and no trailers."""

    def __init__(self) -> None:
        super().__init__(0)
        self._line = b""
        self._expects = SIZE_PART
        self._last = False
        self._ended = False

    @property
    def done(self) -> bool:
        return self._ended

    def take(self, data: bytes) -> bytes:
        at = 0
        while at < len(data) and not self._ended:
            if self._left:
                taken = min(self._left, len(data) - at)
                self._left -= taken
                at += taken
            else:
                # A plain line is no longer than this, and what is longer is refused.
                end = data.find(b"\n", at, at + LINE_BYTES_MAX) + 1
                self._take_line(data[at : end or at + LINE_BYTES_MAX], whole=end > 0)
                at = end or len(data)
        return data[at:]

    def _take_line(self, part: bytes, *, whole: bool) -> None:
        self._line += part
        if not self._expects.fullmatch(self._line):
            raise MalformedRequestError("a chunk is its size in hexadecimal digits, and nothing beside it")
        if whole:
            self._end_line(self._line)
            self._line = b""

    def _end_line(self, line: bytes) -> None:
        if self._expects is SIZE_PART:
            self._left = int(line, 16)
            self._last = self._left == 0
            self._expects = END_PART
        else:
            self._ended = self._last
            self._expects = SIZE_PART


def body_of(head: bytes) -> Body:
    """The body that a head announces. Raises MalformedRequestError where that is not beyond doubt."""
    body = Body(0)
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        match name.lower():
            case b"content-length":
                if not (found := LENGTH.fullmatch(value)):
                    raise MalformedRequestError("the length is no plain number")
                body = Body(int(found[1]))
            case b"transfer-encoding":
                if not CHUNKED.fullmatch(value):
                    raise MalformedRequestError("the transfer encoding is not just chunked")
                body = ChunkedBody()
    return body
