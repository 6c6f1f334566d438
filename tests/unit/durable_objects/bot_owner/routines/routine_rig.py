"""An owner with routines: a still market, addresses that answer as told, a clock that a test turns."""

import json
from typing import Any

from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.routines import Routine, RoutineCreate, RoutineNotice, RoutineSettings
from contracts.states import RunState
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, Question, TextPart
from durable_objects.bot_owner.owner import Owner
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import ScriptedModel
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig
from tests.unit.durable_objects.conftest import Clock

CRON = {"kind": "cron", "expression": "* * * * *"}
RULES = {
    "enabled": True,
    "venues": ["paper"],
    "symbols": ["BTC"],
    "sides": ["buy"],
    "notional_an_order": "1000",
    "notional_a_day": "1000",
}
MINUTE_MS = 60_000


class RoutineRig(TradingRig):
    def __init__(self, context: Context, clock: Clock) -> None:
        self.routine_notices: list[RoutineNotice] = []
        self.answers: dict[str, bytes] = {}
        self.asked: list[str] = []
        self._made = 0
        super().__init__(context, clock)

    def _trading(self) -> dict[str, Any]:
        return {**super()._trading(), "get": self._get}

    def reborn(self) -> Owner:
        owner = super().reborn()
        firing = owner.routines._firing
        notify = firing._notify

        def told(notice: RoutineNotice) -> None:
            self.routine_notices.append(notice)
            notify(notice)

        firing._notify = told
        return owner

    async def _get(self, url: str) -> bytes:
        self.asked.append(url)
        if url not in self.answers:
            raise because(ErrorCode.INVALID_REQUEST, "check_unreached")
        return self.answers[url]

    def settings(self, **fields: Any) -> RoutineSettings:
        return RoutineSettings.model_validate(
            {"name": "Watch", "prompt": "Look.", "schedule": CRON, **fields}
        )

    def routine(self, **fields: Any) -> Routine:
        self._made += 1
        body = {"client_id": f"routine-{self._made:04}", "bot_id": self.bot.id}
        return self.owner.routines.create(
            RoutineCreate.model_validate({**self.settings(**fields).model_dump(), **body})
        )

    def shown(self, routine: Routine) -> Routine:
        return self.owner.routines.get(routine.id)

    def outcomes(self, routine: Routine) -> list[tuple[str, int]]:
        """The oldest first: (outcome, how often)."""
        items = self.owner.routines.history(routine.id, None, 50).items
        return [(one.outcome.value, one.count) for one in reversed(items)]

    async def tick(self) -> None:
        """Let the time come for which the alarm is set, and fire."""
        earliest = self.owner.timers.earliest()
        assert earliest is not None
        assert self.rings[-1] <= earliest
        self.clock.ms = max(self.clock.ms, earliest)
        await self.fire()

    async def pass_minutes(self, minutes: int) -> None:
        end = self.clock.ms + minutes * MINUTE_MS
        while (self.owner.timers.earliest() or end + 1) <= end:
            await self.tick()
        self.clock.ms = end

    def runs(self, routine: Routine) -> list[dict[str, Any]]:
        return self.context.sql.execute(
            "SELECT * FROM runs WHERE routine_id = ? ORDER BY created_ms, id", routine.id
        )

    def end(self, routine: Routine, state: RunState = RunState.DONE) -> None:
        """End its runs without having a model answer."""
        for run in self.runs(routine):
            self.owner.record.write(
                lambda run=run: self.owner.journal.move(run["id"], state)  # type: ignore[misc]
            )

    def questions(self) -> list[Question]:
        """What the scripted model was asked."""
        assert isinstance(self.model, ScriptedModel)
        return self.model.questions

    async def drive(self, *rounds: CallPart | EndPart) -> None:
        """Drive what is due, with a model that makes these calls one after the other."""
        self.model = ScriptedModel(*[[one] for one in rounds], [TextPart("Done.")], [TextPart("Done.")])
        await self.go_on()

    def thread_events(self, routine: Routine, kind: str) -> list[dict[str, Any]]:
        rows = self.owner.record.all(self.shown(routine).thread_id)
        return [json.loads(row["data"]) for row in rows if row["type"] == kind]
