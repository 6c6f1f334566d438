"""Branches: the old thread stays, the new one begins with what came before, and both go on by themselves."""

import json

import pytest

from contracts.api import BranchCreate, Branched, MessageCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import PURGE_SECONDS
from contracts.records import Run
from contracts.states import Locale
from contracts.tools import ASK_OWNER
from durable_objects.bot_owner.conversation import UserTurn
from durable_objects.bot_owner.models.protocol import CallPart, Question, TextPart
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

WORK = CallPart("computer__exec", {"command": "work"})


def branch(rig: OwnerRig, seq: int, text: str | None = None, client_id: str = "branch-0001") -> Branched:
    return rig.owner.branches.make(rig.thread.id, BranchCreate(client_id=client_id, seq=seq, text=text))


def seq_of(rig: OwnerRig, text: str) -> int:
    return next(int(e["seq"]) for e in rig.events("message.created") if e["text"] == text)


def texts(question: Question) -> list[str]:
    return [turn.text for turn in question.history() if isinstance(turn, UserTurn) and turn.text]


async def talked(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], [TextPart("One.")], [TextPart("One.")], [TextPart("Two.")])
    await rig.ask("first")
    await rig.ask("second")


async def test_an_edited_message_begins_a_thread_of_its_own(rig: OwnerRig) -> None:
    await talked(rig)
    before = rig.events()
    made = branch(rig, seq_of(rig, "second"), "other")
    assert (made.thread.branch_of, made.thread.bot_id) == (rig.thread.id, rig.bot.id)
    assert rig.owner.journal.due() == [made.accepted.run.id]
    rig.model = model = ScriptedModel([TextPart("Other.")])
    await rig.owner.loop.drive(made.accepted.run.id)
    assert texts(model.questions[0]) == ["first", "other"]
    assert rig.events() == before
    rows = list(rig.owner.record.all(made.thread.id))
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    shared = seq_of(rig, "second") - 1
    old = list(rig.owner.record.all(rig.thread.id))
    assert rows[:shared] == old[:shared]


async def test_a_retry_sends_the_same_text_and_its_files_again(rig: OwnerRig) -> None:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "a.csv", "text/csv", 3)
    rig.model = ScriptedModel([TextPart("One.")])
    await rig.ask("look", upload_id)
    made = branch(rig, 1)
    assert (made.accepted.message.text, made.accepted.seq) == ("look", 1)
    assert [upload.id for upload in made.accepted.message.uploads] == [upload_id]
    assert len(rig.owner.files.waiting()) == 1


async def test_a_retry_is_in_the_language_of_its_message(rig: OwnerRig) -> None:
    wanted = MessageCreate(client_id="page-0001", text="look", locale=Locale.SIMPLIFIED_CHINESE)
    rig.owner.inbox.accept(rig.thread.id, wanted)
    assert branch(rig, 1).accepted.message.locale == Locale.SIMPLIFIED_CHINESE


async def test_the_same_id_again_finds_the_first_branch(rig: OwnerRig) -> None:
    await talked(rig)
    first = branch(rig, seq_of(rig, "second"))
    assert branch(rig, seq_of(rig, "second")) == first
    assert len(rig.owner.catalog.threads()) == 2
    with pytest.raises(BerthError) as refused:
        branch(rig, seq_of(rig, "second"), "another text")
    assert refused.value.code == ErrorCode.INVALID_REQUEST


async def test_a_branch_of_a_tainted_thread_is_tainted(rig: OwnerRig) -> None:
    await talked(rig)
    made = branch(rig, seq_of(rig, "second"), "other")
    rig.model = ScriptedModel([TextPart("Other.")])
    await rig.owner.loop.drive(made.accepted.run.id)
    assert rig.owner.journal.row(made.accepted.run.id)["tainted"] == 1


async def test_a_message_that_was_queued_is_cut_where_its_run_began(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([TextPart("One.")], [TextPart("Two.")], [TextPart("Again.")])
    first = rig.send("first").run.id
    second = rig.send("second", during="queue").run.id
    third = rig.send("third", during="queue").run.id
    with pytest.raises(BerthError) as refused:
        branch(rig, seq_of(rig, "second"))
    assert refused.value.code == ErrorCode.INVALID_REQUEST
    await rig.owner.loop.drive(first)
    await rig.owner.loop.drive(second)
    made = branch(rig, seq_of(rig, "second"), "other")
    await rig.owner.loop.drive(made.accepted.run.id)
    assert texts(model.questions[2]) == ["first", "other"]
    told = [json.loads(row["data"]).get("text") for row in rig.owner.record.all(made.thread.id)]
    assert "third" not in told
    assert rig.owner.journal.due() == [third]


@pytest.mark.parametrize("seq", [2, 3, 99])
async def test_only_what_a_person_wrote_can_be_changed(rig: OwnerRig, seq: int) -> None:
    rig.model = ScriptedModel([TextPart("One.")])
    await rig.ask("first")
    with pytest.raises(BerthError) as refused:
        branch(rig, seq)
    assert refused.value.code == ErrorCode.NOT_FOUND
    assert len(rig.owner.catalog.threads()) == 1


async def test_an_empty_text_leaves_no_branch_behind(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("One.")])
    await rig.ask("first")
    with pytest.raises(BerthError):
        branch(rig, 1, " ")
    assert len(rig.owner.catalog.threads()) == 1


