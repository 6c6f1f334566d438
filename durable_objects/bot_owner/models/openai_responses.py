"""OpenAI's Responses: `POST {base}/responses` as a stream of items, and items as the conversation.

Source: developers.openai.com/api/reference, responses and their streaming events. Nothing is stored there:
the whole conversation goes along, with reasoning as encrypted items where an effort is asked for.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.records import Usage
from durable_objects.bot_owner.conversation import AssistantTurn, ToolTurn, Turn, UserTurn, answered
from durable_objects.bot_owner.models.asking import Body
from durable_objects.bot_owner.models.assembly import Assembly
from durable_objects.bot_owner.models.failures import error_of, failure
from durable_objects.bot_owner.models.kept import Layout, pieces
from durable_objects.bot_owner.models.openai_chat import BASE_URL
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
from durable_objects.bot_owner.models.shape import count, fields, place, text, texts

REASONING: tuple[str, ...] = ("type", "id", "summary", "encrypted_content")
TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})
THOUGHTS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})


@dataclass
class ResponsesReader:
    owner: str
    finished: bool = False
    _assembly: Assembly = field(default_factory=Assembly)
    _lengths: dict[int, int] = field(default_factory=dict)
    """Of the texts, by the place of their item."""
    _items: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What has to be kept of finished items, by their place: a block, or nothing for a call."""
    _thought: bool = False
    _end: EndPart = field(default_factory=EndPart)

    def event(self, event: Mapping[str, Any]) -> Iterator[Part]:
        kind, index = text(event.get("type")), place(event.get("output_index"), 0)
        if kind in TEXTS:
            said = self._assembly.count(text(event.get("delta")))
            self._lengths[index] = self._lengths.get(index, 0) + len(said)
            if said:
                yield TextPart(said)
        elif kind in THOUGHTS:
            if thought := self._assembly.count(text(event.get("delta"))):
                self._thought = True
                yield ReasoningPart(thought)
        elif kind == "response.reasoning_summary_part.added" and self._thought:
            yield ReasoningPart("\n\n")
        elif kind == "response.function_call_arguments.delta":
            self._assembly.argue(index, texts(event.get("delta")))
        elif kind == "response.output_item.added":
            self._added(index, fields(event.get("item")))
        elif kind == "response.output_item.done":
            self._done(index, fields(event.get("item")))
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self._finish(fields(event.get("response")))

    def _added(self, index: int, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            self._assembly.name(index, text(item.get("name")))
            self._items[index] = {}

    def _done(self, index: int, item: dict[str, Any]) -> None:
        if item.get("type") == "function_call":
            if index not in self._items:
                self._added(index, item)
            if item.get("arguments"):
                self._assembly.settle(index, texts(item["arguments"]))
        elif item.get("type") == "reasoning" and item.get("encrypted_content"):
            self._items[index] = {name: item[name] for name in REASONING if name in item}

    def _finish(self, response: dict[str, Any]) -> None:
        if response.get("error"):
            raise failure(None, error_of(response))
        reason = text(fields(response.get("incomplete_details")).get("reason"))
        stop: Literal["done", "length", "declined"] = "done"
        if reason:
            stop = "declined" if reason == "content_filter" else "length"
        usage = response.get("usage")
        self.finished = True
        self._end = EndPart(stop, usage_of(fields(usage)) if usage else None)

    def end(self) -> Iterator[Part]:
        layout = Layout(self.owner)
        for index in sorted({*self._items, *self._lengths}):
            if index in self._lengths:
                layout.text(self._lengths[index])
            elif block := self._items[index]:
                layout.block(block)
            else:
                layout.call()
        yield from self._assembly.calls()
        yield EndPart(self._end.stop, self._end.usage, layout.as_text())


def usage_of(usage: Mapping[str, Any]) -> Usage:
    details = fields(usage.get("input_tokens_details"))
    return Usage(
        input=count(usage.get("input_tokens")),
        output=count(usage.get("output_tokens")),
        cached=count(details.get("cached_tokens")),
    )


def request_body(settings: Settings, question: Question, history: list[Turn], images: Images) -> Body:
    body: Body = {
        "model": settings.model,
        "instructions": question.system,
        "input": [item for turn in history for item in _items(turn, images, question, settings.owner)],
        "tools": [{"type": "function", **tool, "strict": False} for tool in question.tools()],
        "stream": True,
        "store": False,
        **settings.sampling,
    }
    if settings.effort:
        # Only models that think know these; others refuse them.
        body["reasoning"] = {"effort": settings.effort, "summary": "auto"}
        body["include"] = ["reasoning.encrypted_content"]
    if question.thread_id:
        body["prompt_cache_key"] = question.thread_id
    return body


def _items(turn: Turn, images: Images, question: Question, owner: str) -> Iterator[dict[str, Any]]:
    if isinstance(turn, UserTurn):
        yield {"role": "user", "content": [{"type": "input_text", "text": turn.full_text}]}
        return
    yield from _said(turn, question.kept(turn.key), owner)
    for result in answered(turn):
        yield {
            "type": "function_call_output",
            "call_id": result.call_id,
            "output": _output(result, images),
        }


def _said(turn: AssistantTurn, kept: str, owner: str) -> Iterator[dict[str, Any]]:
    for piece in pieces(turn, kept, owner):
        if piece[0] == "text":
            yield {"role": "assistant", "content": piece[1]}
        elif piece[0] == "block":
            yield piece[1]
        else:
            call = piece[1]
            arguments = json.dumps(call.arguments)
            yield {"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments}


def _output(result: ToolTurn, images: Images) -> Any:
    image = images.get(result.call_id)
    if image is None:
        return told(result, images)
    return [
        {"type": "input_text", "text": result.text},
        {"type": "input_image", "image_url": image.address},
    ]


RESPONSES = Dialect(
    url=lambda base_url: f"{base_url or BASE_URL}/responses",
    headers=bearer,
    body=request_body,
    reader=ResponsesReader,
)
