"""A computer on a bad day: it hangs, its platform is wrong about it, or it goes without a word."""

import asyncio

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.states import CommandState, ComputerState
from durable_objects.bot_computer import computer, power
from durable_objects.bot_computer.commands import GRACE_SECONDS
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.rig import Rig, soon
from tests.unit.durable_objects.bot_computer.wire import FakeMachine
from tests.unit.durable_objects.conftest import Clock

# Longer than a busy machine holds up what has all that it needs.
AT_ONCE = 0.2


class BadMachine(FakeMachine):
    """One that hangs on order, and of which the platform says so many times that it does not run."""

    def __init__(self) -> None:
        self.denials = 0
        self.hanging = False
        self.stuck = False
        self.broken = False
        self.asked = 0
        self.stopped: list[str] = []
        super().__init__()

    @property
    def running(self) -> bool:
        if self.denials:
            self.denials -= 1
            return False
        return self._runs

    @running.setter
    def running(self, runs: bool) -> None:
        self._runs = runs

    async def boot(self) -> str:
        self.asked += 1
        if self.hanging:
            await asyncio.Event().wait()
        if not self._runs:
            raise UnreachableError("nothing listens")
        return f"boot-{self.boots}"

    async def destroy(self) -> None:
        await self._unless_stuck()
        await super().destroy()

    async def keep(self, ms: int) -> None:
        await self._unless_stuck()
        await super().keep(ms)

    async def attach(self) -> None:
        await self._unless_stuck()
        if self.broken:
            raise RuntimeError("nobody foresaw this")
        await super().attach()

    async def _unless_stuck(self) -> None:
        if self.stuck:
            await asyncio.Event().wait()

    async def stop(self, command_id: str) -> None:
        self.stopped.append(command_id)
        if self.hanging:
            await asyncio.Event().wait()
        if command_id not in self.runs:
            raise BerthError(ErrorCode.NOT_FOUND, "There is no such command.")


class BadRig(Rig):
    machine: BadMachine

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.machine = BadMachine()
        self.reborn()


@pytest.fixture
def rig(context: Context, monkeypatch: pytest.MonkeyPatch) -> BadRig:
    monkeypatch.setattr(power, "ALIVE_SECONDS", AT_ONCE)
    monkeypatch.setattr(computer, "ALIVE_SECONDS", AT_ONCE)
    monkeypatch.setattr(power, "SILENCE_SECONDS", AT_ONCE)
    monkeypatch.setattr(power, "PLATFORM_SECONDS", AT_ONCE)
    return BadRig(context)


async def test_one_that_is_said_not_to_run_is_asked_before_it_is_given_up(rig: BadRig) -> None:
    await rig.finished()
    rig.machine.denials = 1
    assert (await rig.finished("c2")).state == CommandState.EXITED
    rig.machine.denials = 1
    rig.reborn()
    assert (await rig.finished("c3")).state == CommandState.EXITED
    assert rig.machine.starts == [None]


async def test_one_that_is_said_not_to_run_is_destroyed_all_the_same(rig: BadRig) -> None:
    await rig.finished()
    rig.machine.denials = 1
    await soon(rig.core.reset())
    rig.machine.denials = 0
    assert not rig.machine.running


async def test_a_platform_that_does_not_answer_holds_nobody_up(rig: BadRig) -> None:
    rig.machine.stuck = True
    assert (await rig.finished()).state == CommandState.EXITED
    rig.reborn()
    await soon(rig.core.recover())
    # It could not be taken over, and what cannot be reached counts as lost.
    assert rig.core.view().reason == "stopped_unexpectedly"


async def test_an_object_whose_first_look_failed_looks_again(rig: BadRig) -> None:
    await rig.finished()
    rig.reborn()
    rig.machine.broken = True
    with pytest.raises(RuntimeError):
        await rig.core.recover()
    rig.machine.broken = False
    assert (await rig.finished("c2")).state == CommandState.EXITED
    assert rig.machine.starts == [None]


