"""A computer with everything that surrounds it, on CPython: its table, its machine and R2."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from contracts.allowance import Account, Interval
from contracts.records import CommandResult, Computer, EgressStanding
from contracts.states import ComputerState, Origin
from durable_objects.bot_computer.computer import ComputerCore
from durable_objects.bot_computer.deliveries import DeliveryError
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.pieces import FakeBackups, FakeBucket
from tests.unit.durable_objects.bot_computer.wire import FakeMachine

T = TypeVar("T")


class Rig:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.machine = FakeMachine()
        self.backups = FakeBackups(self.machine)
        self.bucket = FakeBucket()
        self.states: list[ComputerState] = []
        self.alarm: int | None = None
        self.standing = EgressStanding()
        self.settled: list[Interval] = []
        self.ledger_is_down = self.answer_is_lost = False
        self.core = self.reborn()

    def reborn(self) -> ComputerCore:
        """The object after it lost its memory: a new one over the same table and the same machine."""

        def changed(view: Computer, _generation: int) -> None:
            self.states.append(view.state)

        def ring_by(at_ms: int) -> None:
            self.alarm = at_ms

        self.core = ComputerCore(
            self.context,
            self.machine,
            self.machine,
            backup_wire=self.backups,
            pieces=self.bucket,
            changed=changed,
            ring_by=ring_by,
            ask_standing=self._ask_standing,
            deliver=self._deliver,
        )
        return self.core

    async def _deliver(self, intervals: list[Interval]) -> None:
        if self.ledger_is_down:
            raise DeliveryError("nobody is there")
        self.settled += intervals
        if self.answer_is_lost:
            raise DeliveryError("the answer was lost")

    async def _ask_standing(self) -> EgressStanding:
        return self.standing

    def exec(self, command_id: str = "c1", origin: Origin = Origin.CHAT) -> "asyncio.Task[CommandResult]":
        attribution = "chat" if origin == Origin.CHAT else "routine:r1"
        account = Account(attribution=attribution, thread_id="t1", run_id="run1", call_id=command_id)
        call = self.core.exec(command_id, "true", 120, origin=origin, account=account)
        return asyncio.ensure_future(call)

    async def arrival(self, command_id: str) -> None:
        while command_id not in self.machine.runs:
            self.machine.arrived.clear()
            await asyncio.wait_for(self.machine.arrived.wait(), 60)

    async def finished(self, command_id: str = "c1", code: int = 0) -> CommandResult:
        task = self.exec(command_id)
        await self.arrival(command_id)
        self.machine.runs[command_id].exit(code)
        return await soon(task)


async def soon(waiting: Awaitable[T]) -> T:
    return await asyncio.wait_for(waiting, 60)


async def turns(count: int = 20) -> None:
    """Let whatever can go on do so."""
    for _ in range(count):
        await asyncio.sleep(0)
