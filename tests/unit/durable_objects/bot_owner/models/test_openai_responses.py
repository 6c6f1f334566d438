"""OpenAI's Responses where they have ways of their own."""

import json
from typing import Any

import pytest

from contracts.errors import ErrorCode
from durable_objects.bot_owner.conversation import Turn, UserTurn
from durable_objects.bot_owner.models.openai_responses import request_body
from durable_objects.bot_owner.models.pictures import newest
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    ReasoningPart,
    Settings,
    TextPart,
)
from tests.unit.durable_objects.bot_owner.models.wired import (
    Server,
    looked,
    parts,
    provider,
    question,
    stored,
)


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


COMPLETED = event("response.completed", response={"status": "completed", "error": None})


async def read(*chunks: bytes) -> list[Part]:
    return await parts(provider("openai_responses", Server(*chunks)))


async def test_a_call_that_is_told_only_when_it_is_done_is_a_call() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "t", "arguments": '{"a": 1}'}
    found = await read(event("response.output_item.done", output_index=0, item=item), COMPLETED)
    assert found == [CallPart("t", {"a": 1}, '{"a": 1}'), EndPart()]


async def test_arguments_at_the_end_take_the_place_of_their_pieces() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "t", "arguments": ""}
    found = await read(
        event("response.output_item.added", output_index=0, item=item),
        event("response.function_call_arguments.delta", output_index=0, delta='{"a": '),
        event("response.output_item.done", output_index=0, item={**item, "arguments": '{"a": 2}'}),
        COMPLETED,
    )
    assert found[0] == CallPart("t", {"a": 2}, '{"a": 2}')


async def test_parts_of_a_summary_are_set_apart_and_unknown_events_are_nothing() -> None:
    found = await read(
        event("response.reasoning_summary_part.added", output_index=0),
        event("response.reasoning_summary_text.delta", output_index=0, delta="one"),
        event("response.reasoning_summary_part.added", output_index=0),
        event("response.reasoning_summary_text.delta", output_index=0, delta="two"),
        event("response.something.new", output_index=0),
        event("response.refusal.delta", output_index=1, delta="No."),
        COMPLETED,
    )
    assert found == [
        ReasoningPart("one"),
        ReasoningPart("\n\n"),
        ReasoningPart("two"),
        TextPart("No."),
        EndPart(),
    ]


@pytest.mark.parametrize(
    ("code", "told", "again"),
    [
        ("rate_limit_exceeded", ErrorCode.MODEL_THROTTLED, True),
        ("server_error", ErrorCode.MODEL_UNAVAILABLE, True),
        ("context_length_exceeded", ErrorCode.MODEL_CONTEXT_FULL, False),
    ],
)
async def test_a_response_that_failed_is_told_by_its_code(code: str, told: ErrorCode, again: bool) -> None:
    response = {"status": "failed", "error": {"code": code, "message": "it broke"}}
    with pytest.raises(ModelError, match="it broke") as caught:
        await read(event("response.failed", response=response))
    assert (caught.value.code, caught.value.may_retry) == (told, again)


async def test_a_picture_is_part_of_its_calls_output() -> None:
    history: list[Turn] = [UserTurn("look", 1), looked(1)]
    asked = question(history, stored)
    body = request_body(Settings("", "m"), asked, history, await newest(asked, history))
    (output,) = [item["output"] for item in body["input"] if item.get("type") == "function_call_output"]
    assert [part["type"] for part in output] == ["input_text", "input_image"]
    assert output[1]["image_url"].startswith("data:image/png;base64,")
    assert body["store"] is False
    assert "include" not in body
