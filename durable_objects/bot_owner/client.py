"""The owner's BotComputer, called over RPC: the `Computer` of the tools and the `Machine` of the API.

A stub whose object was put away stays broken for good, so a call that fails is made again with a new one.
Every call has an id, or changes nothing that it has changed already: what was done is not done twice.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import js
from pyodide.ffi import JsException, create_proxy

from contracts.allowance import Account
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import CommandResult, FileChange, Picture
from contracts.tools import Exec, ReadFile
from durable_objects.bot_owner.outlets import pour_text
from durable_objects.bot_owner.tools import (
    Caller,
    Changed,
    Delivered,
    Delivery,
    Exported,
    OnOutput,
    Pieces,
    Seen,
)
from durable_objects.shared.reply import opened, opened_text
from telemetry.spans import span
from telemetry.trace import carried

log = logging.getLogger(__name__)

TRIES = 3


@dataclass
class _Line:
    """The stub in use, which all clients of one computer share."""

    new_stub: Callable[[], Any]
    stub: Any


class ComputerClient:
    def __init__(self, new_stub: Callable[[], Any]) -> None:
        self._line = _Line(new_stub, new_stub())
        self._account = Account()

    def charged_to(self, account: Account) -> "ComputerClient":
        other = copy(self)
        other._account = account  # noqa: SLF001 - another of this class
        return other

    async def exec(
        self, command_id: str, arguments: Exec, caller: Caller, on_output: OnOutput
    ) -> CommandResult:
        """Run a command, or find the one with this id."""
        fields = {
            "id": command_id,
            "command": arguments.command,
            "timeout_s": arguments.timeout_s,
            "origin": caller.origin,
        }
        # The other object calls this function; the proxy lives as long as the command.
        listener = create_proxy(on_output)
        try:
            reply = await self._asked("exec", lambda stub: stub.exec(self._payload(fields), listener))
        finally:
            listener.destroy()
        return CommandResult.model_validate_json(opened_text(reply))

    async def read_file(self, arguments: ReadFile, picture_key: str) -> Seen:
        answer = await self._call("read_file", {"arguments": arguments.model_dump(), "key": picture_key})
        picture = answer["picture"]
        return Seen(str(answer["text"]), Picture.model_validate(picture) if picture else None)

    async def write_file(self, call_id: str, path: str, content: Pieces) -> Changed:
        return await self._change("write_file", {"id": call_id, "path": path}, content)

    async def edit_file(self, call_id: str, path: str, old: Pieces, new: Pieces) -> Changed:
        def order() -> Iterator[str]:
            yield f'{{"id":{json.dumps(call_id)},"path":{json.dumps(path)},"oldText":"'
            yield from map(_inside_json, old())
            yield '","newText":"'
            yield from map(_inside_json, new())
            yield '"}'

        return await self._change("edit_file", {}, order)

    async def _change(self, operation: str, fields: dict[str, Any], body: Pieces) -> Changed:
        """The body goes to the computer as a stream, which no object on the way holds whole."""

        async def ask(stub: Any) -> str:
            pipe = js.IdentityTransformStream.new()
            pouring = asyncio.ensure_future(pour_text(pipe.writable.getWriter(), body()))
            try:
                reply: str = await stub.change(operation, self._payload(fields), pipe.readable)
                return reply
            finally:
                # It has been read to its end, or nobody reads it any more.
                pouring.cancel()

        answer = opened(await self._asked(operation, ask))
        return Changed(FileChange.model_validate(answer["change"]), answer["diff"])

    async def export(self, path: str, key: str) -> Exported:
        return Exported(**await self._call("export", {"path": path, "key": key}))

    async def deliver(self, waiting: list[Delivery]) -> Delivered:
        uploads = [{"id": item.id, "key": item.key, "name": item.name} for item in waiting]
        answer = await self._call("deliver", {"uploads": uploads})
        return Delivered(
            [(upload_id, path or "") for upload_id, path in answer["arrived"]], bool(answer["full"])
        )

    async def status(self) -> dict[str, Any]:
        status: dict[str, Any] = await self._call("status", {})
        return status

    async def sleep(self, *, stop: bool) -> dict[str, Any]:
        status: dict[str, Any] = await self._call("sleep", {"stop": stop})
        return status

    async def reset(self, actor: Mapping[str, str]) -> dict[str, Any]:
        status: dict[str, Any] = await self._call("reset", {"actor": dict(actor)})
        return status

    async def stop(self, command_id: str) -> bool:
        return bool(await self._call("stop", {"id": command_id}))

    async def _call(self, operation: str, fields: dict[str, Any]) -> Any:
        return opened(await self._asked(operation, lambda stub: stub.call(operation, self._payload(fields))))

    def _payload(self, fields: dict[str, Any]) -> str:
        return json.dumps({**fields, "account": self._account.model_dump(), "trace": carried()})

    async def _asked(self, what: str, ask: Callable[[Any], Awaitable[str]]) -> str:
        with span(f"call {what}", "client"):
            return await self._tried(what, ask)

    async def _tried(self, what: str, ask: Callable[[Any], Awaitable[str]]) -> str:
        for attempt in range(1, TRIES + 1):
            stub = self._line.stub
            try:
                return await ask(stub)
            except JsException as error:
                log.warning("%s, try %d: %s", what, attempt, error)
                if self._line.stub is stub:
                    self._line.stub = self._line.new_stub()
        raise because(ErrorCode.COMPUTER_UNAVAILABLE, "computer_silent")


def _inside_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
