"""Providers for tests: a `Post` that answers as told, and the stand-in's wire formats without a network."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any

from contracts import states
from durable_objects.bot_owner.conversation import AssistantTurn, Shown, ToolTurn, Turn, UserTurn
from durable_objects.bot_owner.models.choose import OVER_HTTP
from durable_objects.bot_owner.models.http import HttpAnswer
from durable_objects.bot_owner.models.over_http import HttpProvider
from durable_objects.bot_owner.models.protocol import Part, Provider, Question, Settings
from durable_objects.bot_owner.plan import ToolCall
from tests.model_server.script import PIECE, Answer
from tests.model_server.server import WIRES

KEY = "secret-key"
NOW_MS = 1_790_000_000_000
PACKETS = (1, 7, 61, 1_000_000)
CALL = ToolCall("call_1", "computer__exec", {"command": "ls"})
TURNS: list[Turn] = [
    UserTurn("hi", 1),
    AssistantTurn(("r", 1), "looking", [CALL], {"call_1": ToolTurn("call_1", "out")}),
    AssistantTurn(("r", 2), "", [ToolCall("call_2", "computer__exec", {"command": "x"})]),
]
TOOL = {"name": "t", "description": "does it", "parameters": {"type": "object"}}


class Server:
    """Answers each request with these chunks; `replies` are other (status, headers, chunks), given first."""

    def __init__(self, *chunks: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self.reply = (status, headers or {}, chunks)
        self.replies: list[tuple[int, Mapping[str, str], tuple[bytes, ...]]] = []
        self.asked: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []

    async def __call__(self, url: str, headers: Mapping[str, str], body: str) -> HttpAnswer:
        self.asked.append((url, headers, json.loads(body)))
        status, given, chunks = self.replies.pop(0) if self.replies else self.reply
        return HttpAnswer(status, given, _body(chunks))


async def _body(chunks: tuple[bytes, ...]) -> AsyncGenerator[bytes, None]:
    for chunk in chunks:
        yield chunk


def now_ms() -> int:
    return NOW_MS


async def no_picture(key: str) -> bytes | None:
    return None


async def stored(key: str) -> bytes | None:
    return None if key == "key_9" else key.encode()


def looked(number: int) -> Turn:
    call = ToolCall(f"call_{number}", "computer__read_file", {"path": "a.png"})
    shown = ToolTurn(call.id, "A picture.", Shown(f"key_{number}", "image/png"))
    return AssistantTurn(("r", number), "", [call], {call.id: shown})


def question(
    history: list[Turn] | None = None,
    picture: Callable[[str], Awaitable[bytes | None]] = no_picture,
    **more: Any,
) -> Question:
    found = TURNS if history is None else history
    return Question("be good", [], lambda: list(found), lambda: [TOOL], lambda: "en", picture, **more)


def provider(name: str, server: Server, **settings: Any) -> Provider:
    made = {"base_url": "https://model.invalid/v1", "model": "m", **settings}
    return HttpProvider(OVER_HTTP[states.Provider(name)], Settings(**made), server, now_ms)


async def parts(model: Provider, asked: Question | None = None, key: str = KEY) -> list[Part]:
    return [part async for part in model.stream(asked or question(), key)]


def wire(name: str) -> ModuleType:
    return WIRES[name]


def stream(name: str, answer: Answer, body: Mapping[str, Any] | None = None, packet: int = 61) -> list[bytes]:
    """What the stand-in sends for an answer, in packets that end anywhere."""
    asked = body or {"model": "m", "stream_options": {"include_usage": True}}
    whole = b"".join(wire(name).events(answer, asked, "1", PIECE))
    if answer.fault == "error":
        whole += wire(name).error_event()
    return [whole[start : start + packet] for start in range(0, len(whole), packet)]
