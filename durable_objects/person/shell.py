"""The Durable Object of one person. It translates; the rules are in the modules beside it.

RPC answers are replies (see `shared/reply.py`). The object is named by the person's id.
"""

import json
from typing import Any

from workers import DurableObject

from contracts.people import Caller
from durable_objects.person.person import Person as Core
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.reply import sealed


class Person(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        inside = border.raw(ctx)
        context = border.context(inside.storage)
        self._alarm = Alarm(inside.storage.setAlarm, context.now_ms)
        record = border.record_of(border.raw(env))
        self._core = Core(context, str(inside.id.name), record, self._alarm.by)

    async def ask(self, operation: str, payload: str) -> str:
        """From the Worker, before it is known who calls."""

        async def work() -> Any:
            said = self._core.ask(operation, json.loads(payload))
            await self._core.tell()
            return said

        return await sealed(work)

    async def depart(self, step: str, payload: str) -> str:
        """From the person's own owner's object: one of `departure.py`, by name."""

        async def work() -> Any:
            if step == "forget":
                await self._core.tell_all()
            return self._core.depart(step, json.loads(payload))

        return await sealed(work)

    async def call(self, operation: str, payload: str, caller: str) -> str:
        """From the Worker, for a `Caller` as JSON who is this person."""

        async def work() -> Any:
            result = self._core.call(operation, json.loads(payload), Caller.model_validate_json(caller))
            await self._core.tell()
            return result

        return await sealed(work)

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        await self._core.sweep()
