"""Asking the platform whether computers may be used: fresh for seconds, trusted for minutes, then refused."""

import pytest

from contracts.allowance import ComputerCircuit, Interval
from contracts.errors import BerthError, ErrorCode
from contracts.limits import CIRCUIT_SECONDS, CIRCUIT_SECONDS_MAX
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock


async def code(rig: OwnerRig, *, awake: bool = True) -> str | None:
    try:
        await rig.owner.circuit.check(awake=awake)
    except BerthError as error:
        return error.code
    return None


async def test_what_was_said_is_new_for_ten_seconds(rig: OwnerRig, clock: Clock) -> None:
    assert await code(rig) is None
    rig.circuit = ComputerCircuit(open=True, reason="enough.")
    clock.pass_seconds(CIRCUIT_SECONDS - 0.001)
    assert await code(rig) is None
    clock.pass_seconds(0.001)
    assert await code(rig) == ErrorCode.COMPUTER_CIRCUIT_OPEN


async def test_a_silent_platform_is_put_up_with_for_five_minutes(rig: OwnerRig, clock: Clock) -> None:
    assert await code(rig) is None
    rig.platform_is_down = True
    clock.pass_seconds(CIRCUIT_SECONDS_MAX - 0.001)
    assert await code(rig) is None
    clock.pass_seconds(0.001)
    assert await code(rig) == ErrorCode.COMPUTER_CIRCUIT_OPEN
    rig.platform_is_down = False
    assert await code(rig) is None


async def test_a_clock_that_went_back_makes_nothing_last_for_ever(rig: OwnerRig, clock: Clock) -> None:
    assert await code(rig) is None
    rig.platform_is_down = True
    clock.pass_seconds(-3_600)
    assert await code(rig) == ErrorCode.COMPUTER_CIRCUIT_OPEN


async def test_only_a_wake_is_refused_where_starts_fail(rig: OwnerRig) -> None:
    rig.circuit = ComputerCircuit(wakes=False, reason="too many computers do not start.")
    assert await code(rig, awake=True) is None
    assert await code(rig, awake=False) == ErrorCode.COMPUTER_CIRCUIT_OPEN


async def test_an_open_circuit_refuses_the_call_and_the_chat_goes_on(rig: OwnerRig) -> None:
    rig.circuit = ComputerCircuit(open=True, reason="the budget is used up.", retry_after_s=60)
    call = CallPart("computer__exec", {"command": "ls"})
    rig.model = ScriptedModel([call], [TextPart("No computer today.")], [TextPart("So it is.")])
    await rig.ask("look")
    (finished,) = rig.events("tool.finished")
    assert (finished["error"]["code"], finished["error"]["retry_after_s"]) == ("computer_circuit_open", 60)
    assert rig.computer.executed == []
    assert rig.events("run.status")[-1]["state"] == "done"


async def test_sums_are_told_whole_and_once_they_are_known(rig: OwnerRig, clock: Clock) -> None:
    def use(number: int) -> None:
        hour = clock.ms // 3_600_000 * 3_600_000
        start = hour + number * 60_000
        rig.owner.allowance.settle([Interval(instance="1.1", from_ms=start, to_ms=start + 60_000)])
        rig.owner.circuit.remind()

    use(0)
    assert rig.rings[-1] == clock.ms + CIRCUIT_SECONDS * 1000
    rig.platform_is_down = True
    await rig.owner.circuit.sweep()
    use(1)
    rig.platform_is_down = False
    await rig.owner.circuit.sweep()
    (told,) = rig.told
    ((hour, micro),) = told.hours
    assert hour == clock.ms // 3_600_000
    assert micro == rig.owner.allowance.ledger.spent("")
    await rig.owner.circuit.sweep()
    assert len(rig.told) == 1
    use(2)
    await rig.owner.circuit.sweep()
    assert rig.told[-1].hours == [(hour, rig.owner.allowance.ledger.spent(""))]
    assert rig.told[-1].ledger_id == told.ledger_id


async def test_a_death_forgets_what_the_platform_said(rig: OwnerRig) -> None:
    assert await code(rig) is None
    rig.platform_is_down = True
    rig.reborn()
    with pytest.raises(BerthError):
        await rig.owner.circuit.check(awake=True)
