"""A computer at work: one machine for many callers, every command once, and the truth after a crash."""

import asyncio

import pytest

from contracts.allowance import Account
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    COMMANDS_AT_ONCE,
    EXEC_TIMEOUT_SECONDS_MAX,
    IDLE_SECONDS,
    ROUTINE_COMMANDS_AT_ONCE,
)
from contracts.records import Ban, CommandResult, EgressStanding
from contracts.states import CommandState, ComputerState, Origin
from durable_objects.bot_computer.follow import OTHER_HOSTS, RECEIPTS_MAX, Outgoing
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.rig import Rig, soon
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture
def rig(context: Context) -> Rig:
    return Rig(context)


async def test_a_command_wakes_the_machine_and_returns_its_end(rig: Rig) -> None:
    result = await rig.finished(code=3)
    assert (result.state, result.exit_code) == (CommandState.EXITED, 3)
    assert rig.states == [ComputerState.STARTING, ComputerState.RUNNING]


async def test_many_first_calls_start_one_machine(rig: Rig) -> None:
    tasks = [rig.exec(f"c{n}") for n in range(COMMANDS_AT_ONCE)]
    for n in range(COMMANDS_AT_ONCE):
        await rig.arrival(f"c{n}")
        rig.machine.runs[f"c{n}"].exit()
    await soon(asyncio.gather(*tasks))
    assert rig.machine.starts == [None]


async def test_the_same_id_again_finds_the_first_command_running_and_ended(rig: Rig) -> None:
    first, second = rig.exec(), rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("once\n")
    rig.machine.runs["c1"].exit()
    assert await soon(first) == await soon(second) == await soon(rig.exec())
    assert rig.machine.executed == ["c1"]


async def test_slots_at_the_limit_and_one_past_it(rig: Rig) -> None:
    tasks = [rig.exec(f"c{n}") for n in range(COMMANDS_AT_ONCE)]
    await rig.arrival(f"c{COMMANDS_AT_ONCE - 1}")
    with pytest.raises(BerthError) as busy:
        await soon(rig.exec("one-more"))
    assert busy.value.code == ErrorCode.COMPUTER_BUSY
    assert busy.value.details is not None
    assert [c["id"] for c in busy.value.details["running"]] == [f"c{n}" for n in range(COMMANDS_AT_ONCE)]
    for n in range(COMMANDS_AT_ONCE):
        rig.machine.runs[f"c{n}"].exit()
    await soon(asyncio.gather(*tasks))
    assert (await rig.finished("one-more")).state == CommandState.EXITED


async def test_routines_leave_room_for_the_chat(rig: Rig) -> None:
    tasks = [rig.exec(f"r{n}", Origin.ROUTINE) for n in range(ROUTINE_COMMANDS_AT_ONCE)]
    await rig.arrival(f"r{ROUTINE_COMMANDS_AT_ONCE - 1}")
    with pytest.raises(BerthError, match="computer_busy"):
        await soon(rig.exec("r-more", Origin.ROUTINE))
    chat = rig.exec("chat")
    await rig.arrival("chat")
    for run in rig.machine.runs.values():
        run.exit()
    await soon(asyncio.gather(chat, *tasks))


async def test_a_start_that_fails_says_so_and_the_next_call_tries_anew(rig: Rig) -> None:
    rig.machine.refuse_start = True
    with pytest.raises(BerthError) as failed:
        await soon(rig.exec())
    assert failed.value.code == ErrorCode.COMPUTER_UNAVAILABLE
    assert (rig.core.view().state, rig.core.view().reason) == (ComputerState.STANDBY, "start_failed")
    assert rig.core.view().commands == []
    rig.machine.refuse_start = False
    assert (await rig.finished()).exit_code == 0


async def test_a_container_that_ends_while_it_starts_is_not_waited_for(rig: Rig) -> None:
    rig.machine.die_at_start = True
    with pytest.raises(BerthError) as failed:
        await soon(rig.exec())
    assert failed.value.code == ErrorCode.COMPUTER_UNAVAILABLE
    assert (rig.core.view().state, rig.core.view().reason) == (ComputerState.STANDBY, "start_failed")
    rig.machine.die_at_start = False
    assert (await rig.finished()).exit_code == 0


