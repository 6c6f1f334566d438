"""A computer at work and its meter: what is delivered, and that a death or a lost answer costs nothing."""

import asyncio

import pytest

from contracts.allowance import Account
from contracts.limits import SETTLE_SECONDS
from contracts.states import ComputerState, Origin
from durable_objects.bot_computer import computer
from durable_objects.bot_computer.deliveries import LATE_MS, SOON_MS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.rig import Rig, soon, turns
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture
def rig(context: Context) -> Rig:
    return Rig(context)


def charged_ms(rig: Rig) -> int:
    """The time that the ledger was told of, each interval once."""
    return sum(end - start for start, end in {(one.from_ms, one.to_ms) for one in rig.settled})


async def run(rig: Rig, clock: Clock, command_id: str, seconds: float, origin: Origin = Origin.CHAT) -> None:
    task = rig.exec(command_id, origin)
    await rig.arrival(command_id)
    clock.pass_seconds(seconds)
    rig.machine.runs[command_id].exit()
    await soon(task)


async def test_a_second_is_delivered_before_its_caller_goes_on(rig: Rig, clock: Clock) -> None:
    await run(rig, clock, "c1", LATE_MS / 1000)
    (interval,) = rig.settled
    assert interval.to_ms - interval.from_ms == LATE_MS
    assert [(one.call_id, one.attribution) for one in interval.accounts] == [("c1", "chat")]


async def test_less_waits_for_the_alarm_which_is_set(rig: Rig, clock: Clock) -> None:
    await run(rig, clock, "c1", (LATE_MS - 1) / 1000)
    assert rig.settled == []
    assert rig.alarm == clock() + SOON_MS
    await rig.core.tick(0)
    assert charged_ms(rig) == LATE_MS - 1
    await rig.core.tick(0)
    assert charged_ms(rig) == LATE_MS - 1


async def test_standby_brings_all_and_sleep_costs_nothing(rig: Rig, clock: Clock) -> None:
    await run(rig, clock, "c1", 10)
    clock.pass_seconds(300)
    await rig.core.sleep()
    assert rig.core.power.machine.state == ComputerState.STANDBY
    clock.pass_seconds(86_400)
    await rig.core.tick(0)
    assert charged_ms(rig) == 310_000
    await run(rig, clock, "c2", 5)
    assert charged_ms(rig) == 315_000


async def test_a_ledger_that_is_down_or_whose_answer_is_lost_has_each_second_once(
    rig: Rig, clock: Clock
) -> None:
    rig.ledger_is_down = True
    await run(rig, clock, "c1", 10)
    assert rig.settled == []
    rig.ledger_is_down, rig.answer_is_lost = False, True
    await run(rig, clock, "c2", 10)
    rig.reborn()
    await rig.core.recover()
    rig.answer_is_lost = False
    await rig.core.tick(0)
    assert charged_ms(rig) == 20_000
    assert len(rig.settled) > len({(one.from_ms, one.to_ms) for one in rig.settled})


async def test_a_long_command_is_charged_while_it_runs(
    rig: Rig, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computer, "LOOK_SECONDS", 0.01)
    task = rig.exec("c1")
    await rig.arrival("c1")
    ticking = asyncio.ensure_future(rig.core.tick(60))
    clock.pass_seconds(SETTLE_SECONDS)
    rig.machine.runs["c1"].out("still at it\n")
    async with asyncio.timeout(5):
        while charged_ms(rig) < SETTLE_SECONDS * 1000:
            await asyncio.sleep(0.01)
    assert not task.done()
    rig.machine.runs["c1"].exit()
    await soon(task)
    await soon(ticking)


async def test_an_object_that_dies_goes_on_counting_where_it_was(rig: Rig, clock: Clock) -> None:
    task = rig.exec("c1")
    await rig.arrival("c1")
    clock.pass_seconds(20)
    task.cancel()
    await rig.core._driver.cancel()
    rig.reborn()
    clock.pass_seconds(20)
    await rig.core.recover()
    await turns()
    clock.pass_seconds(10)
    rig.machine.runs["c1"].exit()
    assert (await soon(rig.exec("c1"))).exit_code == 0
    assert charged_ms(rig) == 50_000


async def test_a_machine_that_goes_with_its_object_is_charged_to_what_was_written(
    rig: Rig, clock: Clock
) -> None:
    await run(rig, clock, "c1", 20)
    task = rig.exec("c2")
    await rig.arrival("c2")
    clock.pass_seconds(30)
    task.cancel()
    await rig.core._driver.cancel()
    rig.machine.die()
    rig.reborn()
    clock.pass_seconds(3_600)
    await rig.core.recover()
    await rig.core.tick(0)
    assert charged_ms(rig) == 20_000


async def test_a_start_that_fails_is_not_charged(rig: Rig, clock: Clock) -> None:
    rig.machine.refuse_start = True
    task = rig.exec("c1")
    await asyncio.wait({task}, timeout=5)
    assert task.exception() is not None
    clock.pass_seconds(5)
    await rig.core.tick(0)
    assert rig.settled == []


async def test_a_routine_beside_the_chat_is_told_as_it_was(rig: Rig, clock: Clock) -> None:
    chat, routine = rig.exec("c1"), rig.exec("r1", Origin.ROUTINE)
    await rig.arrival("c1")
    await rig.arrival("r1")
    clock.pass_seconds(4)
    for command_id in ("c1", "r1"):
        rig.machine.runs[command_id].exit()
    await soon(asyncio.gather(chat, routine))
    together = next(one for one in rig.settled if one.to_ms - one.from_ms == 4_000)
    assert {one.attribution for one in together.accounts} == {"chat", "routine:r1"}


async def test_a_file_call_is_charged_to_its_caller(rig: Rig, clock: Clock) -> None:
    account = Account(thread_id="t1", call_id="read")
    async with rig.core.call(account):
        clock.pass_seconds(2)
    assert [one.accounts for one in rig.settled] == [[account]]


async def test_nothing_is_delivered_any_more_when_everything_is_deleted(rig: Rig, clock: Clock) -> None:
    rig.ledger_is_down = True
    await run(rig, clock, "c1", 10)
    rig.ledger_is_down = False
    await rig.core.close()
    await rig.core.tick(0)
    assert rig.settled == []
