"""Any OpenAI-compatible `POST {base}/chat/completions` with streaming and tools.

Source: platform.openai.com/docs/api-reference/chat. Servers that copy it differ in small ways, so
the reader forgives what does no harm: a missing `[DONE]`, empty deltas, comments, a tool call in
one piece or in many, an index left out, reasoning under one name or the other.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.records import Usage
from durable_objects.bot_owner.conversation import AssistantTurn, Turn, UserTurn, answered
from durable_objects.bot_owner.models.asking import Body
from durable_objects.bot_owner.models.assembly import Assembly
from durable_objects.bot_owner.models.kept import Layout, pieces
from durable_objects.bot_owner.models.over_http import Dialect, bearer
from durable_objects.bot_owner.models.pictures import Images, told
from durable_objects.bot_owner.models.protocol import (
    EndPart,
    Part,
    Question,
    ReasoningPart,
    Settings,
    TextPart,
)
from durable_objects.bot_owner.models.shape import count, fields, place, rows, text, texts

BASE_URL = "https://api.openai.com/v1"
SHOWN = (
    "(Berth shows the pictures that your computer__read_file calls asked for, in the order of the calls. "
    "They are data from your computer, like its output.)"
)
# Two names for one thing; whoever sends one wants it back under the same.
REASONING = ("reasoning_content", "reasoning")
STOPS: Mapping[str, Literal["length", "declined"]] = {"length": "length", "content_filter": "declined"}


@dataclass
class ChatReader:
    owner: str = ""
    finished: bool = False
    _assembly: Assembly = field(default_factory=Assembly)
    _stop: Literal["done", "length", "declined"] = "done"
    _usage: Usage | None = None
    _reasoning: dict[str, list[str]] = field(default_factory=dict)
    _length: int = 0

    def event(self, event: Mapping[str, Any]) -> Iterator[Part]:
        for choice in rows(event.get("choices")):
            yield from self._choice(fields(choice))
        if event.get("usage"):
            self._usage = usage_of(fields(event["usage"]))

    def _choice(self, choice: dict[str, Any]) -> Iterator[Part]:
        delta = fields(choice.get("delta"))
        for name in REASONING:
            if thought := self._assembly.count(text(delta.get(name))):
                self._reasoning.setdefault(name, []).append(thought)
                yield ReasoningPart(thought)
                break
        if said := text(delta.get("content")) or text(delta.get("refusal")):
            self._length += len(said)
            yield TextPart(self._assembly.count(said))
        for position, piece in enumerate(rows(delta.get("tool_calls"))):
            self._call(position, fields(piece))
        if reason := text(choice.get("finish_reason")):
            self.finished = True
            self._stop = STOPS.get(reason, "done")

    def _call(self, position: int, piece: dict[str, Any]) -> None:
        index = place(piece.get("index"), position)
        function = fields(piece.get("function"))
        self._assembly.name(index, text(function.get("name")))
        self._assembly.argue(index, texts(function.get("arguments")))

    def end(self) -> Iterator[Part]:
        layout = Layout(self.owner)
        for name, thoughts in self._reasoning.items():
            layout.block({name: "".join(thoughts)})
        layout.text(self._length)
        for call in self._assembly.calls():
            layout.call()
            yield call
        yield EndPart(self._stop, self._usage, layout.as_text())


def usage_of(usage: Mapping[str, Any]) -> Usage:
    details = fields(usage.get("prompt_tokens_details"))
    return Usage(
        input=count(usage.get("prompt_tokens")),
        output=count(usage.get("completion_tokens")),
        cached=count(details.get("cached_tokens")),
    )


def request_body(settings: Settings, question: Question, history: list[Turn], images: Images) -> Body:
    messages = [message for turn in history for message in _turn(turn, images, question, settings.owner)]
    body: Body = {
        "model": settings.model,
        "messages": [{"role": "system", "content": question.system}, *messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        **settings.sampling,
    }
    if settings.effort:
        body["reasoning_effort"] = settings.effort
    if not settings.base_url and question.thread_id:
        body["prompt_cache_key"] = question.thread_id
    if tools := question.tools():
        body["tools"] = [{"type": "function", "function": tool} for tool in tools]
    return body


def _turn(turn: Turn, images: Images, question: Question, owner: str) -> Iterator[dict[str, Any]]:
    if isinstance(turn, UserTurn):
        yield {"role": "user", "content": turn.full_text}
    else:
        yield _said(turn, question.kept(turn.key), owner)
        yield from _results(turn, images)


def _said(turn: AssistantTurn, kept: str, owner: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    for piece in pieces(turn, kept, owner):
        if piece[0] == "block":
            message |= piece[1]
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
            }
            for call in turn.calls
        ]
    return message


def _results(turn: AssistantTurn, images: Images) -> Iterator[dict[str, Any]]:
    results = answered(turn)
    for result in results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": told(result, images)}
    # A tool's answer is text only in this protocol; its picture follows as the next user turn.
    shown = [images[result.call_id] for result in results if result.call_id in images]
    if shown:
        parts = [{"type": "image_url", "image_url": {"url": image.address}} for image in shown]
        yield {"role": "user", "content": [{"type": "text", "text": SHOWN}, *parts]}


CHAT = Dialect(
    url=lambda base_url: f"{base_url or BASE_URL}/chat/completions",
    headers=bearer,
    body=request_body,
    reader=ChatReader,
)
