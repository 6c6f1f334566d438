"""The Worker's way to a person's object: one call by name, with JSON both ways."""

import json
from typing import Any

from fastapi import Response
from pyodide.ffi import JsException

from api.owner import json_response, unanswered
from contracts.people import Caller
from durable_objects.shared.js import raw
from durable_objects.shared.reply import opened, opened_text


class PersonObject:
    def __init__(self, env: Any, person_id: str) -> None:
        self._stub = raw(env).PERSON.getByName(person_id)

    async def ask(self, operation: str, **fields: Any) -> Any:
        """Before it is known who calls. Raises its BerthError."""
        try:
            return opened(await self._stub.ask(operation, json.dumps(fields)))
        except JsException as error:
            raise unanswered() from error

    async def call(self, caller: Caller, operation: str, **fields: Any) -> Any:
        """For the person, about themselves. Raises its BerthError."""
        return json.loads(await self._called(caller, operation, fields))

    async def answer(self, caller: Caller, operation: str, status: int = 200, **fields: Any) -> Response:
        """The same, as the response to the request."""
        return json_response(await self._called(caller, operation, fields), status)

    async def _called(self, caller: Caller, operation: str, fields: dict[str, Any]) -> str:
        try:
            reply = await self._stub.call(operation, json.dumps(fields), caller.model_dump_json())
        except JsException as error:
            raise unanswered() from error
        return opened_text(reply)
