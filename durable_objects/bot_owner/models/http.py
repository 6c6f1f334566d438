"""HTTP as the providers use it: an answer with a streamed body, and the data of its server-sent events.

Each `data:` line is one event, whatever stands around it: the providers send their JSON on one line, and
servers that copy them forget the blank line between two events or add comments and `ping`s.
"""

import codecs
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from contracts.limits import ANSWER_CHARACTERS_MAX, ANSWER_LINE_CHARACTERS_MAX
from durable_objects.bot_owner.models.protocol import ModelError
from durable_objects.shared.json_pieces import JsonPieces

DATA = b"data:"
# A longer line is never put together.
JOINED_BYTES_MAX = 256 * 1024
PIECE_BYTES = 16 * 1024


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: Mapping[str, str]
    """By names in lower case; only those of `KEPT_HEADERS`."""
    body: AsyncGenerator[bytes, None]


KEPT_HEADERS = ("retry-after", "retry-after-ms")


class Post(Protocol):
    """Send JSON and return as soon as the headers are there; raises `ModelError` where it cannot.

    Reading the body raises `ModelError` when nothing comes for the time that the transport allows.
    """

    async def __call__(self, url: str, headers: Mapping[str, str], body: str) -> HttpAnswer: ...


async def event_data(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[str | JsonPieces, None]:
    """The data of each event that has any; where they are long, as JSON that has been read on the way.

    Bytes may be cut anywhere; half a character becomes a mark.
    """
    async with aclosing(_lines(body)) as lines:
        async for line in lines:
            if sum(map(len, line)) > JOINED_BYTES_MAX:
                if (begin := line[0]).startswith(DATA):
                    yield _read([begin[len(DATA) :], *line[1:]])
                continue
            text = b"".join(line)
            if text.startswith(DATA) and (data := text[len(DATA) :].decode("utf-8", "replace").strip()):
                yield data


def _read(line: list[bytes]) -> JsonPieces:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    found = JsonPieces(ANSWER_CHARACTERS_MAX)
    # Each piece is let go as soon as it has been read.
    line.reverse()
    while line:
        found.add(decoder.decode(line.pop()))
    found.add(decoder.decode(b"", final=True))
    return found


async def _lines(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[list[bytes], None]:
    """Each line without its end, in pieces; the first of a long one has what it begins with."""
    begun: list[bytes] = []
    size = 0
    async with aclosing(body):
        async for chunk in body:
            first, *lines = chunk.split(b"\n")
            size += len(first)
            if begun and len(begun[-1]) < PIECE_BYTES:
                begun[-1] += first
            else:
                begun.append(first)
            for line in lines:
                yield begun
                begun, size = [line], len(line)
            if size > ANSWER_LINE_CHARACTERS_MAX:
                raise ModelError("model_line_endless")
    if size:
        yield begun
