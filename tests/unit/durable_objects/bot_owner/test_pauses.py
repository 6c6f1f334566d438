"""How a run comes to rest: it looks before it claims, asks for what is missing, and never ends wordless."""

import asyncio
import json
from typing import Any

import pytest

from contracts.errors import ErrorCode
from contracts.limits import CHOICE_CHARACTERS_MAX, QUESTION_CHARACTERS_MAX, QUESTION_CHOICES_MAX
from contracts.states import RunState
from contracts.tools import ASK_OWNER
from durable_objects.bot_owner.conversation import AssistantTurn, UserTurn, answered
from durable_objects.bot_owner.models.manual import ManualModel
from durable_objects.bot_owner.models.protocol import CallPart, ModelError, TextPart
from durable_objects.bot_owner.plan import Prompt
from durable_objects.bot_owner.prompts import PROMPTS
from durable_objects.bot_owner.result_notes import ASKED
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel

WORK = CallPart("computer__exec", {"command": "work"})


def asking(question: str = "Which file?", **more: Any) -> CallPart:
    return CallPart(ASK_OWNER, {"question": question, **more})


def said(rig: OwnerRig) -> list[str]:
    return [event["text"] for event in rig.events("message.created") if event["role"] == "assistant"]


async def test_a_claim_after_tools_is_answered_with_a_request_to_look_and_then_taken(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([WORK], [TextPart("Done!")], [TextPart("The file is there.")])
    await rig.ask("go")
    *_, claim, request = model.questions[2].history()
    assert isinstance(claim, AssistantTurn)
    assert claim.text == "Done!"
    assert isinstance(request, UserTurn)
    assert request.full_text == PROMPTS[Prompt.VERIFY]
    assert said(rig) == ["Done!", "The file is there."]
    assert len(model.questions) == 3
    assert rig.kinds()[-1] == "run.status:done"


async def test_it_is_asked_to_look_once_although_it_works_on(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], [TextPart("Done!")], [TextPart("No."), WORK], [TextPart("Now.")])
    await rig.ask("go")
    assert len(rig.notices("verify_asked")) == 1
    assert len(rig.computer.executed) == 2
    assert said(rig)[-1] == "Now."


async def test_after_another_message_it_is_asked_to_look_again(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], [asking()], [WORK], [TextPart("Done!")], [TextPart("Yes.")])
    run_id = await rig.ask("go")
    assert await rig.ask("this one") == run_id
    assert len(rig.notices("verify_asked")) == 1
    assert rig.kinds()[-1] == "run.status:done"


async def test_a_run_without_tools_and_a_manual_bot_are_not_asked_to_look(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("Hello.")])
    await rig.ask("hi")
    rig.model = ManualModel()
    await rig.ask("$ work")
    assert rig.events("notice") == []
    assert len(rig.computer.executed) == 1


async def test_death_while_it_looks_asks_for_it_once(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], [TextPart("Done!")], asyncio.CancelledError())
    run_id = rig.send("go").run.id
    with pytest.raises(asyncio.CancelledError):
        await rig.owner.loop.drive(run_id)
    rig.model = ScriptedModel([TextPart("It is.")])
    await rig.reborn().loop.drive(run_id)
    assert len(rig.notices("verify_asked")) == 1
    assert said(rig) == ["Done!", "It is."]
    assert rig.kinds()[-1] == "run.status:done"


@pytest.mark.parametrize("nothing", [[], [TextPart(" \n")]])
async def test_an_empty_answer_is_asked_for_again_and_never_shown(rig: OwnerRig, nothing: list[Any]) -> None:
    rig.model = ScriptedModel(nothing, [TextPart("Hello.")])
    await rig.ask("hi")
    assert said(rig) == ["Hello."]
    assert rig.kinds()[-1] == "run.status:done"


async def test_a_model_that_says_nothing_twice_has_failed(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([], [])
    await rig.ask("hi")
    assert said(rig) == []
    assert rig.events("run.status")[-1]["error"]["code"] == ErrorCode.MODEL_UNAVAILABLE


async def test_a_report_that_does_not_come_leaves_the_run_waiting_all_the_same(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], ModelError("model_broke"))
    run_id = rig.send("go").run.id
    rig.context.sql.run("UPDATE runs SET round_limit = 1 WHERE id = ?", run_id)
    await rig.owner.loop.drive(run_id)
    assert rig.kinds()[-1] == "run.status:waiting_input"
    assert said(rig) == []