async def test_a_container_that_cannot_be_destroyed_holds_nobody_up(rig: BadRig) -> None:
    await rig.finished()
    rig.machine.stuck = True
    await soon(rig.core.reset())
    assert rig.core.view().state == ComputerState.STANDBY
    rig.machine.stuck = False
    assert (await rig.finished("c2")).state == CommandState.EXITED


async def test_a_call_to_a_machine_that_hangs_ends_and_the_machine_is_lost(rig: BadRig) -> None:
    await rig.finished()

    async def ask() -> None:
        async with rig.core.power.call():
            rig.machine.hanging = True
            await asyncio.Event().wait()

    with pytest.raises(UnreachableError):
        await soon(asyncio.ensure_future(ask()))
    assert (rig.core.view().state, rig.core.view().reason) == (ComputerState.STANDBY, "stopped_unexpectedly")
    assert not rig.machine.running
    rig.machine.hanging = False
    assert (await rig.finished("c2")).state == CommandState.EXITED


async def test_a_long_call_to_a_machine_that_answers_is_waited_for(rig: BadRig) -> None:
    await rig.finished()
    async with rig.core.power.call():
        before = rig.machine.asked
        while rig.machine.asked < before + 3:
            await asyncio.sleep(0)
    assert rig.core.view().state == ComputerState.RUNNING


async def test_a_call_that_took_too_long_by_its_own_measure_leaves_the_machine_alone(rig: BadRig) -> None:
    await rig.finished()
    with pytest.raises(TimeoutError):
        await impatient_call(rig)
    assert rig.core.view().state == ComputerState.RUNNING


async def impatient_call(rig: BadRig) -> None:
    async with rig.core.power.call(), asyncio.timeout(AT_ONCE):
        await asyncio.Event().wait()


async def broken_call(rig: BadRig, *, hanging: bool) -> None:
    async with rig.core.power.call():
        rig.machine.hanging = hanging
        raise UnreachableError("the connection broke")


async def test_a_call_that_finds_nobody_finds_out_that_the_machine_is_gone(rig: BadRig) -> None:
    await rig.finished()
    # Without an event of the platform, which still says that it runs.
    with pytest.raises(UnreachableError):
        await broken_call(rig, hanging=True)
    assert rig.core.view().state == ComputerState.STANDBY


async def test_a_call_that_broke_leaves_a_machine_alone_that_answers(rig: BadRig) -> None:
    await rig.finished()
    with pytest.raises(UnreachableError):
        await broken_call(rig, hanging=False)
    assert rig.core.view().state == ComputerState.RUNNING


async def test_a_dead_machine_whose_files_cannot_be_saved_does_not_stay_awake(rig: BadRig) -> None:
    await rig.finished()
    rig.machine.hanging = True
    rig.machine.refuse_snapshot = True
    assert await soon(rig.core.sleep()) is True
    assert rig.core.view().reason == "stopped_unexpectedly"


async def test_a_lost_command_is_ended_where_its_machine_lives_on(rig: BadRig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].say({"type": "output", "stream": "stdout", "end": 1, "text": None})
    assert (await soon(task)).state == CommandState.LOST
    assert rig.machine.stopped == ["c1"]
    assert rig.core.view().state == ComputerState.RUNNING


async def test_a_command_whose_machine_went_while_it_was_taken_up_does_not_run_twice(rig: BadRig) -> None:
    forgotten = rig.exec()
    await rig.arrival("c1")
    rig.reborn()
    task = rig.exec()
    await rig.core.recover()
    # It was there a moment ago, when the new object looked.
    rig.machine.die()
    assert (await soon(task)).state == CommandState.LOST
    assert rig.machine.executed == ["c1"]
    forgotten.cancel()


async def test_a_clock_that_jumps_makes_no_lost_command_longer_than_one_can_be(
    rig: BadRig, clock: Clock
) -> None:
    for number, jump in enumerate((2 * 3600, -3600)):
        task = rig.exec(f"c{number}")
        await rig.arrival(f"c{number}")
        clock.pass_seconds(jump)
        rig.machine.die()
        assert 0 <= (await soon(task)).duration_ms <= (120 + GRACE_SECONDS) * 1000
