"""A route's way to its owner's object: one call by name, with JSON both ways."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from pyodide.ffi import JsException

from contracts.errors import BerthError, ErrorCode
from durable_objects.shared.js import raw
from durable_objects.shared.reply import opened_text


class OwnerObject:
    def __init__(self, env: Any, owner_id: str) -> None:
        self.env = raw(env)
        self.owner_id = owner_id
        self._stub = self.env.BOT_OWNER.getByName(owner_id)

    async def call(self, operation: str, **fields: Any) -> Any:
        """Do an operation of `bot_owner/operations.py`. Raises its BerthError."""
        return json.loads(await self._text(operation, fields))

    async def answer(self, operation: str, status: int = 200, **fields: Any) -> Response:
        """The same, as the response to the request: the result's text goes on as it is."""
        return _json(await self._text(operation, fields), status)

    async def _text(self, operation: str, fields: dict[str, Any]) -> str:
        try:
            reply = await self._stub.call(operation, json.dumps(fields))
        except JsException as error:
            raise BerthError(ErrorCode.INTERNAL, "Berth did not answer. Try again in a moment.") from error
        return opened_text(reply)

    @property
    def machine(self) -> Any:
        """The owner's computer, for what does not pass through the owner's object: bytes and looks."""
        return self.env.BOT_COMPUTER.getByName(self.owner_id)

    async def computer(self, operation: str, fields: Mapping[str, Any]) -> Response:
        try:
            reply = await self.machine.call(operation, json.dumps(fields))
        except JsException as error:
            raise BerthError(ErrorCode.INTERNAL, "Berth did not answer. Try again in a moment.") from error
        return _json(opened_text(reply), 200)

    async def awake(self) -> Response:
        return _json(opened_text(await self.env.PLATFORM.getByName("platform").awake()), 200)

    async def audit(self) -> Response:
        return _json(opened_text(await self.env.PLATFORM.getByName("platform").audit(self.owner_id)), 200)


def _json(text: str, status: int) -> Response:
    return Response(
        text, status_code=status, media_type="application/json", headers={"cache-control": "no-store"}
    )


async def caller(request: Request) -> OwnerObject:
    """Who calls, as the door found out; without that there is no owner to ask."""
    return OwnerObject(request.scope["env"], request.state.owner_id)


Caller = Annotated[OwnerObject, Depends(caller)]
