"""Workers AI by its binding: both shapes of its stream, and the fields it knows."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest

from contracts.errors import ErrorCode
from contracts.records import Usage
from contracts.states import Effort
from durable_objects.bot_owner.conversation import Turn, UserTurn
from durable_objects.bot_owner.models.http import HttpAnswer
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, ModelError, Part, Settings, TextPart
from durable_objects.bot_owner.models.workers_ai import WorkersAi
from tests.model_server.script import Answer, Call
from tests.unit.durable_objects.bot_owner.models.wired import looked, now_ms, question, stored, stream


class Binding:
    def __init__(self, *chunks: bytes, status: int = 200) -> None:
        self.chunks = chunks
        self.status = status
        self.asked: list[tuple[str, dict[str, Any], Mapping[str, str]]] = []

    async def __call__(self, model: str, body: str, headers: Mapping[str, str]) -> HttpAnswer:
        self.asked.append((model, json.loads(body), headers))
        return HttpAnswer(self.status, {}, self._body())

    async def _body(self) -> AsyncGenerator[bytes, None]:
        for chunk in self.chunks:
            yield chunk


async def read(binding: Binding, *history: Turn, **settings: Any) -> list[Part]:
    made = WorkersAi(Settings("", "@cf/some/model", **settings), binding, now_ms)
    asked = question(list(history) or None, stored, thread_id="thr_1")
    return [part async for part in made.stream(asked, "")]


def native(**fields: Any) -> bytes:
    return f"data: {json.dumps(fields)}\n\n".encode()


async def test_its_own_shape_is_read_with_calls_that_come_whole() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    binding = Binding(
        native(response="Hel", p="abc"),
        native(response="lo"),
        native(response="", tool_calls=[{"name": "t", "arguments": {"a": 1}}]),
        native(response=None, tool_calls=[{"function": {"name": "u", "arguments": '{"b": 2}'}}], usage=usage),
        b"data: [DONE]\n\n",
    )
    assert await read(binding) == [
        TextPart("Hel"),
        TextPart("lo"),
        CallPart("t", {"a": 1}, '{"a": 1}'),
        CallPart("u", {"b": 2}, '{"b": 2}'),
        EndPart(usage=Usage(input=9, output=2)),
    ]


async def test_the_shape_of_chat_completions_is_read_too() -> None:
    answer = Answer("Hi", [Call("t", {"a": 1})])
    found = await read(Binding(*stream("openai", answer)))
    assert [type(part) for part in found] == [TextPart, CallPart, EndPart]


async def test_an_answer_without_an_end_is_none() -> None:
    with pytest.raises(ModelError, match="broke off"):
        await read(Binding(native(response="half")))


async def test_it_is_sent_the_fields_it_knows_and_told_the_conversation() -> None:
    binding = Binding(b"data: [DONE]\n\n")
    await read(binding, UserTurn("look", 1), looked(1), temperature=0.2)
    ((model, body, headers),) = binding.asked
    assert model == "@cf/some/model"
    assert set(body) == {"messages", "tools", "stream", "temperature", "max_tokens"}
    assert all(message["content"] for message in body["messages"] if message["role"] != "assistant")
    assert [m["content"] for m in body["messages"] if m["role"] == "assistant"] == [""]
    assert headers == {"x-session-affinity": "thr_1"}
    await read(binding, effort=Effort.LOW)
    assert binding.asked[1][1]["reasoning_effort"] == "low"


async def test_no_capacity_may_be_asked_again() -> None:
    error = b'{"internalCode":3040,"message":"Capacity temporarily exceeded, please try again."}'
    with pytest.raises(ModelError, match="Capacity") as caught:
        await read(Binding(error, status=429))
    assert (caught.value.code, caught.value.may_retry) == (ErrorCode.MODEL_THROTTLED, True)
