"""Cloudflare's Workers AI, asked through its binding and not over HTTP: it needs no address and no key.

Source: developers.cloudflare.com/workers-ai. Its newer models stream chunks of chat completions. The older
ones stream `{"response": "…"}` with whole tool calls beside it; those are put into the same shape here.
"""

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from durable_objects.bot_owner.conversation import Turn
from durable_objects.bot_owner.models.asking import Body, asked
from durable_objects.bot_owner.models.http import HttpAnswer
from durable_objects.bot_owner.models.openai_chat import ChatReader, request_body
from durable_objects.bot_owner.models.pictures import Images
from durable_objects.bot_owner.models.protocol import Part, Question, Settings
from durable_objects.bot_owner.models.shape import fields, rows, text
from durable_objects.shared.long_text import LongText

OUTPUT_TOKENS = 16_000


class Ai(Protocol):
    """Run a model by the binding; `body` is JSON text. Raises `ModelError` as `Post` does."""

    async def __call__(self, model: str, body: str, headers: Mapping[str, str]) -> HttpAnswer: ...


@dataclass
class WorkersAiReader:
    owner: str
    _chat: ChatReader = field(init=False)
    _calls: int = 0

    def __post_init__(self) -> None:
        self._chat = ChatReader(self.owner)

    @property
    def finished(self) -> bool:
        return self._chat.finished

    @finished.setter
    def finished(self, value: bool) -> None:
        self._chat.finished = value

    def event(self, event: Mapping[str, Any]) -> Iterator[Part]:
        if "choices" not in event:
            event = self._as_chat(event)
        yield from self._chat.event(event)

    def end(self) -> Iterator[Part]:
        yield from self._chat.end()

    def _as_chat(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        delta: dict[str, Any] = {"content": text(event.get("response"))}
        delta["tool_calls"] = [self._call(fields(call)) for call in rows(event.get("tool_calls"))]
        return {"choices": [{"delta": delta}], "usage": event.get("usage")}

    def _call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        function = fields(call.get("function")) or call
        arguments = function.get("arguments")
        written = isinstance(arguments, str | LongText)
        whole = arguments if written else json.dumps(arguments or {}, default=str)
        index, self._calls = self._calls, self._calls + 1
        return {"index": index, "function": {"name": function.get("name"), "arguments": whole}}


class WorkersAi:
    def __init__(self, settings: Settings, ai: Ai, now_ms: Callable[[], int]) -> None:
        self._settings = settings
        self._ai = ai
        self._now_ms = now_ms

    def stream(self, question: Question, _key: str) -> AsyncGenerator[Part, None]:
        async def send(body: Body) -> HttpAnswer:
            # Its cache of beginnings is found by whoever asks the same instance again.
            headers = {"x-session-affinity": question.thread_id} if question.thread_id else {}
            return await self._ai(self._settings.model, json.dumps(body), headers)

        def body_of(history: list[Turn], images: Images) -> Body:
            return run_body(self._settings, question, history, images)

        return asked(question, body_of, send, WorkersAiReader(self._settings.owner), self._now_ms)


def run_body(settings: Settings, question: Question, history: list[Turn], images: Images) -> Body:
    """The fields of chat completions that the binding knows. It takes no content of null."""
    body = request_body(settings, question, history, images)
    names = ("messages", "tools", "stream", "temperature", "reasoning_effort")
    found: Body = {name: body[name] for name in names if name in body}
    for message in found["messages"]:
        message["content"] = message["content"] or ""
    return {**found, "max_tokens": OUTPUT_TOKENS}
