"""The stand-in itself: what it streams is what was scripted, and it refuses what the real one refuses."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.model_server.script import Answer, Call
from tests.model_server.server import ScriptedServer, served

HELLO = [{"role": "user", "content": "Hello"}]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
LOOK = Answer("Schön, ich sehe nach.", [Call("look", {"path": "/tmp/größe"})])


def asking(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"model": "scripted", "stream": True, "messages": messages, "tools": [TOOL], **more}


@pytest.fixture
async def url() -> AsyncIterator[str]:
    server = ScriptedServer([LOOK, Answer("Done.")], model="scripted", key="secret")
    async with served(server) as found:
        yield found


async def post(url: str, body: dict[str, Any], key: str = "secret") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{url}/chat/completions", json=body, headers=headers) as response,
    ):
        return response.status, await response.text()


def chunks(stream: str) -> list[dict[str, Any]]:
    comment, *data, done, end = stream.split("\n\n")
    assert (comment[0], done, end) == (":", "data: [DONE]", "")
    return [json.loads(line.removeprefix("data: "))["choices"][0] for line in data]


async def test_text_and_call_arrive_in_pieces_that_make_the_whole(url: str) -> None:
    status, stream = await post(url, asking(HELLO))
    assert status == 200
    found = chunks(stream)
    assert "".join(choice["delta"].get("content") or "" for choice in found) == LOOK.text
    calls = [call for choice in found for call in choice["delta"].get("tool_calls", ())]
    assert calls[0]["function"]["name"] == "look"
    assert json.loads("".join(call["function"]["arguments"] for call in calls)) == LOOK.calls[0].arguments
    assert [choice["finish_reason"] for choice in found if choice["finish_reason"]] == ["tool_calls"]


async def test_next_answer_follows_from_the_conversation(url: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    results: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
    ]
    status, stream = await post(url, asking(HELLO + results))
    assert status == 200
    assert "".join(choice["delta"].get("content") or "" for choice in chunks(stream)) == "Done."


@pytest.mark.parametrize(
    ("body", "key", "status"),
    [
        (asking(HELLO), "wrong", 401),
        (asking(HELLO, model="other"), "secret", 404),
        (asking(HELLO, stream=False), "secret", 400),
        (asking(HELLO, tools=[]), "secret", 400),
        (asking([*HELLO, {"role": "assistant", "tool_calls": [{"id": "c1"}]}]), "secret", 400),
    ],
    ids=["key", "model", "not streamed", "tool not offered", "call without result"],
)
async def test_what_the_real_one_refuses_is_refused(
    url: str, body: dict[str, Any], key: str, status: int
) -> None:
    found, text = await post(url, body, key)
    assert found == status
    assert json.loads(text)["error"]["message"]
