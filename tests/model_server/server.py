"""A stand-in for the providers of models: it speaks their wire formats, and its answers are a script.

The script is a list; which answer comes next is read from the conversation that the client sends, as a model
would read it. Like the real ones it refuses a wrong key, an unknown model, and a tool call without a result.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

from aiohttp import web

from durable_objects.bot_owner.prompts import TITLE_SYSTEM
from tests.model_server import chat_wire, messages_wire, responses_wire
from tests.model_server.script import PIECE, Answer, Refusal

WIRES: Mapping[str, ModuleType] = {
    "openai": chat_wire,
    "openai_responses": responses_wire,
    "anthropic": messages_wire,
}
"""By the provider's name in Berth."""
# Events do not end where network packets do: odd sizes cut them, and characters, anywhere.
PACKET = 61
PING_SECONDS = 0.1


class ScriptedServer:
    def __init__(
        self,
        answers: Sequence[Answer],
        *,
        model: str,
        key: str = "",
        piece: int = PIECE,
        packet: int = PACKET,
        refusals: Sequence[Refusal] = (),
        title: str = "",
    ) -> None:
        self._answers = answers
        self._piece = piece
        self._packet = packet
        self._model = model
        self._key = key
        self._numbers = itertools.count(1)
        self.refusals = list(refusals)
        self._title = Answer(title)
        self.named: list[Mapping[str, Any]] = []
        """Every request for a title, which is beside the script. Without a `title` none is given."""
        self.asked: list[Mapping[str, Any]] = []
        """Every request body that was answered, in order."""
        self.headers: list[Mapping[str, str]] = []
        self.stalled = asyncio.Event()
        """Set when an answer has begun to stall."""

    async def complete(self, request: web.Request, wire: ModuleType) -> web.StreamResponse:
        key = wire.key_of(request.headers)
        body = await request.json()
        if TITLE_SYSTEM in json.dumps(body, ensure_ascii=False):
            self.named.append(body)
            return await self._stream(request, wire, self._title, body)
        refusal = self._refuse(body, request, wire, key)
        if refusal is None and self.refusals:
            refusal = self.refusals.pop(0)
        if refusal:
            refusal = replace(refusal, message=refusal.message.replace("{key}", key))
            return web.json_response(wire.refusal(refusal), status=refusal.status, headers=refusal.headers)
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        answer = self._answers[rounds(wire.kinds(body))]
        return await self._stream(request, wire, _with_key(answer, key), body)

    def _refuse(
        self, body: Mapping[str, Any], request: web.Request, wire: ModuleType, key: str
    ) -> Refusal | None:
        if self._key and key != self._key:
            return Refusal(401, "authentication_error", "Incorrect API key provided.", "invalid_api_key")
        if body["model"] != self._model:
            message = f"The model `{body['model']}` does not exist."
            return Refusal(404, "not_found_error", message, "model_not_found")
        if body.get("stream") is not True:
            return Refusal(400, message="This server only streams.")
        found: Refusal | None = wire.refuse(body, request.headers)
        return found or self._off_the_script(body, wire)

    def _off_the_script(self, body: Mapping[str, Any], wire: ModuleType) -> Refusal | None:
        given = rounds(wire.kinds(body))
        if given >= len(self._answers):
            return Refusal(400, message="The script of this server has no further answer.")
        if missing := {call.tool for call in self._answers[given].calls} - wire.offered(body):
            return Refusal(400, message=f"The script needs {sorted(missing)}, and they were not offered.")
        return None

    async def _stream(
        self, request: web.Request, wire: ModuleType, answer: Answer, body: Mapping[str, Any]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        stream = b"".join(wire.events(answer, body, str(next(self._numbers)), self._piece))
        if answer.fault == "error":
            stream += wire.error_event()
        for start in range(0, len(stream), self._packet):
            await response.write(stream[start : start + self._packet])
        if answer.fault in ("stall", "ping"):
            self.stalled.set()
        # Until the client goes, which cancels this handler.
        while answer.fault == "ping":
            await response.write(b": ping\n\n")
            await asyncio.sleep(PING_SECONDS)
        if answer.fault == "stall":
            await asyncio.Event().wait()
        await response.write_eof()
        return response


@asynccontextmanager
async def served(server: ScriptedServer) -> AsyncIterator[str]:
    """Serve on a free port of loopback; the value is the base URL to give to a client of any protocol."""
    application = web.Application(client_max_size=64 * 1024 * 1024)
    for wire in WIRES.values():

        async def handler(request: web.Request, wire: ModuleType = wire) -> web.StreamResponse:
            return await server.complete(request, wire)

        application.router.add_post(wire.PATH, handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def rounds(kinds: Sequence[str]) -> int:
    """How many answers this model has given since the person last spoke; several items may be one answer."""
    last = max((place for place, kind in enumerate(kinds) if kind == "user"), default=-1)
    since = ["user", *kinds[last + 1 :]]
    return sum(kind == "model" != before for before, kind in itertools.pairwise(since))


def _with_key(answer: Answer, key: str) -> Answer:
    def put(value: Any) -> Any:
        return value.replace("{key}", key) if isinstance(value, str) else value

    calls = [
        replace(call, arguments={name: put(value) for name, value in call.arguments.items()})
        for call in answer.calls
    ]
    return replace(answer, text=put(answer.text), reasoning=put(answer.reasoning), calls=calls)
