"""Stops of a computer that is out of reach: asked for again until it has heard, whatever dies meanwhile."""

import asyncio

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import PURGE_SECONDS
from contracts.states import RunState
from durable_objects.bot_owner import owed_stops
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.shared.timers import Timer
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

AGAIN_S = owed_stops.AGAIN_MS // 1000


async def at_work(rig: OwnerRig) -> tuple[str, "asyncio.Future[None]"]:
    """A run whose command goes on until it is let go."""
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([CallPart("computer__exec", {"command": "slow"})], [TextPart("never")])
    run_id = rig.send("go").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    return run_id, driving


async def stop(rig: OwnerRig, run_id: str) -> None:
    await rig.owner.stopper.stop(rig.owner.journal.row(run_id))


async def later(rig: OwnerRig, clock: Clock, seconds: float = AGAIN_S) -> int:
    """How often the computer was asked by what is due then."""
    before = len(rig.computer.stopped)
    clock.pass_seconds(seconds)
    await rig.fire()
    return len(rig.computer.stopped) - before


def owed(rig: OwnerRig) -> list[str]:
    return [row["call_id"] for row in rig.context.sql.execute("SELECT call_id FROM owed_stops")]


async def test_a_computer_that_comes_back_hears_of_the_stop(rig: OwnerRig, clock: Clock) -> None:
    run_id, driving = await at_work(rig)
    rig.computer.unreachable = True
    await stop(rig, run_id)
    assert len(rig.computer.stopped) == 1
    assert [await later(rig, clock, seconds) for seconds in (2, 2, 4)] == [1, 1, 1]
    rig.computer.unreachable = False
    assert await later(rig, clock, 60) == 1
    # Its command has not ended yet: it may be on its way there.
    assert await later(rig, clock, 60) == 1
    assert rig.computer.hold
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert rig.owner.journal.row(run_id)["state"] == RunState.STOPPED
    assert [await later(rig, clock, 60) for _ in range(3)] == [1, 0, 0]
    assert owed(rig) == []


async def test_a_stop_outlives_this_object_and_the_run(rig: OwnerRig, clock: Clock) -> None:
    run_id, driving = await at_work(rig)
    rig.computer.unreachable = True
    await stop(rig, run_id)
    driving.cancel()
    await rig.reborn().loop.drive(run_id)
    assert rig.owner.journal.row(run_id)["state"] == RunState.STOPPED
    (call_id,) = owed(rig)
    assert await later(rig, clock) == 1
    rig.reborn()
    rig.computer.unreachable = False
    assert await later(rig, clock, 60) == 1
    assert set(rig.computer.stopped) == {call_id}
    assert await later(rig, clock, 60) == 0
    assert rig.owner.timers.time("stops") is None


async def test_a_call_that_broke_off_is_stopped_all_the_same(rig: OwnerRig, clock: Clock) -> None:
    """Where the computer could not be reached nobody knows whether its command goes on."""
    run_id, driving = await at_work(rig)
    rig.computer.unreachable = True
    await stop(rig, run_id)
    driving.cancel()
    rig.computer.error = BerthError(ErrorCode.COMPUTER_UNAVAILABLE, "The computer did not answer.")
    rig.context.sql.run("UPDATE steps SET state = 'done' WHERE n > 0")
    await rig.reborn().loop.drive(run_id)
    assert await later(rig, clock) == 1
    rig.computer.unreachable = False
    assert [await later(rig, clock, 60) for _ in range(2)] == [1, 0]


async def test_a_thread_that_is_removed_leaves_no_command_behind(rig: OwnerRig, clock: Clock) -> None:
    run_id, driving = await at_work(rig)
    rig.computer.unreachable = True
    rig.owner.removals.hide(rig.thread.id)
    await stop(rig, run_id)
    driving.cancel()
    await rig.reborn().loop.drive(run_id)
    clock.pass_seconds(PURGE_SECONDS)
    await rig.owner.removals.sweep()
    assert rig.context.sql.execute("SELECT * FROM steps") == []
    rig.computer.unreachable = False
    assert [await later(rig, clock, 60) for _ in range(2)] == [1, 0]


async def test_one_command_is_stopped_like_a_run(rig: OwnerRig, clock: Clock) -> None:
    _, driving = await at_work(rig)
    (call_id, _) = rig.computer.executed[0]
    rig.computer.unreachable = True
    assert await rig.owner.owed_stops.stop_call(call_id) is True
    assert await later(rig, clock) == 1
    assert rig.computer.hold
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert await rig.owner.owed_stops.stop_call(call_id) is False


async def test_the_longer_it_is_out_of_reach_the_more_rarely_it_is_asked(rig: OwnerRig, clock: Clock) -> None:
    run_id, _ = await at_work(rig)
    rig.computer.unreachable = True
    await stop(rig, run_id)
    pauses = []
    for _ in range(9):
        await rig.fire()
        due = rig.owner.timers.time("stops")
        assert due is not None
        pauses.append(due - clock.ms)
        clock.ms = due
    assert pauses[0] == owed_stops.AGAIN_MS
    assert pauses == sorted(pauses)
    assert pauses[-1] == owed_stops.AGAIN_MS_MAX


async def test_a_computer_that_says_nothing_holds_nobody_up(
    rig: OwnerRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owed_stops, "ANSWER_SECONDS", 0.01)

    async def silent(_command_id: str) -> bool:
        return await asyncio.Event().wait()

    monkeypatch.setattr(rig.computer, "stop", silent)
    rig.reborn()
    run_id, _ = await at_work(rig)
    await asyncio.wait_for(stop(rig, run_id), 60)
    assert len(owed(rig)) == 1
    assert Timer("stops", "") in [Timer(*one) for one in _timers(rig)]


def _timers(rig: OwnerRig) -> list[tuple[str, str]]:
    return [(row["kind"], row["key"]) for row in rig.context.sql.execute("SELECT kind, key FROM timers")]
