"""A day of twenty owners with three cents for all of them: what the breaker does to them, and what not."""

import itertools

from contracts.allowance import Account, ComputerCircuit, Interval, Spent
from contracts.limits import CIRCUIT_TRIAL_SECONDS
from contracts.states import CircuitState
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.platform.audit import Audit
from durable_objects.platform.circuit import Budget, next_day_ms
from durable_objects.platform.circuits import ComputerCircuits
from durable_objects.platform.owners import Owners
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

OWNERS = 20
BUDGET = 30_000
COMMAND_SECONDS = 60
COMMAND_COST = 74_000 * COMMAND_SECONDS // 3_600


class Owner(OwnerRig):
    """One whose platform is the real one, and whose commands take a minute of the clock that all share."""

    def __init__(self, context: Context, circuits: ComputerCircuits, name: str) -> None:
        self.circuits, self.name = circuits, name
        super().__init__(context)

    async def _ask_platform(self, spent: Spent) -> ComputerCircuit:
        return self.circuits.spent(spent.model_copy(update={"owner_id": self.name}))

    async def work(self, now_ms: int) -> str:
        """Have the bot run a command, and return how that went: `ran`, or the code of the refusal."""
        self.model = ScriptedModel(
            [CallPart("computer__exec", {"command": "work"})], [TextPart("Done.")], [TextPart("It is.")]
        )
        before = len(self.computer.executed)
        await self.ask("work")
        assert self.events("run.status")[-1]["state"] == "done"
        if len(self.computer.executed) == before:
            return str(self.events("tool.finished")[-1]["error"]["code"])
        account: Account = self.computer.accounts[-1]
        ran = Interval(
            instance="1.1", from_ms=now_ms, to_ms=now_ms + COMMAND_SECONDS * 1000, accounts=[account]
        )
        self.owner.allowance.settle([ran])
        return "ran"

    async def chats(self) -> str:
        self.model = ScriptedModel([TextPart("Still here.")])
        await self.ask("hello")
        return str(self.events("message.created")[-1]["text"])


def context_of(clock: Clock) -> Context:
    numbers = itertools.count(1)
    return Context(SqliteSql(), clock, lambda n: next(numbers).to_bytes(n, "big"))


async def test_three_cents_a_day_for_twenty_owners(clock: Clock) -> None:
    clock.ms = next_day_ms(clock.ms) - 3 * 3_600_000
    platform = context_of(clock)
    circuits = ComputerCircuits(platform, Audit(platform), Owners(platform), Budget(BUDGET, BUDGET))
    owners = [Owner(context_of(clock), circuits, f"o{number}") for number in range(OWNERS)]

    ran = 0
    for owner in itertools.cycle(owners):
        if await owner.work(clock.ms) != "ran":
            break
        ran += 1
        clock.pass_seconds(COMMAND_SECONDS)
        await owner.owner.circuit.sweep()
    # The command that reached the limit has run to its end, and it was the last one.
    assert ran == -(-BUDGET // COMMAND_COST)
    assert BUDGET <= circuits.shown().day_micro < BUDGET + COMMAND_COST

    clock.pass_seconds(10)
    assert {await owner.work(clock.ms) for owner in owners} == {"computer_circuit_open"}
    assert {await owner.chats() for owner in owners} == {"Still here."}

    clock.ms = next_day_ms(clock.ms)
    assert await owners[0].work(clock.ms) == "ran"
    clock.pass_seconds(CIRCUIT_TRIAL_SECONDS)
    assert circuits.shown().items[0].state == CircuitState.CLOSED
    assert {await owner.work(clock.ms) for owner in owners} == {"ran"}
