"""A ban at every moment of a computer: before, during a start, a command, a save; and its end."""

import asyncio
from pathlib import Path

import pytest

from contracts.allowance import Account
from contracts.errors import BerthError, ErrorCode
from contracts.records import Ban, EgressStanding
from contracts.states import CommandState, ComputerState
from durable_objects.bot_computer.ban import BanBook
from durable_objects.bot_computer.egress_desk import StandingError
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.bot_computer.rig import Rig, soon

BAN = Ban(reason="abuse", at_ms=7)


@pytest.fixture
def rig(context: Context) -> Rig:
    return Rig(context)


async def quiet(rig: Rig) -> None:
    """Until the computer is in standby."""
    async with asyncio.timeout(60):
        while rig.core.view().state != ComputerState.STANDBY:
            await asyncio.sleep(0)


async def test_a_banned_computer_does_not_wake_and_says_why(rig: Rig) -> None:
    await rig.core.ban_changed(1, BAN)
    with pytest.raises(BerthError) as refused:
        await soon(rig.exec())
    assert refused.value.code == ErrorCode.COMPUTER_BANNED
    assert "abuse" in refused.value.message
    with pytest.raises(BerthError, match="computer_banned"):
        async with rig.core.use(Account()):
            pytest.fail("it woke")
    with pytest.raises(BerthError, match="computer_banned"):
        await rig.core.reset()
    assert rig.machine.starts == []
    assert rig.core.view().ban == BAN
    await rig.core.ban_changed(2, None)
    assert rig.core.view().ban is None
    assert (await rig.finished()).exit_code == 0


async def test_a_ban_during_a_command_ends_it_saves_and_lets_it_sleep(rig: Rig) -> None:
    running = rig.exec()
    await rig.arrival("c1")
    await rig.core.ban_changed(1, BAN)
    result = await soon(running)
    assert (result.state, result.banned) == (CommandState.STOPPED, True)
    await quiet(rig)
    assert rig.machine.snapshots == 1
    await rig.core.ban_changed(2, None)
    await rig.finished("c2")
    assert rig.machine.starts == [None, "snapshot-1"]


async def test_a_ban_during_a_start_lets_nothing_begin(rig: Rig) -> None:
    rig.machine.slow_start = asyncio.Event()
    waiting = rig.exec()
    while not rig.machine.starts:
        await asyncio.sleep(0)
    await rig.core.ban_changed(1, BAN)
    rig.machine.slow_start.set()
    with pytest.raises(BerthError, match="computer_banned"):
        await soon(waiting)
    await quiet(rig)
    assert rig.machine.executed == []


async def test_a_ban_during_a_save_waits_for_it(rig: Rig) -> None:
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    saving = asyncio.ensure_future(rig.core.sleep())
    await asyncio.sleep(0)
    await rig.core.ban_changed(1, BAN)
    rig.machine.slow_snapshot.set()
    assert await soon(saving)
    await quiet(rig)
    assert rig.machine.snapshots == 1


async def test_a_ban_that_died_half_way_is_finished_by_the_alarm(rig: Rig) -> None:
    running = rig.exec()
    await rig.arrival("c1")
    # The news is written down, and then the object dies.
    BanBook(rig.context, rig._ask_standing).heard(1, BAN)
    reborn = rig.reborn()
    await reborn.tick(5)
    assert reborn.view().state == ComputerState.STANDBY
    result = reborn.book.result("c1")
    assert result is not None
    assert result.banned
    await soon(running)


async def test_files_that_cannot_be_saved_are_not_dropped(rig: Rig) -> None:
    await rig.finished()
    rig.machine.refuse_snapshot = rig.bucket.down = True
    await rig.core.ban_changed(1, BAN)
    await rig.core.tick(5)
    assert (rig.core.view().state, rig.machine.running) == (ComputerState.RUNNING, True)
    rig.machine.refuse_snapshot = rig.bucket.down = False
    await rig.core.tick(5)
    assert rig.core.view().state == ComputerState.STANDBY