async def test_live_output_reaches_a_listener_and_a_late_one_gets_the_tail(rig: Rig) -> None:
    heard: dict[str, list[tuple[str, int, str]]] = {"early": [], "late": []}
    both = asyncio.Event()

    def listener(name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        async def listen(stream: str, offset: int, text: str) -> None:
            heard[name].append((stream, offset, text))
            if heard["early"] and heard["late"]:
                both.set()

        return listen

    def call(name: str) -> "asyncio.Task[CommandResult]":
        return asyncio.ensure_future(
            rig.core.exec(
                "c1", "x", 9, origin=Origin.CHAT, account=Account(thread_id="t"), listener=listener(name)
            )
        )

    early = call("early")
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("一\n")
    while not heard["early"]:
        await asyncio.sleep(0)
    late = call("late")
    await soon(both.wait())
    rig.machine.runs["c1"].exit()
    await soon(asyncio.gather(early, late))
    assert heard["early"] == [("stdout", 0, "一\n")]
    assert heard["late"] == [("log", 0, "一\n")]


async def test_a_broken_connection_is_taken_up_where_it_was(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("before ")
    for _ in range(20):
        await asyncio.sleep(0)
    rig.machine.break_connections()
    rig.machine.runs["c1"].out("after")
    rig.machine.runs["c1"].exit()
    assert (await soon(task)).output == "before after"
    assert rig.machine.executed == ["c1"]


async def test_a_machine_that_dies_leaves_the_command_lost_with_what_it_said(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("half a")
    for _ in range(20):
        await asyncio.sleep(0)
    rig.machine.die()
    result = await soon(task)
    assert (result.state, result.exit_code, result.output) == (CommandState.LOST, None, "half a")
    assert rig.core.view().reason == "stopped_unexpectedly"
    assert (await rig.finished("c2")).state == CommandState.EXITED
    assert rig.machine.boots == 2


async def test_frames_that_are_nonsense_end_the_command_and_not_the_object(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].say({"type": "output", "stream": "stdout", "end": 1, "text": None})
    assert (await soon(task)).state == CommandState.LOST
    assert (await rig.finished("c2")).state == CommandState.EXITED


async def test_an_end_that_nobody_saw_is_lost_and_keeps_the_machine(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].say({"type": "exited", "exit_code": None, "signal": None, "log_note": "restarted"})
    result = await soon(task)
    assert (result.state, result.log_note) == (CommandState.LOST, "restarted")
    assert rig.core.view().state == ComputerState.RUNNING


async def test_stop_reaches_the_command_and_says_whether_there_was_one(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    assert await rig.core.stop("c1") is True
    assert (await soon(task)).state == CommandState.STOPPED
    assert await rig.core.stop("c1") is False
    assert await rig.core.stop("never") is False


async def test_a_stop_while_the_machine_starts_means_that_nothing_begins(rig: Rig) -> None:
    rig.machine.slow_start = asyncio.Event()
    task = rig.exec()
    for _ in range(10):
        await asyncio.sleep(0)
    assert await rig.core.stop("c1") is True
    rig.machine.slow_start.set()
    assert (await soon(task)).state == CommandState.STOPPED
    assert rig.machine.executed == []


async def test_a_stop_between_asking_and_beginning_reaches_the_command(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.deaf = True
    assert await rig.core.stop("c1") is True
    rig.machine.deaf = False
    rig.machine.runs["c1"].out("begun\n")
    assert (await soon(task)).state == CommandState.STOPPED


async def test_an_idle_machine_is_saved_and_sleeps_and_wakes_with_its_files(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    clock.pass_seconds(IDLE_SECONDS - 1)
    await rig.core.tick(0)
    assert rig.core.view().state == ComputerState.RUNNING
    clock.pass_seconds(1)
    await rig.core.tick(0)
    assert rig.core.view().state == ComputerState.STANDBY
    assert not rig.machine.running
    await rig.finished("c2")
    assert rig.machine.starts == [None, "snapshot-1"]


async def test_a_long_silent_command_is_not_idle(rig: Rig, clock: Clock) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    clock.pass_seconds(3 * IDLE_SECONDS)
    await rig.core.tick(0)
    assert rig.core.view().state == ComputerState.RUNNING
    rig.machine.runs["c1"].exit()
    assert (await soon(task)).state == CommandState.EXITED


async def test_what_runs_keeps_the_machine_awake_unless_it_is_to_be_stopped(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    assert await rig.core.sleep() is False
    assert await rig.core.sleep(stop=True) is True
    assert (await soon(task)).state == CommandState.STOPPED
    assert rig.machine.snapshots == 1


async def test_a_call_while_the_files_are_saved_finds_the_machine_awake_with_them(rig: Rig) -> None:
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    for _ in range(5):
        await asyncio.sleep(0)
    task = rig.exec("c2")
    for _ in range(5):
        await asyncio.sleep(0)
    assert "c2" not in rig.machine.runs
    rig.machine.slow_snapshot.set()
    await rig.arrival("c2")
    assert await soon(sleeping) is False
    rig.machine.runs["c2"].exit()
    await soon(task)
    assert rig.machine.starts == [None]
    assert rig.core.power.machine.snapshot == "snapshot-1"


async def test_a_reset_ends_what_runs_and_forgets_the_files(rig: Rig) -> None:
    await rig.finished()
    await rig.core.sleep()
    task = rig.exec("c2")
    await rig.arrival("c2")
    await rig.core.reset()
    assert (await soon(task)).state == CommandState.STOPPED
    assert (rig.core.view().state, rig.core.view().reason) == (ComputerState.STANDBY, "reset")
    assert not rig.machine.running
    await rig.finished("c3")
    assert rig.machine.starts == [None, "snapshot-1", None]
    assert rig.core.view().restored is None


async def test_a_reset_during_a_save_forgets_what_was_saved(rig: Rig) -> None:
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    for _ in range(5):
        await asyncio.sleep(0)
    resetting = asyncio.ensure_future(rig.core.reset())
    for _ in range(5):
        await asyncio.sleep(0)
    rig.machine.slow_snapshot.set()
    await soon(asyncio.gather(sleeping, resetting))
    await rig.finished("c2")
    assert rig.machine.starts == [None, None]


async def test_a_reset_of_a_sleeping_machine_is_told_too(rig: Rig) -> None:
    await rig.finished()
    await rig.core.sleep()
    rig.states.clear()
    await rig.core.reset()
    assert (rig.states, rig.core.view().reason) == ([ComputerState.STANDBY], "reset")
    assert rig.core.power.machine.snapshot is None


async def test_files_that_cannot_be_saved_keep_the_machine_awake(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.machine.refuse_snapshot = rig.bucket.down = True
    assert await rig.core.sleep() is False
    assert rig.machine.running
    assert rig.core.view().state == ComputerState.RUNNING
    rig.machine.refuse_snapshot = rig.bucket.down = False
    clock.pass_seconds(IDLE_SECONDS)
    await rig.core.tick(0)
    assert rig.core.view().state == ComputerState.STANDBY


async def test_an_object_reborn_during_a_command_takes_it_up_and_runs_it_once(rig: Rig) -> None:
    forgotten = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("first ")
    rig.reborn()
    task = rig.exec()
    for _ in range(20):
        await asyncio.sleep(0)
    rig.machine.runs["c1"].out("second")
    rig.machine.runs["c1"].exit()
    result = await soon(task)
    assert (result.state, result.output) == (CommandState.EXITED, "first second")
    assert rig.machine.executed == ["c1"]
    assert rig.machine.attached == 1
    await soon(forgotten)


async def test_an_object_reborn_after_its_machine_died_says_lost_and_starts_clean(rig: Rig) -> None:
    forgotten = rig.exec()
    await rig.arrival("c1")
    rig.reborn()
    rig.machine.running = False
    rig.machine.runs = {}
    assert (await soon(rig.exec())).state == CommandState.LOST
    assert rig.core.view().state == ComputerState.STANDBY
    assert (await rig.finished("c2")).state == CommandState.EXITED
    forgotten.cancel()


async def test_another_boot_of_the_machine_does_not_run_the_command_again(rig: Rig) -> None:
    forgotten = rig.exec()
    await rig.arrival("c1")
    rig.reborn()
    rig.machine.boots += 1
    rig.machine.runs = {}
    assert (await soon(rig.exec())).state == CommandState.LOST
    assert rig.machine.executed == ["c1"]
    forgotten.cancel()


async def test_the_platform_is_asked_to_keep_the_machine_for_longer_than_it_may_be_needed(
    rig: Rig, clock: Clock
) -> None:
    needed = (EXEC_TIMEOUT_SECONDS_MAX + IDLE_SECONDS) * 1000
    kept_until = 0
    for number in range(40):
        await rig.finished(f"c{number}")
        if rig.machine.kept:
            kept_until = clock() + rig.machine.kept.pop()
        assert kept_until - clock() > needed
        clock.pass_seconds(60)


async def test_a_machine_that_was_taken_over_is_kept_again(rig: Rig) -> None:
    await rig.finished()
    rig.machine.kept.clear()
    rig.reborn()
    await rig.core.recover()
    assert len(rig.machine.kept) == 1


async def test_the_alarm_is_set_while_something_runs_and_for_the_idle_time_after(
    rig: Rig, clock: Clock
) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    assert rig.alarm is not None
    assert rig.alarm <= clock() + 10_000
    rig.machine.runs["c1"].exit()
    await soon(task)
    assert rig.alarm == clock() + IDLE_SECONDS * 1000


async def test_what_the_computer_asked_of_the_outside_is_shown_with_its_command(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    for _ in range(20):
        await asyncio.sleep(0)
    denied = Outgoing("no.invalid", "GET", "default: no rule", ErrorCode.EGRESS_DENIED)
    read = Outgoing("index.invalid", "GET", "registry:npm")
    for request in (denied, denied, read):
        await rig.core.admit_egress(request)
    assert await rig.core.egress_moved(read, 1, 20) == 0
    assert await rig.core.egress_moved(read, 2, 30) == 0
    await rig.core.egress_moved(Outgoing("before.invalid", "GET", "registry:npm"), 5, 5)
    rig.machine.runs["c1"].exit()
    found = [
        (line.host, line.allowed, line.code, line.count, line.sent, line.received)
        for line in (await soon(task)).egress
    ]
    assert found == [
        ("no.invalid", False, ErrorCode.EGRESS_DENIED, 2, 0, 0),
        ("index.invalid", True, None, 1, 3, 50),
    ]


async def test_a_receipt_is_capped_and_sums_up_the_rest(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    for _ in range(20):
        await asyncio.sleep(0)
    requests = [Outgoing(f"h{n}.invalid", "GET", "r") for n in range(RECEIPTS_MAX + 2)]
    for request in requests:
        await rig.core.admit_egress(request)
    await rig.core.egress_moved(requests[-1], 0, 7)
    rig.machine.runs["c1"].exit()
    receipt = (await soon(task)).egress
    assert len(receipt) == RECEIPTS_MAX + 1
    assert (receipt[-1].host, receipt[-1].count, receipt[-1].received) == (OTHER_HOSTS, 2, 7)


async def test_a_ban_refuses_and_is_shown(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    for _ in range(20):
        await asyncio.sleep(0)
    rig.standing = EgressStanding(ban=Ban(reason="abuse", at_ms=0))
    with pytest.raises(BerthError) as caught:
        await rig.core.admit_egress(Outgoing("index.invalid", "GET", "registry:npm"))
    assert caught.value.code == ErrorCode.COMPUTER_BANNED
    rig.machine.runs["c1"].exit()
    (receipt,) = (await soon(task)).egress
    assert (receipt.allowed, receipt.code) == (False, ErrorCode.COMPUTER_BANNED)
    assert "abuse" in receipt.reason


async def test_hands_on_the_files_wake_nothing_and_are_told_what_runs(rig: Rig) -> None:
    with pytest.raises(BerthError) as asleep:
        async with rig.core.hand(while_running=True):
            raise AssertionError("it sleeps")
    assert asleep.value.code == ErrorCode.COMPUTER_UNAVAILABLE
    assert rig.machine.starts == []
    task = rig.exec()
    await rig.arrival("c1")
    with pytest.raises(BerthError) as busy:
        async with rig.core.hand(while_running=False):
            raise AssertionError("it is busy")
    assert busy.value.code == ErrorCode.COMPUTER_BUSY
    assert busy.value.details is not None
    assert [one["id"] for one in busy.value.details["running"]] == ["c1"]
    async with rig.core.hand(while_running=True) as machine:
        assert machine.state == ComputerState.RUNNING
    rig.machine.runs["c1"].exit()
    await soon(task)
    async with rig.core.hand(while_running=False):
        assert await rig.core.sleep() is False
    assert await rig.core.sleep() is True
    assert len(rig.machine.starts) == 1


async def test_a_save_gives_way_to_hands_so_that_nothing_is_missed(rig: Rig) -> None:
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    for _ in range(5):
        await asyncio.sleep(0)

    async def move() -> None:
        async with rig.core.hand(while_running=False):
            assert rig.core.power.machine.state == ComputerState.RUNNING

    moving = asyncio.ensure_future(move())
    for _ in range(5):
        await asyncio.sleep(0)
    rig.machine.slow_snapshot.set()
    await soon(moving)
    assert await soon(sleeping) is False
    assert rig.core.power.machine.state == ComputerState.RUNNING


async def test_a_banned_computer_is_not_touched(rig: Rig) -> None:
    await rig.finished()
    await rig.core.ban_changed(1, Ban(reason="abuse", at_ms=1))
    with pytest.raises(BerthError) as raised:
        async with rig.core.hand(while_running=True):
            raise AssertionError("it is banned")
    assert raised.value.code == ErrorCode.COMPUTER_BANNED
