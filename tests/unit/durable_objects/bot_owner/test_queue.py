"""Who is at work: one run a thread, eight in all, four commands; who waits is shown and comes by turns."""

import asyncio
import itertools
from typing import Any

import pytest

from contracts.api import MessageCreate, ThreadCreate
from contracts.limits import COMMANDS_AT_ONCE, RETRY_AFTER_SECONDS_MAX, RUNS_AT_ONCE
from contracts.records import Run
from contracts.states import RunState
from durable_objects.bot_owner.conversation import UserTurn
from durable_objects.bot_owner.models.protocol import CallPart, ModelError, Question, TextPart
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

WORK = CallPart("computer__exec", {"command": "work"})


class Threads:
    """Several threads of the rig's owner, written to at a time each."""

    def __init__(self, rig: OwnerRig, count: int) -> None:
        self.rig = rig
        made = (ThreadCreate(bot_id=rig.bot.id) for _ in range(count))
        self.ids = [rig.owner.catalog.create_thread(wanted).id for wanted in made]
        self._sent = 0

    def send(self, number: int, during: Any = "queue") -> Run:
        self._sent += 1
        wanted = MessageCreate(client_id=f"many-{self._sent:05}", text="go", during=during)
        return self.rig.owner.inbox.accept(self.ids[number], wanted).run

    def end(self, run_id: str) -> None:
        self.rig.owner.record.write(lambda: self.rig.owner.journal.move(run_id, RunState.DONE))


def texts(question: Question) -> list[str]:
    return [turn.text for turn in question.history() if isinstance(turn, UserTurn) and turn.text]


async def test_a_queued_message_waits_for_the_end_and_stands_where_its_run_begins(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = model = ScriptedModel(
        [WORK], [TextPart("First.")], [TextPart("First, seen.")], [TextPart("Second.")]
    )
    first = rig.send("first").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(first))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    queued = rig.send("later", during="queue")
    steered = rig.send("also")
    assert (queued.run.state, queued.message.queued) == (RunState.QUEUED, True)
    assert (steered.run.id, steered.message.queued) == (first, False)
    assert rig.owner.journal.due() == [first]
    assert rig.owner.catalog.thread(rig.thread.id).run == steered.run
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert [texts(question) for question in model.questions[1:]] == [["first", "also"]] * 2
    assert rig.owner.journal.due() == [queued.run.id]
    await rig.owner.loop.drive(queued.run.id)
    assert texts(model.questions[3]) == ["first", "also", "later"]
    assert [turn.text for turn in model.questions[3].news] == ["later"]
    assert isinstance(model.questions[3].history()[-1], UserTurn)
    assert rig.kinds()[-1] == "run.status:done"


def test_a_queued_message_is_shown_and_can_be_taken_back(rig: OwnerRig) -> None:
    rig.send("first")
    queued = rig.send("later", during="queue").run
    assert [event["state"] for event in rig.events("run.status")] == ["queued"]
    rig.owner.record.write(lambda: rig.owner.journal.move(queued.id, RunState.STOPPED))
    third = rig.send("third", during="queue").run
    assert [row["id"] for row in rig.owner.journal.unfinished(rig.thread.id)][1:] == [third.id]


async def test_a_message_that_was_taken_back_is_never_shown_to_a_model(rig: OwnerRig) -> None:
    first = rig.send("first").run.id
    queued = rig.send("never mind", during="queue").run.id
    rig.owner.record.write(lambda: rig.owner.journal.move(queued, RunState.STOPPED))
    rig.model = model = ScriptedModel([TextPart("One.")], [TextPart("Two.")])
    await rig.owner.loop.drive(first)
    await rig.ask("second")
    assert texts(model.questions[1]) == ["first", "second"]


def test_a_message_to_a_thread_at_rest_or_one_that_waits_for_it_is_never_queued(rig: OwnerRig) -> None:
    first = rig.send("first", during="queue")
    assert first.message.queued is False
    rig.owner.record.write(lambda: rig.owner.journal.move(first.run.id, RunState.WAITING_INPUT))
    answer = rig.send("answer", during="queue")
    assert (answer.run.id, answer.message.queued) == (first.run.id, False)


def test_a_message_to_a_run_that_is_being_stopped_gets_one_of_its_own(rig: OwnerRig) -> None:
    first = rig.send("first").run
    rig.owner.journal.ask_stop(first.id)
    second = rig.send("instead")
    assert second.run.id != first.id
    assert second.message.queued is True
    assert rig.send("and more").run.id == second.run.id
    assert rig.owner.journal.due() == [first.id]


def test_runs_at_the_limit_are_at_work_and_one_more_waits_and_is_shown(rig: OwnerRig) -> None:
    threads = Threads(rig, RUNS_AT_ONCE + 1)
    runs = [threads.send(number) for number in range(RUNS_AT_ONCE + 1)]
    assert rig.owner.journal.due() == [run.id for run in runs[:-1]]
    shown = [len(rig.owner.record.page(thread_id, 0)) for thread_id in threads.ids]
    assert shown == [1] * RUNS_AT_ONCE + [2]
    threads.end(runs[3].id)
    assert runs[-1].id in rig.owner.journal.due()