async def test_a_question_waits_with_its_choices_and_the_answer_resumes_that_run(rig: OwnerRig) -> None:
    choices = ["a.csv", "b.csv"]
    rig.model = model = ScriptedModel(
        [asking(kind="choice", choices=choices)], [TextPart("I take b.")], [TextPart("never")]
    )
    run_id = await rig.ask("plot it")
    (started,) = rig.events("tool.started")
    waiting = rig.events("run.status")[-1]
    assert waiting["state"] == "waiting_input"
    assert waiting["question"] == {
        "id": started["tool_call_id"],
        "kind": "choice",
        "text": "Which file?",
        "choices": choices,
    }
    assert rig.owner.journal.due() == []
    rig.reborn()
    accepted = rig.send("b.csv")
    assert (accepted.run.id, accepted.run.question) == (run_id, None)
    assert rig.owner.journal.due() == [run_id]
    await rig.owner.loop.drive(run_id)
    *_, asked, answer = model.questions[1].history()
    assert isinstance(asked, AssistantTurn)
    assert [one.text for one in answered(asked)] == [ASKED]
    assert isinstance(answer, UserTurn)
    assert answer.text == "b.csv"
    assert rig.kinds()[-1] == "run.status:done"


async def test_calls_behind_a_question_are_not_made_and_the_model_is_told(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel(
        [WORK, asking("May I?", kind="approval"), CallPart("computer__exec", {"command": "rm -r ."})],
        [TextPart("Good.")],
        [TextPart("Good.")],
    )
    await rig.ask("clean up")
    assert [command for _, command in rig.computer.executed] == ["work"]
    assert rig.kinds()[-1] == "run.status:waiting_input"
    await rig.ask("no")
    assert [command for _, command in rig.computer.executed] == ["work"]
    turn = model.questions[1].history()[1]
    assert isinstance(turn, AssistantTurn)
    assert "Not made" in answered(turn)[2].text


async def test_a_message_written_before_the_question_answers_it_at_once(rig: OwnerRig) -> None:
    def meanwhile(_question: object) -> list[CallPart]:
        rig.send("b.csv, by the way")
        return [asking()]

    rig.model = model = ScriptedModel(meanwhile, [TextPart("b it is.")])
    await rig.ask("plot it")
    assert [turn.text for turn in model.questions[1].news] == ["b.csv, by the way"]
    assert "run.status:waiting_input" not in rig.kinds()


def test_a_question_that_was_stopped_is_over(rig: OwnerRig) -> None:
    run = rig.send("go").run
    rig.owner.record.write(lambda: rig.owner.journal.move(run.id, RunState.WAITING_INPUT))
    rig.owner.record.write(lambda: rig.owner.journal.move(run.id, RunState.STOPPED))
    assert rig.send("something else").run.id != run.id


TEXT, CHOICE = "x" * QUESTION_CHARACTERS_MAX, "x" * CHOICE_CHARACTERS_MAX
CHOICES = [f"{number}{CHOICE[1:]}" for number in range(QUESTION_CHOICES_MAX)]


@pytest.mark.parametrize(
    ("call", "waits"),
    [
        (asking(TEXT), True),
        (asking(TEXT + "x"), False),
        (asking(""), False),
        (asking(" \u200b\n"), False),
        (asking(kind="choice", choices=["a", "\u3000"]), False),
        (asking(kind="choice", choices=["a", " a\n"]), False),
        (asking(kind="choice", choices=CHOICES), True),
        (asking(kind="choice", choices=[CHOICE + "x"]), False),
        (asking(kind="choice", choices=[*CHOICES, "one more"]), False),
        (asking(kind="choice"), False),
        (asking(kind="file"), True),
        (asking(kind="file", choices=["a"]), False),
        (CallPart(ASK_OWNER, None, "{"), False),
    ],
)
async def test_a_question_that_cannot_be_put_is_answered_and_the_run_goes_on(
    rig: OwnerRig, call: CallPart, waits: bool
) -> None:
    rig.model = ScriptedModel([call], [TextPart("I see.")])
    await rig.ask("go")
    state = rig.events("run.status")[-1]["state"]
    (finished,) = rig.events("tool.finished")
    assert (state, finished["ok"]) == (("waiting_input", True) if waits else ("done", False))


async def test_asking_does_not_taint(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([asking()])
    row = rig.owner.journal.row(await rig.ask("go"))
    assert (row["tainted"], json.loads(row["taint"])) == (0, [])
