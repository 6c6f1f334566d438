"""The Worker's way to a workspace for who does not belong to it yet: `bot_owner/joining.py`, by name."""

import json
from typing import Any

from pyodide.ffi import JsException

from api.owner import unanswered
from api.platform import PlatformObject
from contracts.people import Caller
from durable_objects.bot_owner.invitations import no_such_invitation
from durable_objects.shared.js import raw
from durable_objects.shared.reply import opened


class JoiningObject:
    def __init__(self, env: Any, owner_id: str) -> None:
        self._env, self._owner_id = env, owner_id
        self._stub = raw(env).BOT_OWNER.getByName(owner_id)

    async def ask(self, operation: str, **fields: Any) -> Any:
        """For whoever has a code. Raises its BerthError."""
        await self._check_founded()
        return await self._asked(operation, fields, "")

    async def call(self, caller: Caller, operation: str, **fields: Any) -> Any:
        """For a person who comes. Raises its BerthError."""
        if operation != "found":
            await self._check_founded()
        return await self._asked(operation, fields, caller.model_dump_json())

    async def _check_founded(self) -> None:
        """Raises `not_found`. A code can name any workspace: to ask one that is not there would make it."""
        if not (await PlatformObject(self._env).ask("is_known", owner_id=self._owner_id))["known"]:
            raise no_such_invitation()

    async def _asked(self, operation: str, fields: dict[str, Any], caller: str) -> Any:
        try:
            return opened(await self._stub.join(operation, json.dumps(fields), caller))
        except JsException as error:
            raise unanswered() from error
