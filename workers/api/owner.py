"""A route's way to its owner's objects: one call by name, with JSON both ways, and with who calls."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

import js
from fastapi import Depends, Request, Response
from pyodide.ffi import JsException

from contracts.errors import BerthError, ErrorCode
from contracts.people import Caller
from contracts.reasons import because
from durable_objects.shared.js import CALLER_HEADER, js_object, raw
from durable_objects.shared.reply import opened_text
from telemetry.trace import TRACE_HEADER, carried


class OwnerObject:
    def __init__(self, env: Any, caller: Caller, owner_id: str | None = None) -> None:
        """`owner_id` is another owner than the caller's, for an operator."""
        self.env = raw(env)
        self.caller = caller
        self.owner_id = owner_id or caller.owner_id
        self._who = caller.model_dump_json()
        self._stub = self.env.BOT_OWNER.getByName(self.owner_id)

    async def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation of `bot_owner/operations.py`. Raises its BerthError."""
        return json.loads(await self._text(operation, fields))

    async def answer(self, operation: str, status: int = 200, **fields: Any) -> Response:
        """The same, as the response to the request: the result's text goes on as it is."""
        return json_response(await self._text(operation, fields), status)

    async def _text(self, operation: str, fields: dict[str, Any]) -> str:
        try:
            reply = await self._stub.call(operation, json.dumps(fields), self._who, carried())
        except JsException as error:
            raise unanswered() from error
        return opened_text(reply)

    async def fetch(self, path: str, **headers: str) -> Any:
        """Ask the owner's object for a stream; returns its JavaScript response. Raises its BerthError."""
        return await self._fetched(self._stub, f"http://owner/{path}", headers)

    async def fetch_computer(self, path: str) -> Any:
        """The same of the owner's computer, for bytes that do not pass through the owner's object."""
        return await self._fetched(self._machine, f"http://computer/{path}", {})

    async def put_to_computer(self, path: str, body: Any) -> Any:
        """Bytes the other way; `body` is a JavaScript stream, or a text."""
        return await self._fetched(
            self._machine, f"http://computer/{path}", {}, {"method": "PUT", "body": body}
        )

    async def _fetched(
        self, stub: Any, address: str, headers: Mapping[str, str], more: Mapping[str, Any] | None = None
    ) -> Any:
        wanted = {**(more or {}), "headers": {**headers, CALLER_HEADER: self._who, TRACE_HEADER: carried()}}
        try:
            found = await stub.fetch(js.Request.new(address, js_object(wanted)))
        except JsException as error:
            raise unanswered() from error
        if found.status >= HTTPStatus.BAD_REQUEST:
            raise BerthError.from_dict(json.loads(await found.text()))
        return found

    @property
    def _machine(self) -> Any:
        return self.env.BOT_COMPUTER.getByName(self.owner_id)

    async def computer(self, operation: str, **fields: Any) -> Response:
        """Ask the computer what needs no owner's object; its answer is the response to the request."""
        return json_response(await self._computer_text(operation, fields), 200)

    async def ask_computer(self, operation: str, **fields: Any) -> Any:
        """The same, as a value."""
        return json.loads(await self._computer_text(operation, fields))

    async def _computer_text(self, operation: str, fields: Mapping[str, Any]) -> str:
        try:
            reply = await self._machine.ask(operation, json.dumps(fields), self._who, carried())
        except JsException as error:
            raise unanswered() from error
        return opened_text(reply)


def unanswered() -> BerthError:
    return because(ErrorCode.INTERNAL, "berth_silent")


def json_response(text: str, status: int) -> Response:
    return Response(
        text, status_code=status, media_type="application/json", headers={"cache-control": "no-store"}
    )


def caller_in(request: Request) -> Caller:
    """Who calls. Raises `unauthenticated` on a route that anybody may ask."""
    caller: Caller | None = request.state.caller
    if caller is None:
        raise because(ErrorCode.UNAUTHENTICATED, "sign_in_first")
    return caller


async def asked_owner(request: Request) -> OwnerObject:
    """The owner that the request means and who calls, as the door found out."""
    return OwnerObject(request.scope["env"], caller_in(request))


AskedOwner = Annotated[OwnerObject, Depends(asked_owner)]
