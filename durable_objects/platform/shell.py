"""The Durable Object of the operators: their record (`audit`), who may run and go out (`standing`)."""

import json
import logging
from typing import Any

from pydantic import TypeAdapter
from pyodide.ffi import JsException
from workers import DurableObject

from contracts.allowance import CircuitChange, CircuitName, Spent
from contracts.api import AuditPage, AwakeOwners, BanRequest, BreakerRequest
from contracts.errors import BerthError
from contracts.records import AuditEntry
from durable_objects.platform.audit import Audit
from durable_objects.platform.circuits import ComputerCircuits
from durable_objects.platform.settings import budget_of
from durable_objects.platform.standing import Standing
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.reply import opened, sealed

log = logging.getLogger(__name__)

# How soon a computer that could not be told of its ban is told again.
TELL_AGAIN_MS = 10_000


class Platform(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        storage = border.raw(ctx).storage
        context = border.context(storage)
        self._env = border.raw(env)
        self._now_ms = context.now_ms
        self._alarm = Alarm(storage.setAlarm, context.now_ms)
        self._audit = Audit(context)
        self._standing = Standing(context, self._audit)
        self._circuits = ComputerCircuits(
            context, self._audit, budget_of(lambda name: border.setting_of(self._env, name))
        )

    async def record(self, entry: str) -> None:
        about = AuditEntry.model_validate_json(entry)
        if self._audit.add(about):
            self._circuits.started(about)

    async def spent(self, spent: str) -> str:
        """From an owner's object: what its computer cost → ComputerCircuit, what holds for all of them."""

        async def answer() -> Any:
            return self._circuits.spent(Spent.model_validate_json(spent))

        return await sealed(answer)

    async def circuits(self) -> str:
        async def shown() -> Any:
            return self._circuits.shown()

        return await sealed(shown)

    async def change_circuit(self, name: str, change: str) -> str:
        async def changed() -> Any:
            wanted = TypeAdapter(CircuitName).validate_python(name)
            self._circuits.change(wanted, CircuitChange.model_validate_json(change))
            return self._circuits.shown()

        return await sealed(changed)

    async def awake(self) -> str:
        async def owners() -> Any:
            return AwakeOwners(owners=self._audit.awake())

        return await sealed(owners)

    async def audit(self, owner_id: str) -> str:
        async def newest() -> Any:
            return AuditPage(items=self._audit.newest(owner_id))

        return await sealed(newest)

    async def removed_by_age(self) -> str:
        async def sums() -> Any:
            return self._audit.removed_by_age()

        return await sealed(sums)

    async def standing(self, owner_id: str) -> str:
        """Whether this owner's computer may go out."""

        async def found() -> Any:
            return self._standing.of(owner_id).model_dump(mode="json")

        return await sealed(found)

    async def operate(self, operation: str, payload: str) -> str:
        """`ban`, `lift`, `trip` or `reset`, with its fields as JSON."""

        async def work() -> Any:
            fields = json.loads(payload)
            match operation:
                case "ban":
                    self._standing.ban(fields["owner_id"], BanRequest.model_validate(fields["body"]))
                case "lift":
                    self._standing.lift(fields["owner_id"])
                case "trip":
                    self._standing.trip(BreakerRequest.model_validate(fields["body"]))
                case "reset":
                    self._standing.reset()
            await self._tell()
            return self._standing.of(fields.get("owner_id", "")).model_dump(mode="json")

        return await sealed(work)

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        await self._tell()

    async def _tell(self) -> None:
        """Tell computers of their bans; who does not answer is told again by the alarm, set before."""
        news = self._standing.news()
        if not news:
            return
        self._alarm.by(self._now_ms() + TELL_AGAIN_MS)
        for one in news:
            try:
                opened(await self._env.BOT_COMPUTER.getByName(one.owner_id).ban_changed(one.as_text()))
            except (JsException, BerthError) as error:
                log.warning("a computer could not be told of its ban: %s", error)
            else:
                self._standing.heard(one)
