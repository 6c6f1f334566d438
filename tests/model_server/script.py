"""What a stand-in for a model provider is to say, whatever protocol it is asked in."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

PIECE = 9
# How Berth begins what it asks a model for by itself.
BERTH = "(Berth, not the person:"


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: Mapping[str, Any]

    @property
    def json(self) -> str:
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Answer:
    """One answer of the model: text, calls, or both.

    `fault` comes after its text: an error inside the stream, an end without an end, silence, or signs of life
    for ever. `{key}` in a text stands for the key that was sent.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    reasoning: str = ""
    stop: Literal["done", "length", "declined"] = "done"
    fault: Literal["error", "cut", "stall", "ping"] | None = None
    usage: tuple[int, int, int] = (100, 20, 60)
    """Tokens: all that was read, what was written, and how many of the first came from the cache."""


@dataclass(frozen=True)
class Refusal:
    """Given once, in the place of the next answer."""

    status: int
    kind: str = "invalid_request_error"
    message: str = "no"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def speaker(text: str) -> str:
    """Who says a text that is sent as the person's: what Berth asks for by itself continues their turn."""
    return "result" if text.startswith(BERTH) else "user"


def pieces(text: str, characters: int) -> Iterator[str]:
    for start in range(0, len(text), characters):
        yield text[start : start + characters]


def event(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"