def test_a_thread_with_much_in_its_queue_does_not_go_before_one_that_has_waited(rig: OwnerRig) -> None:
    threads = Threads(rig, RUNS_AT_ONCE + 2)
    runs = [threads.send(number) for number in range(RUNS_AT_ONCE)]
    threads.send(0)
    late = [threads.send(RUNS_AT_ONCE), threads.send(RUNS_AT_ONCE + 1)]
    threads.end(runs[0].id)
    due = rig.owner.journal.due()
    assert late[0].id in due
    assert late[1].id not in due
    assert len(due) == RUNS_AT_ONCE


async def test_commands_take_the_slots_by_turns_and_who_waits_is_shown(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel(*([WORK] for _ in range(COMMANDS_AT_ONCE + 1)))
    threads = Threads(rig, COMMANDS_AT_ONCE + 1)
    runs = [threads.send(number) for number in range(COMMANDS_AT_ONCE + 1)]
    driving = [asyncio.ensure_future(rig.owner.loop.drive(run.id)) for run in runs]
    waiting = rig.owner.journal
    while waiting.row(runs[-1].id)["reason"] != "computer_busy":
        await asyncio.sleep(0)
    assert len(rig.computer.executed) == COMMANDS_AT_ONCE
    assert waiting.row(runs[-1].id)["state"] == RunState.QUEUED
    rig.computer.hold.set()
    await asyncio.wait_for(asyncio.gather(*driving), 60)
    assert len(rig.computer.executed) == COMMANDS_AT_ONCE + 1
    assert [waiting.row(run.id)["reason"] for run in runs[:-1]] != ["computer_busy"]


async def test_a_run_that_is_stopped_while_it_waits_for_a_slot_makes_no_call(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel(*([WORK] for _ in range(COMMANDS_AT_ONCE + 1)))
    threads = Threads(rig, COMMANDS_AT_ONCE + 1)
    runs = [threads.send(number) for number in range(COMMANDS_AT_ONCE + 1)]
    driving = [asyncio.ensure_future(rig.owner.loop.drive(run.id)) for run in runs]
    while rig.owner.journal.row(runs[-1].id)["reason"] != "computer_busy":
        await asyncio.sleep(0)
    rig.owner.record.write(lambda: rig.owner.journal.move(runs[-1].id, RunState.STOPPED))
    rig.computer.hold.set()
    await asyncio.wait_for(asyncio.gather(*driving), 60)
    assert len(rig.computer.executed) == COMMANDS_AT_ONCE
    assert rig.owner.journal.row(runs[-1].id)["state"] == RunState.STOPPED


async def test_a_model_that_says_nothing_is_left_at_once_when_its_run_is_stopped(rig: OwnerRig) -> None:
    asked = asyncio.Event()

    class Silent(ScriptedModel):
        async def answer(self, question: Question) -> Any:
            yield TextPart("I think")
            asked.set()
            await asyncio.Event().wait()

    rig.model = Silent()
    run_id = rig.send("hi").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(asked.wait(), 60)
    rig.owner.journal.ask_stop(run_id)
    rig.owner.stops.stop(run_id)
    await asyncio.wait_for(driving, 60)
    assert rig.events("message.created")[-1]["text"] == "I think"
    assert rig.kinds()[-1] == "run.status:stopped"


async def test_a_stop_while_it_waits_for_another_try_ends_the_run(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel(
        ModelError("model_broke", retry_after_s=RETRY_AFTER_SECONDS_MAX), [TextPart("never")]
    )
    run_id = rig.send("hi").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    while not model.questions:
        await asyncio.sleep(0)
    rig.owner.journal.ask_stop(run_id)
    rig.owner.stops.stop(run_id)
    await asyncio.wait_for(driving, 60)
    assert rig.kinds()[-1] == "run.status:stopped"


@pytest.mark.parametrize("seconds", [0, -3600], ids=["in one millisecond", "after the clock went back"])
async def test_runs_of_a_thread_follow_each_other_as_they_came(
    sql: SqliteSql, clock: Clock, seconds: int
) -> None:
    # Chance may give a later run the smaller id.
    numbers = itertools.count(2**60, -1)
    rig = OwnerRig(Context(sql=sql, now_ms=clock, entropy=lambda n: next(numbers).to_bytes(n, "big")))
    first = rig.send("first").run.id
    clock.pass_seconds(seconds)
    later = [rig.send("later", during="queue").run.id for _ in range(3)]
    assert [run["id"] for run in rig.owner.journal.unfinished(rig.thread.id)] == [first, *later]
    assert rig.owner.journal.due() == [first]
    assert rig.send("and this").run.id == first
    for run_id in (first, *later):
        assert rig.owner.journal.due() == [run_id]
        await rig.owner.loop.drive(run_id)
    shown = rig.owner.catalog.thread(rig.thread.id).run
    assert shown is not None
    assert shown.id == later[-1]
