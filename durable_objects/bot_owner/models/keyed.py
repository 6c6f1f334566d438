"""A provider with its key: the key is opened for one question and hidden in everything that comes back.

A provider knows the key that it was sent, and may say it: in an error that quotes the request, or in an
answer, in pieces. Whatever of an answer or an error holds the key is shown with a mark in its place.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    Provider,
    Question,
    ReasoningPart,
    TextPart,
)
from durable_objects.shared.long_text import LongText

MARK = "[key]"
# What is shorter is found everywhere and protects nothing.
KEY_CHARACTERS_MIN = 8

KeySource = Callable[[], Awaitable[str]]
"""The key, empty where there is none. Raises BerthError where a stored one cannot be read."""


class KeyedModel:
    reads_results = True
    reads_history = True

    def __init__(self, provider: Provider, key: KeySource) -> None:
        self._provider = provider
        self._key = key

    async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
        key = await self._key()
        try:
            async with aclosing(without_key(self._provider.stream(question, key), key)) as parts:
                async for part in parts:
                    yield part
        except ModelError as error:
            said = error.problem
            said.message = hidden(said.message, key)
            said.details = _without(said.details, key)
            error.args = (said.message,)
            # The error behind it may quote the request.
            raise error from None


def hidden(text: str, key: str) -> str:
    return text.replace(key, MARK) if len(key) >= KEY_CHARACTERS_MIN else text


async def without_key(parts: AsyncGenerator[Part, None], key: str) -> AsyncGenerator[Part, None]:
    """The parts with the key hidden; the end of a text that may be its beginning waits for what follows."""
    held: TextPart | ReasoningPart | None = None
    async with aclosing(parts):
        async for part in parts:
            if held is not None and type(held) is not type(part):
                yield held
                held = None
            if not isinstance(part, TextPart | ReasoningPart):
                yield _hidden_in(part, key)
                continue
            whole = hidden((held.text if held else "") + part.text, key)
            cut = len(whole) - _begun(whole, key)
            held = replace(part, text=whole[cut:]) if cut < len(whole) else None
            if cut:
                yield replace(part, text=whole[:cut])
    if held is not None:
        yield held


def _begun(text: str, key: str) -> int:
    """How many of the last characters could be the beginning of the key."""
    if len(key) < KEY_CHARACTERS_MIN:
        return 0
    longest = min(len(key) - 1, len(text))
    return next((n for n in range(longest, 0, -1) if key.startswith(text[-n:])), 0)


def _hidden_in(part: CallPart | EndPart, key: str) -> Part:
    if isinstance(part, EndPart):
        return replace(part, kept="") if hidden(part.kept, key) != part.kept else part
    arguments = None if part.arguments is None else _without(part.arguments, key)
    return CallPart(hidden(part.tool, key), arguments, hidden(part.raw, key))


def _without(value: Any, key: str) -> Any:
    """The value with the key hidden in every text that is in it."""
    if isinstance(value, str):
        return hidden(value, key)
    if isinstance(value, LongText):
        return LongText(_pieces_without(value, key))
    if isinstance(value, dict):
        return {hidden(name, key): _without(one, key) for name, one in value.items()}
    return [_without(one, key) for one in value] if isinstance(value, list) else value


def _pieces_without(pieces: Iterable[str], key: str) -> Iterator[str]:
    held = ""
    for piece in pieces:
        whole = hidden(held + piece, key)
        cut = len(whole) - _begun(whole, key)
        held = whole[cut:]
        yield whole[:cut]
    yield held
