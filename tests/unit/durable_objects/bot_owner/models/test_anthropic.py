"""Anthropic's Messages where they have ways of their own."""

import json
from typing import Any

import pytest

from durable_objects.bot_owner.conversation import AssistantTurn, ToolTurn, Turn, UserTurn
from durable_objects.bot_owner.models.anthropic import CACHE, request_body
from durable_objects.bot_owner.models.pictures import newest
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, ModelError, Part, Settings, TextPart
from durable_objects.bot_owner.plan import ToolCall
from tests.unit.durable_objects.bot_owner.models.wired import (
    TOOL,
    Server,
    looked,
    parts,
    provider,
    question,
    stored,
)


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def block(index: int, **begun: Any) -> bytes:
    return event("content_block_start", index=index, content_block=begun)


END = event("message_delta", delta={"stop_reason": "end_turn"}) + event("message_stop")


async def read(*chunks: bytes) -> list[Part]:
    return await parts(provider("anthropic", Server(*chunks)))


def call(number: int) -> Turn:
    made = ToolCall(f"call_{number}", "t", {"n": number})
    return AssistantTurn(("r", number), "", [made], {made.id: ToolTurn(made.id, f"out {number}")})


def body(history: list[Turn], **settings: Any) -> dict[str, Any]:
    return request_body(Settings("", "m", **settings), question(history), history, {})


def test_the_beginning_is_marked_to_be_cached_up_to_the_last_two_messages_to_the_model() -> None:
    sent = body([UserTurn("go", 1), call(1), call(2), call(3)])
    assert sent["system"] == [{"type": "text", "text": "be good", **CACHE}]
    marked = [any("cache_control" in block for block in m["content"]) for m in sent["messages"]]
    assert [m["role"] for m in sent["messages"]] == ["user", "assistant"] * 3 + ["user"]
    assert marked == [False, False, False, False, True, False, True]


def test_messages_of_one_side_are_one_and_a_result_stands_before_what_is_said_after_it() -> None:
    sent = body([UserTurn("a", 1), UserTurn("b", 2), call(1), UserTurn("c", 3)])["messages"]
    assert [[block["type"] for block in message["content"]] for message in sent] == [
        ["text", "text"],
        ["tool_use"],
        ["tool_result", "text"],
    ]


def test_tools_are_told_in_its_words() -> None:
    (tool,) = body([UserTurn("a", 1)])["tools"]
    assert tool == {"name": "t", "description": "does it", "input_schema": TOOL["parameters"]}


async def test_a_picture_is_part_of_its_result() -> None:
    history: list[Turn] = [UserTurn("look", 1), looked(1)]
    asked = question(history, stored)
    sent = request_body(Settings("", "m"), asked, history, await newest(asked, history))["messages"]
    text, image = sent[-1]["content"][0]["content"]
    assert (text["type"], image["source"]["media_type"]) == ("text", "image/png")


async def test_an_input_that_comes_whole_is_taken_where_no_piece_follows() -> None:
    tool = {"type": "tool_use", "id": "u", "name": "t", "input": {"a": 1}}
    assert await read(block(0, **tool), END) == [CallPart("t", {"a": 1}, '{"a": 1}'), EndPart()]
    piece = event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "{}"})
    assert (await read(block(0, **tool), piece, END))[0] == CallPart("t", {}, "{}")


async def test_thinking_that_is_hidden_goes_back_as_it_was() -> None:
    hidden = {"type": "redacted_thinking", "data": "sealed"}
    (*_, end) = await read(block(0, **hidden), block(1, type="text", text="Hi"), END)
    assert isinstance(end, EndPart)
    history: list[Turn] = [UserTurn("a", 1), AssistantTurn(("r", 1), "Hi")]
    asked = question(history, kept=lambda _key: end.kept)
    sent = request_body(Settings("", "m"), asked, history, {})["messages"]
    assert sent[1]["content"] == [hidden, {"type": "text", "text": "Hi"}]


async def test_blocks_of_an_unknown_kind_say_nothing() -> None:
    delta = event("content_block_delta", index=0, delta={"type": "citations_delta", "text": "no"})
    said = block(1, type="text", text="") + event(
        "content_block_delta", index=1, delta={"type": "text_delta", "text": "yes"}
    )
    assert await read(block(0, type="server_tool_use"), delta, said, END) == [TextPart("yes"), EndPart()]


@pytest.mark.parametrize("base_url", ["", "https://model.invalid", "https://model.invalid/v1"])
async def test_its_address_may_be_told_with_and_without_the_version(base_url: str) -> None:
    server = Server(END)
    await parts(provider("anthropic", server, base_url=base_url))
    assert server.asked[0][0].endswith(".com/v1/messages" if not base_url else ".invalid/v1/messages")


async def test_an_answer_without_its_end_is_none() -> None:
    with pytest.raises(ModelError, match="broke off"):
        await read(block(0, type="text", text="half"))