async def test_deleting_one_leaves_the_other(rig: OwnerRig) -> None:
    await talked(rig)
    made = branch(rig, seq_of(rig, "second"), "other")
    rig.owner.removals.hide(rig.thread.id)
    rig.model = model = ScriptedModel([TextPart("Other.")])
    await rig.reborn().loop.drive(made.accepted.run.id)
    assert texts(model.questions[0]) == ["first", "other"]


async def test_a_branch_during_a_run_leaves_that_run_alone(rig: OwnerRig) -> None:
    made: list[Branched] = []

    def meanwhile(_question: Question) -> list[TextPart]:
        made.append(branch(rig, 1, "another"))
        return [TextPart("to the first")]

    rig.model = ScriptedModel(meanwhile, [TextPart("to the other")])
    await rig.ask("one")
    assert [event["text"] for event in rig.events("message.created")] == ["one", "to the first"]
    await rig.owner.loop.drive(made[0].accepted.run.id)
    said = [json.loads(row["data"]).get("text") for row in rig.owner.record.all(made[0].thread.id)]
    assert [text for text in said if text] == ["another", "to the other"]


async def test_fifty_branches_of_each_other_go_as_they_came(rig: OwnerRig, clock: Clock) -> None:
    await rig.ask("one")
    threads = [rig.thread.id]
    for number in range(50):
        wanted = BranchCreate(client_id=f"branch-{number:04}", seq=1, text=f"again {number}")
        threads.append(rig.owner.branches.make(threads[-1], wanted).thread.id)
    while due := rig.owner.journal.due():
        for run_id in due:
            await rig.owner.loop.drive(run_id)
    assert len(rig.owner.catalog.threads()) == 51
    for thread_id in threads:
        rig.owner.removals.hide(thread_id)
    clock.pass_seconds(PURGE_SECONDS)
    await rig.owner.removals.sweep()
    for table in ("events", "runs", "steps", "sent", "findable"):
        assert rig.context.sql.execute(f"SELECT * FROM {table}") == []  # noqa: S608 - our names


def statuses(rig: OwnerRig, made: Branched) -> dict[str, tuple[str, str | None]]:
    """How each run stands in the branch in the end, with its reason, by its id."""
    rows = [row for row in rig.owner.record.all(made.thread.id) if row["type"] == "run.status"]
    runs = [Run.model_validate_json(row["data"]) for row in rows]
    return {run.id: (run.state, run.reason) for run in runs}


async def test_a_run_that_waits_for_the_changed_answer_ends_where_the_branch_begins(rig: OwnerRig) -> None:
    question = CallPart(ASK_OWNER, {"question": "Which?"})
    rig.model = model = ScriptedModel([question], [TextPart("This.")], [TextPart("That.")])
    waiting = await rig.ask("go")
    assert await rig.ask("this") == waiting
    made = branch(rig, seq_of(rig, "this"), "that")
    await rig.owner.loop.drive(made.accepted.run.id)
    assert statuses(rig, made) == {waiting: ("stopped", "branched"), made.accepted.run.id: ("done", None)}
    assert rig.owner.journal.row(waiting)["state"] == "done"
    assert texts(model.questions[2]) == ["go", "that"]
    seqs = [row["seq"] for row in rig.owner.record.all(made.thread.id)]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_a_run_under_way_ends_in_the_branch_of_a_message_to_it(rig: OwnerRig) -> None:
    made: list[Branched] = []

    def meanwhile(_question: Question) -> list[TextPart]:
        rig.send("and this")
        made.append(branch(rig, seq_of(rig, "and this")))
        return [TextPart("Both.")]

    rig.model = ScriptedModel(meanwhile, [TextPart("Both.")])
    run_id = await rig.ask("do this")
    assert statuses(rig, made[0]) == {run_id: ("stopped", "branched")}
    assert rig.owner.journal.row(run_id)["state"] == "done"
    again = BranchCreate(client_id="branch-0002", seq=made[0].accepted.seq)
    twice = rig.owner.branches.make(made[0].thread.id, again)
    assert statuses(rig, twice) == {run_id: ("stopped", "branched")}