async def test_old_news_and_the_same_again_change_nothing(rig: Rig) -> None:
    await rig.core.ban_changed(5, None)
    shown = len(rig.states)
    for n in (4, 5):
        await rig.core.ban_changed(n, BAN)
    assert rig.core.view().ban is None
    assert len(rig.states) == shown
    assert rig.reborn().view().ban is None


async def test_an_object_that_knows_nothing_asks_once(context: Context) -> None:
    migrate(context.sql, SCHEMA)
    asked = 0

    async def ask() -> EgressStanding:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise StandingError("no answer")
        return EgressStanding(ban=BAN)

    book = BanBook(context, ask)
    with pytest.raises(BerthError, match="computer_unavailable"):
        await book.admit()
    for _ in range(3):
        with pytest.raises(BerthError, match="computer_banned"):
            await book.admit()
    assert asked == 2
    assert BanBook(context, ask).now == BAN


async def test_what_is_told_while_it_asks_is_newer_than_the_answer(context: Context) -> None:
    migrate(context.sql, SCHEMA)

    async def ask() -> EgressStanding:
        assert book.heard(3, None)
        return EgressStanding(ban=BAN)

    book = BanBook(context, ask)
    await book.admit()
    assert book.now is None


DOCUMENT = Path(__file__).parents[4] / "docs/lifecycle.md"


async def _use(rig: Rig) -> None:
    async with rig.core.use(Account()):
        pytest.fail("it was let in")


async def _exec(rig: Rig) -> None:
    await soon(rig.exec("c2"))


async def _reset(rig: Rig) -> None:
    await rig.core.reset()


async def _sleep(rig: Rig) -> None:
    assert await rig.core.sleep()


async def _status(rig: Rig) -> None:
    assert rig.core.view().ban == BAN


async def _delete(rig: Rig) -> None:
    await rig.core.close()


CALLS = {
    "a command": _exec,
    "a file call, an export, a delivery": _use,
    "reset": _reset,
    "sleep": _sleep,
    "status": _status,
    "delete everything": _delete,
}


def documented() -> dict[str, str]:
    section = DOCUMENT.read_text().split("## A banned computer")[1].split("##")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return {call.strip(): answer.strip().strip("`") for call, answer in rows[2:]}


def test_the_document_names_every_call_of_a_banned_computer() -> None:
    assert documented().keys() == CALLS.keys()


@pytest.mark.parametrize("call", CALLS)
async def test_a_banned_computer_answers_as_the_document_says(rig: Rig, call: str) -> None:
    await rig.finished()
    await rig.core.ban_changed(1, BAN)
    await quiet(rig)
    starts = len(rig.machine.starts)
    if documented()[call] == "done":
        await CALLS[call](rig)
    else:
        with pytest.raises(BerthError) as refused:
            await CALLS[call](rig)
        assert refused.value.code == documented()[call]
    assert len(rig.machine.starts) == starts


async def test_a_computer_that_is_being_deleted_takes_no_call_and_ends_what_runs(rig: Rig) -> None:
    rig.machine.deaf = True
    running = rig.exec()
    await rig.arrival("c1")
    closing = asyncio.ensure_future(rig.core.close())
    await asyncio.sleep(0)
    for call in (_exec, _use, _reset):
        with pytest.raises(BerthError, match="being_deleted"):
            await call(rig)
    rig.machine.break_connections()
    rig.machine.runs["c1"].exit()
    await soon(running)
    await soon(closing)
    assert (rig.machine.running, rig.machine.snapshots) == (False, 0)


async def test_whose_files_cannot_be_had_is_told_of_the_ban_and_not_that_it_sleeps(rig: Rig) -> None:
    await rig.finished()
    await rig.core.sleep()
    assert rig.core.unreadable().code == ErrorCode.COMPUTER_UNAVAILABLE
    await rig.core.ban_changed(1, BAN)
    assert rig.core.unreadable().code == ErrorCode.COMPUTER_BANNED
    assert BAN.reason in rig.core.unreadable().message
    await rig.core.ban_changed(2, None)
    assert rig.core.unreadable().code == ErrorCode.COMPUTER_UNAVAILABLE
