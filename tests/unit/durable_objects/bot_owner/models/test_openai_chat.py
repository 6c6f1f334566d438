"""The chat completions protocol where it has ways of its own, and what its copies do differently."""

import json
from base64 import b64encode
from typing import Any

import pytest

from durable_objects.bot_owner.conversation import Turn, UserTurn
from durable_objects.bot_owner.models.openai_chat import BASE_URL, request_body
from durable_objects.bot_owner.models.pictures import newest
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, ModelError, Part, Settings, TextPart
from tests.unit.durable_objects.bot_owner.models.wired import (
    Server,
    looked,
    parts,
    provider,
    question,
    stored,
)

SETTINGS = Settings("https://model.invalid/v1", "m")


def event(**delta: Any) -> bytes:
    finish = delta.pop("finish", None)
    chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


async def read(*chunks: bytes) -> list[Part]:
    return await parts(provider("openai", Server(*chunks)))


async def test_a_copy_may_leave_out_the_end_the_index_and_the_blank_line() -> None:
    call = {"id": "x", "function": {"name": "t", "arguments": '{"a":1}'}}
    found = await read(
        event(content="Hi").rstrip(b"\n") + b"\n",
        b": comment\r\n",
        event(tool_calls=[call]).replace(b"\n\n", b"\r\n\r\n"),
        event(finish="tool_calls").rstrip(b"\n"),
    )
    assert found == [TextPart("Hi"), CallPart("t", {"a": 1}, '{"a":1}'), EndPart()]


@pytest.mark.parametrize(
    "chunk",
    [
        b'data: {"choices":"abc"}\n\n',
        b'data: {"choices":[5]}\n\n',
        event(content=5),
        event(tool_calls=[5]),
        event(tool_calls=[{"index": "0"}]),
        event(tool_calls=[{"index": -1}]),
        event(tool_calls=[{"index": True}]),
        event(tool_calls=[{"function": {"name": 5}}]),
        event(tool_calls=[{"function": {"arguments": {"a": 1}}}]),
    ],
)
async def test_values_of_another_kind_are_an_error(chunk: bytes) -> None:
    with pytest.raises(ModelError, match="could not be read"):
        await read(event(content="half"), chunk, event(finish="stop"))


async def test_tokens_that_are_no_number_do_not_spoil_an_answer() -> None:
    usage = {"prompt_tokens": "many", "completion_tokens": -1, "prompt_tokens_details": None}
    found = await read(
        event(content="a"), event(finish="stop"), f"data: {json.dumps({'usage': usage})}\n".encode()
    )
    assert found[0] == TextPart("a")
    assert isinstance(found[1], EndPart)
    assert found[1].usage is not None
    assert (found[1].usage.input, found[1].usage.output) == (0, 0)


async def test_arguments_nested_without_end_are_kept_as_text_and_refused_later() -> None:
    deep = "[" * 9_000 + "]" * 9_000
    call = {"function": {"name": "t", "arguments": deep}}
    found = await read(event(tool_calls=[call]), event(finish="stop"))
    assert found[0] == CallPart("t", None, deep[:2_000])


async def test_every_call_has_a_result_even_one_that_was_stopped() -> None:
    messages = request_body(SETTINGS, question(), question().history(), {})["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert messages[3] == {"role": "tool", "tool_call_id": "call_1", "content": "out"}
    assert "stopped" in messages[5]["content"]


async def test_pictures_follow_the_tools_answers() -> None:
    history: list[Turn] = [UserTurn("look", 1), looked(1), looked(2)]
    asked = question(history, stored)
    messages = request_body(SETTINGS, asked, history, await newest(asked, history))["messages"]
    places = [n for n, message in enumerate(messages) if isinstance(message["content"], list)]
    assert [messages[n - 1]["role"] for n in places] == ["tool", "tool"]
    urls = [messages[n]["content"][1]["image_url"]["url"] for n in places]
    assert urls == [f"data:image/png;base64,{b64encode(f'key_{n}'.encode()).decode()}" for n in (1, 2)]


async def test_only_the_providers_own_server_is_told_which_conversation_it_is() -> None:
    for base_url, told in (("", "thr_1"), ("https://model.invalid/v1", None)):
        server = Server(event(finish="stop"))
        await parts(provider("openai", server, base_url=base_url), question(thread_id="thr_1"))
        ((url, _, body),) = server.asked
        assert url == f"{base_url or BASE_URL}/chat/completions"
        assert body.get("prompt_cache_key") == told
