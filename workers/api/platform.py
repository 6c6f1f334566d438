"""A route's way to the deployment's object: questions and actions by name, with JSON both ways."""

import json
from typing import Any

from pyodide.ffi import JsException

from contracts.audit import Actor
from contracts.errors import ErrorCode
from contracts.reasons import because
from durable_objects.shared.js import raw
from durable_objects.shared.reply import opened


class PlatformObject:
    def __init__(self, env: Any) -> None:
        self._stub = raw(env).PLATFORM.getByName("platform")

    async def ask(self, question: str, **fields: Any) -> Any:
        """One of Platform's questions. Raises its BerthError."""
        return await self._opened(lambda: self._stub.ask(question, json.dumps(fields)))

    async def operate(self, actor: Actor, operation: str, **fields: Any) -> Any:
        """One of Platform's actions, in the record under who did it."""
        payload = json.dumps({**fields, "actor": actor.model_dump()})
        return await self._opened(lambda: self._stub.operate(operation, payload))

    async def _opened(self, call: Any) -> Any:
        try:
            return opened(await call())
        except JsException as error:
            raise because(ErrorCode.INTERNAL, "berth_silent") from error
