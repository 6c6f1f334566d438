"""Anthropic's Messages: `POST {base}/v1/messages` as a stream of content blocks.

Source: platform.claude.com/docs, the messages API with streaming, tool use, thinking and prompt caching.
Blocks of thinking are signed and must come back as they were (see `kept.py`). The tools, the system prompt
and the conversation up to its last two answers to the model are marked to be cached.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.records import Usage
from durable_objects.bot_owner.conversation import AssistantTurn, ToolTurn, Turn, UserTurn, answered
from durable_objects.bot_owner.models.asking import Body
from durable_objects.bot_owner.models.assembly import Assembly
from durable_objects.bot_owner.models.kept import Layout, pieces
from durable_objects.bot_owner.models.over_http import Dialect
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

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
# The protocol wants a limit; this is what every model of today may write.
OUTPUT_TOKENS = 32_000
CACHE = {"cache_control": {"type": "ephemeral"}}
STOPS: Mapping[str, Literal["length", "declined"]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "declined",
}
THINKING = frozenset({"thinking", "redacted_thinking"})
USAGE = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@dataclass
class _Block:
    kind: str
    given: dict[str, Any]
    """As it began; of thinking what comes later is added to it."""
    length: int = 0
    thoughts: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)


@dataclass
class MessagesReader:
    owner: str
    finished: bool = False
    _assembly: Assembly = field(default_factory=Assembly)
    _blocks: dict[int, _Block] = field(default_factory=dict)
    _stop: Literal["done", "length", "declined"] = "done"
    _tokens: dict[str, int] = field(default_factory=dict)

    def event(self, event: Mapping[str, Any]) -> Iterator[Part]:
        kind = event.get("type")
        if kind == "message_start":
            self._count(fields(fields(event.get("message")).get("usage")))
        elif kind == "content_block_start":
            yield from self._begin(place(event.get("index"), 0), fields(event.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._delta(place(event.get("index"), 0), fields(event.get("delta")))
        elif kind == "message_delta":
            self._count(fields(event.get("usage")))
            if reason := text(fields(event.get("delta")).get("stop_reason")):
                self.finished = True
                self._stop = STOPS.get(reason, "done")
        elif kind == "message_stop":
            self.finished = True

    def _begin(self, index: int, given: dict[str, Any]) -> Iterator[Part]:
        block = self._blocks[index] = _Block(text(given.get("type")), given)
        self._assembly.count(json.dumps(given, default=str) if block.kind == "redacted_thinking" else "")
        if block.kind == "tool_use":
            self._assembly.name(index, text(given.get("name")))
        yield from self._text(block, text(given.get("text")))
        yield from self._thought(block, text(given.get("thinking")))

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[Part]:
        block = self._blocks.setdefault(index, _Block("text", {}))
        yield from self._text(block, text(delta.get("text")))
        yield from self._thought(block, text(delta.get("thinking")))
        block.signature.append(self._assembly.count(text(delta.get("signature"))))
        if block.kind == "tool_use":
            self._assembly.argue(index, texts(delta.get("partial_json")))

    def _text(self, block: _Block, said: str) -> Iterator[Part]:
        if said and block.kind == "text":
            block.length += len(self._assembly.count(said))
            yield TextPart(said)

    def _thought(self, block: _Block, thought: str) -> Iterator[Part]:
        if thought and block.kind == "thinking":
            block.thoughts.append(self._assembly.count(thought))
            yield ReasoningPart(thought)

    def _count(self, usage: Mapping[str, Any]) -> None:
        # A later event has the sums so far, not what came in between.
        self._tokens |= {name: count(usage[name]) for name in USAGE if usage.get(name) is not None}

    def end(self) -> Iterator[Part]:
        layout = Layout(self.owner)
        for index, block in sorted(self._blocks.items()):
            if block.kind == "text":
                layout.text(block.length)
            elif block.kind == "tool_use":
                layout.call()
                if not self._assembly.argued(index) and block.given.get("input"):
                    self._assembly.settle(index, [json.dumps(block.given["input"], default=str)])
            elif block.kind in THINKING:
                layout.block(_whole(block))
        yield from self._assembly.calls()
        yield EndPart(self._stop, self._usage(), layout.as_text())

    def _usage(self) -> Usage | None:
        if not self._tokens:
            return None
        new, output, cached, written = (self._tokens.get(name, 0) for name in USAGE)
        return Usage(input=new + cached + written, output=output, cached=cached, cache_written=written)


def _whole(block: _Block) -> dict[str, Any]:
    if block.kind == "redacted_thinking":
        return block.given
    signature = "".join(block.signature) or text(block.given.get("signature"))
    return {"type": "thinking", "thinking": "".join(block.thoughts), "signature": signature}


def request_body(settings: Settings, question: Question, history: list[Turn], images: Images) -> Body:
    body: Body = {
        "model": settings.model,
        "max_tokens": OUTPUT_TOKENS,
        "stream": True,
        "system": [{"type": "text", "text": question.system, **CACHE}],
        "messages": _messages(question, history, images, settings.owner),
        **settings.sampling,
    }
    if settings.effort:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
        body["output_config"] = {"effort": settings.effort}
    if tools := question.tools():
        body["tools"] = [_tool(tool) for tool in tools]
    return body


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool.get("description", ""),
        "input_schema": tool.get("parameters", {"type": "object"}),
    }


def _messages(question: Question, history: list[Turn], images: Images, owner: str) -> list[dict[str, Any]]:
    """Messages of both sides in turn: what follows on each other on one side is one message."""
    messages: list[dict[str, Any]] = []
    for turn in history:
        for role, blocks in _blocks(turn, images, question, owner):
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += blocks
            elif blocks:
                messages.append({"role": role, "content": blocks})
    for message in [message for message in messages if message["role"] == "user"][-2:]:
        message["content"][-1] |= CACHE
    return messages


def _blocks(
    turn: Turn, images: Images, question: Question, owner: str
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if isinstance(turn, UserTurn):
        yield "user", [{"type": "text", "text": turn.full_text}]
        return
    yield "assistant", list(_said(turn, question.kept(turn.key), owner))
    if turn.calls:
        yield "user", [_result(result, images) for result in answered(turn)]


def _said(turn: AssistantTurn, kept: str, owner: str) -> Iterator[dict[str, Any]]:
    for piece in pieces(turn, kept, owner):
        if piece[0] == "text":
            if piece[1].strip():  # a block of nothing but space is refused
                yield {"type": "text", "text": piece[1]}
        elif piece[0] == "block":
            yield piece[1]
        else:
            call = piece[1]
            yield {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}


def _result(result: ToolTurn, images: Images) -> dict[str, Any]:
    content = [{"type": "text", "text": told(result, images)}]
    if image := images.get(result.call_id):
        source = {"type": "base64", "media_type": image.media_type, "data": image.base64}
        return {
            "type": "tool_result",
            "tool_use_id": result.call_id,
            "content": [*content, {"type": "image", "source": source}],
        }
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content}


def _headers(key: str) -> dict[str, str]:
    return {"anthropic-version": VERSION} | ({"x-api-key": key} if key else {})


MESSAGES = Dialect(
    # Its address is told without the version by some and with it by others.
    url=lambda base_url: f"{(base_url or BASE_URL).removesuffix('/v1')}/v1/messages",
    headers=_headers,
    body=request_body,
    reader=MessagesReader,
)
