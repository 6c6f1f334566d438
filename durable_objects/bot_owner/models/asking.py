"""Asking a provider once: send the question, read the events of the answer, bound and check both.

A provider gives a function that builds the request and a reader that turns events into parts.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Protocol

from contracts.errors import ErrorCode
from durable_objects.bot_owner.conversation import Turn
from durable_objects.bot_owner.models.failures import RETRY_AFTER_S, error_of, failure, refusal
from durable_objects.bot_owner.models.http import HttpAnswer, event_data
from durable_objects.bot_owner.models.pictures import Images, newest
from durable_objects.bot_owner.models.protocol import ModelError, Part, Question
from durable_objects.bot_owner.models.shape import fields
from durable_objects.shared.json_text import loads

# What a server answers to a picture for a model that sees none.
NO_PICTURES_STATUS = frozenset({400, 404, 413, 415, 422})
DONE = "[DONE]"

Body = dict[str, Any]
BodyOf = Callable[[list[Turn], Images], Body]
Send = Callable[[Body], Awaitable[HttpAnswer]]


class Reader(Protocol):
    """Turns the events of one answer into parts. Raises ValueError for what is not of the protocol."""

    finished: bool
    """Whether the answer has come to its end, whatever follows."""

    def event(self, event: Mapping[str, Any]) -> Iterator[Part]: ...

    def end(self) -> Iterator[Part]:
        """The calls, and the `EndPart`; asked for once, after the last event."""
        ...


async def asked(
    question: Question, body_of: BodyOf, send: Send, reader: Reader, now_ms: Callable[[], int]
) -> AsyncGenerator[Part, None]:
    """The parts of one answer. Raises `ModelError`, which says whether any part had come before it."""
    started = False
    try:
        reply = await _reply(question, body_of, send, now_ms)
        async with aclosing(_read(reply, reader)) as parts:
            async for part in parts:
                started = True
                yield part
    except ModelError as error:
        error.started = error.started or started
        raise


async def _reply(question: Question, body_of: BodyOf, send: Send, now_ms: Callable[[], int]) -> HttpAnswer:
    history = question.history()
    images = await newest(question, history)
    reply = await send(body_of(history, images))
    if reply.status == 200:
        return reply
    error = await refusal(reply, now_ms())
    if reply.status in NO_PICTURES_STATUS and images and error.code != ErrorCode.MODEL_CONTEXT_FULL:
        # Many models see nothing, and no list says which: asked again in words.
        reply = await send(body_of(history, {}))
        if reply.status == 200:
            return reply
        error = await refusal(reply, now_ms())
    raise error


async def _read(reply: HttpAnswer, reader: Reader) -> AsyncGenerator[Part, None]:
    async with aclosing(event_data(reply.body)) as found:
        async for data in found:
            if data == DONE:
                reader.finished = True
                break
            try:
                event = fields(loads(data) if isinstance(data, str) else data.value())
                if event.get("error") or event.get("type") == "error":
                    raise failure(None, error_of(event))
                for part in reader.event(event):
                    yield part
            except ValueError as error:
                raise ModelError("model_unreadable") from error
    if not reader.finished:
        raise ModelError("model_broke_off", retry_after_s=RETRY_AFTER_S)
    for part in reader.end():
        yield part
