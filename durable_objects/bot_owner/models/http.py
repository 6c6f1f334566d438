"""HTTP as the providers use it: an answer with a streamed body, and the data of its server-sent events.

Each `data:` line is one event, whatever stands around it: the providers send their JSON on one line, and
servers that copy them forget the blank line between two events or add comments and `ping`s.
"""

import codecs
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from contracts.limits import ANSWER_LINE_CHARACTERS_MAX
from durable_objects.bot_owner.models.protocol import ModelError


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


async def event_data(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    """The data of each event that has any. Bytes may be cut anywhere; half a character becomes a mark."""
    async with aclosing(_lines(body)) as lines:
        async for line in lines:
            if line.startswith("data:") and (data := line[5:].strip()):
                yield data


async def _lines(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    begun: list[str] = []
    size = 0
    async with aclosing(body):
        async for chunk in body:
            first, *lines = decoder.decode(chunk).split("\n")
            begun.append(first)
            size += len(first)
            for line in lines:
                yield "".join(begun).rstrip("\r")
                begun, size = [line], len(line)
            if size > ANSWER_LINE_CHARACTERS_MAX:
                raise ModelError("The model sent a line without an end.")
    if rest := "".join(begun) + decoder.decode(b"", final=True):
        yield rest
