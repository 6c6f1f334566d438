"""Stopping a command: it is asked until it has heard, and nobody reads all that it has printed first."""

import asyncio

import pytest

from contracts.limits import OUTPUT_CHARACTERS
from contracts.states import CommandState
from durable_objects.bot_computer.follow import STOPPED_BYTES
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.rig import Rig, soon, turns
from tests.unit.durable_objects.bot_computer.wire import FakeMachine

PIECE = 50_000


class Flooding(FakeMachine):
    """Its commands print much between the stop and their end."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self._pieces = pieces
        self.before = 0

    async def stop(self, command_id: str) -> None:
        self.before = self.read
        for number in range(self._pieces):
            self.runs[command_id].out(f"{number:05d}\n" + "y\n" * (PIECE // 2 - 3))
        await super().stop(command_id)


@pytest.fixture
def rig(context: Context) -> Rig:
    return Rig(context)


async def flooded(rig: Rig, pieces: int) -> Flooding:
    machine = rig.machine = Flooding(pieces)
    rig.backups.machine = machine
    rig.reborn()
    return machine


async def die(rig: Rig) -> None:
    await rig.core._driver.cancel()
    rig.reborn()


async def test_the_output_of_a_stopped_command_is_not_read_to_its_end_but_at_its_end(rig: Rig) -> None:
    machine = await flooded(rig, 400)
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.runs["c1"].out("the beginning\n")
    await turns()
    assert await rig.core.stop("c1")
    result = await soon(task)
    assert result.state == CommandState.STOPPED
    # 20 MB are there; one budget of them is read, and a tail. As JSON they are half as long again.
    assert machine.read - machine.before < 3 * STOPPED_BYTES
    assert result.output.startswith("the beginning\n00000\n")
    assert result.output.endswith("y\n" * (OUTPUT_CHARACTERS // 4))
    assert result.cut_characters > 19_000_000
    assert result.cut_lines is None


async def test_a_computer_that_lies_about_what_was_left_out_cannot_say_more_than_it_printed(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    for _ in range(3):
        frame = {"type": "output", "stream": "log", "offset": 0, "end": 9, "text": "x", "left_out": 2**52}
        rig.machine.runs["c1"].say(frame)
    rig.machine.runs["c1"].exit()
    assert (await soon(task)).cut_characters == 9


async def test_what_little_comes_after_a_stop_is_read_whole(rig: Rig) -> None:
    await flooded(rig, STOPPED_BYTES // PIECE - 1)
    task = rig.exec()
    await rig.arrival("c1")
    assert await rig.core.stop("c1")
    result = await soon(task)
    assert result.cut_lines is not None
    assert "left out" not in result.output


async def test_a_computer_that_cannot_be_asked_to_stop_is_asked_again_until_it_has_heard(rig: Rig) -> None:
    task = rig.exec()
    await rig.arrival("c1")
    rig.machine.deaf = True
    assert await rig.core.stop("c1")
    for _ in range(3):
        rig.machine.runs["c1"].say({"type": "heartbeat"})
        await turns()
    assert not task.done()
    rig.machine.deaf = False
    rig.machine.runs["c1"].say({"type": "heartbeat"})
    assert (await soon(task)).state == CommandState.STOPPED


async def test_a_stop_is_not_forgotten_when_the_object_dies_before_the_computer_has_heard(rig: Rig) -> None:
    rig.exec()
    await rig.arrival("c1")
    rig.machine.deaf = True
    assert await rig.core.stop("c1")
    await die(rig)
    # What it lost is found by whoever comes next; nobody asks for a stop again.
    task = rig.exec()
    await turns()
    rig.machine.deaf = False
    rig.machine.runs["c1"].say({"type": "heartbeat"})
    assert (await soon(task)).state == CommandState.STOPPED
    assert rig.machine.executed == ["c1"]


async def test_a_command_that_was_to_stop_and_never_began_does_not_begin_after_a_death(rig: Rig) -> None:
    rig.machine.slow_start = asyncio.Event()
    rig.exec()
    await turns()
    assert await rig.core.stop("c1")
    await die(rig)
    rig.machine.slow_start.set()
    assert (await soon(rig.exec())).state == CommandState.STOPPED
    assert rig.machine.executed == []
