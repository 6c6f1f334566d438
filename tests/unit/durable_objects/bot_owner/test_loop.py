"""The run loop: from message to answer, and from every point where it may die."""

import asyncio
import json

import pytest

from contracts.api import MessageCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    ARTIFACTS_A_RUN,
    ATTEMPTS_A_ROUND,
    CALLS_A_ROUND,
    MESSAGE_CHARACTERS_MAX,
    ROUNDS_A_RUN,
)
from contracts.states import Locale, RunState
from durable_objects.bot_owner.conversation import AssistantTurn, UserTurn
from durable_objects.bot_owner.models.manual import ManualModel
from durable_objects.bot_owner.models.manual_words import HELP
from durable_objects.bot_owner.models.protocol import CallPart, ModelError, TextPart
from durable_objects.bot_owner.plan import Prompt
from durable_objects.bot_owner.prompts import PROMPTS
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel


def run_call(command: str) -> CallPart:
    return CallPart("computer__exec", {"command": command})


async def test_an_answer_without_calls_ends_the_run(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("Hel"), TextPart("lo")])
    await rig.ask("hi")
    assert rig.kinds() == [
        "message.created",
        "run.status:running",
        "message.created",
        "run.status:done",
    ]
    assert rig.events("message.created")[1]["text"] == "Hello"


async def test_calls_are_made_in_order_and_their_results_are_shown_to_the_model(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([run_call("a"), run_call("b")], [TextPart("done")])
    await rig.ask("go")
    assert [command for _, command in rig.computer.executed] == ["a", "b"]
    user, assistant, *_ = model.questions[1].history()
    assert isinstance(user, UserTurn)
    assert isinstance(assistant, AssistantTurn)
    assert [call.arguments["command"] for call in assistant.calls] == ["a", "b"]
    assert all("ran " in result.text for result in assistant.results.values())


async def test_output_stands_in_an_envelope_with_a_nonce_of_its_own(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([run_call("a"), run_call("b")], [])
    await rig.ask("go")
    turn = model.questions[1].history()[1]
    assert isinstance(turn, AssistantTurn)
    nonces = {event["nonce"] for event in rig.events("tool.finished")}
    assert len(nonces) == 2
    for result, nonce in zip(
        turn.results.values(), [e["nonce"] for e in rig.events("tool.finished")], strict=True
    ):
        assert result.text.endswith(f"</computer-output {nonce}>")
        assert f"<computer-output {nonce}>" in result.text


async def test_the_run_is_tainted_before_the_tool_starts_and_even_if_it_fails(rig: OwnerRig) -> None:
    rig.computer.error = BerthError(ErrorCode.COMPUTER_UNAVAILABLE, "No computer.")
    rig.model = ScriptedModel([run_call("a")], [TextPart("sorry")])
    run_id = await rig.ask("go")
    assert rig.owner.journal.row(run_id)["tainted"] == 1
    (finished,) = rig.events("tool.finished")
    assert (finished["ok"], finished["error"]["code"]) == (False, "computer_unavailable")
    assert rig.kinds()[-1] == "run.status:done"


async def test_a_run_without_tools_is_not_tainted(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("hi")])
    assert rig.owner.journal.row(await rig.ask("hi"))["tainted"] == 0


async def test_reading_a_file_taints_too(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([CallPart("computer__read_file", {"path": "a.txt"})], [])
    assert rig.owner.journal.row(await rig.ask("go"))["tainted"] == 1


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (CallPart("computer__exec", {"command": ""}), "invalid_request"),
        (CallPart("computer__exec", {"command": "x", "timeout_s": 601}), "invalid_request"),
        (CallPart("computer__exec", {"command": "x", "timeout_s": 0}), "invalid_request"),
        (CallPart("computer__exec", {"command": "x", "cwd": "/"}), "invalid_request"),
        (CallPart("computer__exec", None, "not json"), "invalid_request"),
        (CallPart("rm_rf", {}), "not_found"),
    ],
)
async def test_a_call_that_is_not_right_is_answered_and_not_made(
    rig: OwnerRig, call: CallPart, code: str
) -> None:
    rig.model = ScriptedModel([call], [TextPart("I see")])
    await rig.ask("go")
    (finished,) = rig.events("tool.finished")
    assert finished["error"]["code"] == code
    assert rig.computer.executed == []
    assert rig.kinds()[-1] == "run.status:done"


async def test_a_timeout_at_the_limit_is_taken(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([CallPart("computer__exec", {"command": "x", "timeout_s": 600})], [])
    await rig.ask("go")
    assert [command for _, command in rig.computer.executed] == ["x"]


async def test_death_in_the_middle_of_an_answer_asks_again_with_the_same_news(rig: OwnerRig) -> None:
    rig.model = ScriptedModel(asyncio.CancelledError())
    run_id = rig.send("question").run.id
    with pytest.raises(asyncio.CancelledError):
        await rig.owner.loop.drive(run_id)
    rig.reborn()
    rig.model = model = ScriptedModel([TextPart("answer")])
    assert rig.owner.journal.due() == [run_id]
    await rig.owner.loop.drive(run_id)
    assert [turn.text for turn in model.questions[0].news] == ["question"]
    assert rig.kinds()[-2:] == ["message.created", "run.status:done"]


async def test_death_in_the_middle_of_a_command_looks_it_up_by_its_id(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([run_call("slow")], [TextPart("done")])
    run_id = rig.send("go").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    driving.cancel()
    rig.reborn()
    rig.computer.hold = None
    await rig.owner.loop.drive(run_id)
    assert len({command_id for command_id, _ in rig.computer.executed}) == 1
    assert len(rig.events("tool.started")) == len(rig.events("tool.finished")) == 1
    assert rig.kinds()[-1] == "run.status:done"


async def test_calls_of_one_answer_at_the_limit_and_one_past_it(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([run_call(str(n)) for n in range(CALLS_A_ROUND)], [])
    await rig.ask("many")
    assert len(rig.computer.executed) == CALLS_A_ROUND
    rig.model = ScriptedModel([run_call(str(n)) for n in range(CALLS_A_ROUND + 1)], [])
    await rig.ask("too many")
    assert len(rig.computer.executed) == CALLS_A_ROUND
    assert rig.events("run.status")[-1]["error"]["code"] == "model_unavailable"


async def test_an_answer_that_kills_us_every_time_is_given_up(rig: OwnerRig) -> None:
    run_id = rig.send("poison").run.id
    for _ in range(ATTEMPTS_A_ROUND):
        rig.model = ScriptedModel(asyncio.CancelledError())
        with pytest.raises(asyncio.CancelledError):
            await rig.owner.loop.drive(run_id)
        rig.reborn()
    rig.model = model = ScriptedModel([TextPart("never")])
    await rig.owner.loop.drive(run_id)
    assert model.questions == []
    assert rig.events("run.status")[-1]["state"] == "failed"


async def test_a_model_that_had_not_begun_is_asked_again(
    rig: OwnerRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", pause)
    rig.model = ScriptedModel(
        ModelError("model_broke", retry_after_s=2),
        ModelError("model_broke", retry_after_s=1),
        [TextPart("ok")],
    )
    await rig.ask("hi")
    assert pauses == [2, 2]
    assert rig.events("message.created")[1]["text"] == "ok"


async def test_a_model_that_broke_off_is_not_asked_again(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel(
        ModelError("model_broke", started=True, retry_after_s=1), [TextPart("no")]
    )
    await rig.ask("hi")
    assert len(model.questions) == 1
    (status,) = (e for e in rig.events("run.status") if e["state"] == "failed")
    assert status["error"]["code"] == "model_unavailable"


async def test_rounds_at_the_limit_wait_for_input_and_the_next_message_resumes_that_run(
    rig: OwnerRig,
) -> None:
    rig.model = model = ScriptedModel(
        *([run_call("again")] for _ in range(ROUNDS_A_RUN)),
        [TextPart("Half is done."), run_call("one past the limit")],
        *([run_call("again")] for _ in range(5)),
        [TextPart("Done.")],
    )
    run_id = await rig.ask("loop")
    row = rig.owner.journal.row(run_id)
    assert (row["state"], row["reason"]) == (RunState.WAITING_INPUT, "rounds_exhausted")
    assert json.loads(row["question"])["kind"] == "continue"
    assert len(rig.computer.executed) == ROUNDS_A_RUN
    assert rig.events("message.created")[-1]["text"] == "Half is done."
    request = model.questions[-1].history()[-1]
    assert isinstance(request, UserTurn)
    assert request.full_text == PROMPTS[Prompt.REPORT]
    assert await rig.ask("go on") == run_id
    assert len(rig.computer.executed) == ROUNDS_A_RUN + 5
    assert rig.kinds()[-1] == "run.status:done"


async def test_a_message_sent_during_a_run_is_seen_by_it(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = model = ScriptedModel([run_call("slow")], [TextPart("both")])
    run_id = rig.send("first").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    assert rig.send("second").run.id == run_id
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert [turn.text for turn in model.questions[1].news] == ["second"]


async def test_a_stopped_run_ends_as_stopped_and_makes_no_more_calls(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([run_call("one"), run_call("two")], [TextPart("never")])
    run_id = rig.send("go").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    rig.owner.journal.ask_stop(run_id)
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert [command for _, command in rig.computer.executed] == ["one"]
    assert rig.kinds()[-1] == "run.status:stopped"


async def test_a_run_stopped_around_a_death_takes_its_command_with_it(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([run_call("slow")], [])
    run_id = rig.send("go").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    driving.cancel()
    rig.reborn()
    rig.owner.journal.ask_stop(run_id)
    await rig.owner.loop.drive(run_id)
    assert rig.computer.stopped == [rig.computer.executed[0][0]]
    assert rig.kinds()[-1] == "run.status:stopped"


async def test_a_run_that_has_ended_stays_ended(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([TextPart("one")], [TextPart("two")])
    run_id = await rig.ask("hi")
    rig.send("news")
    await rig.owner.loop.drive(run_id)
    assert len(model.questions) == 1


async def test_a_deleted_thread_has_its_run_stopped(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([run_call("slow")], [TextPart("x")])
    run_id = rig.send("go").run.id
    driving = asyncio.ensure_future(rig.owner.loop.drive(run_id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    rig.owner.removals.hide(rig.thread.id)
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert rig.owner.journal.row(run_id)["state"] == RunState.STOPPED
    assert rig.owner.journal.due() == []


async def test_exports_at_the_limit_of_a_run_and_one_past_it(rig: OwnerRig) -> None:
    calls = [CallPart("computer__export_artifact", {"path": f"{n}.csv"}) for n in range(ARTIFACTS_A_RUN + 1)]
    rig.model = ScriptedModel(calls, [])
    await rig.ask("export")
    finished = rig.events("tool.finished")
    assert [event["ok"] for event in finished] == [True] * ARTIFACTS_A_RUN + [False]
    assert finished[-1]["error"]["code"] == "artifact_limit"
    assert len(rig.events("artifact.created")) == ARTIFACTS_A_RUN


async def test_uploads_are_delivered_before_the_first_call_and_once(rig: OwnerRig) -> None:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "数据.csv", "text/csv", 3)
    rig.model = ScriptedModel([run_call("a"), run_call("b")], [])
    await rig.ask("look", upload_id)
    assert rig.computer.delivered == [upload_id]
    (notice,) = rig.notices("uploads_delivered")
    assert notice["uploads"][0]["path"] == "/workspace/uploads/数据.csv"


async def test_the_manual_model_reads_the_longest_message_whole(rig: OwnerRig) -> None:
    rig.model = ManualModel()
    text = "$ " + "x" * (MESSAGE_CHARACTERS_MAX - 2)
    await rig.ask(text)
    assert [command for _, command in rig.computer.executed] == [text[2:]]


async def test_a_full_workspace_lets_calls_through_and_uploads_wait_until_there_is_room(
    rig: OwnerRig,
) -> None:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "a.csv", "text/csv", 3)
    rig.computer.full = True
    rig.model = ScriptedModel([run_call("rm large"), run_call("ls")], [])
    await rig.ask("look", upload_id)
    assert [event["ok"] for event in rig.events("tool.finished")] == [True, True]
    assert len(rig.notices("uploads_waiting")) == 1
    assert rig.notices("uploads_delivered") == []
    rig.computer.full = False
    rig.model = ScriptedModel([run_call("ls")], [])
    await rig.ask("again")
    assert rig.computer.delivered == [upload_id]
    assert len(rig.notices("uploads_waiting")) == len(rig.notices("uploads_delivered")) == 1


async def test_the_manual_model_runs_lines_and_explains_itself(rig: OwnerRig) -> None:
    rig.model = ManualModel()
    await rig.ask("$ one\n$ two")
    await rig.ask("hello?")
    assert [command for _, command in rig.computer.executed] == ["one", "two"]
    assert "no model" in rig.events("message.created")[-1]["text"]


async def test_an_answer_is_in_the_language_of_the_page_that_asked_it(rig: OwnerRig) -> None:
    rig.model = ManualModel()
    rig.owner.catalog.set_setting("locale", Locale.TRADITIONAL_CHINESE)

    async def answered(client_id: str, locale: Locale | None) -> str:
        wanted = MessageCreate(client_id=client_id, text="hello?", locale=locale)
        await rig.owner.loop.drive(rig.owner.inbox.accept(rig.thread.id, wanted).run.id)
        return str(rig.events("message.created")[-1]["text"])

    assert await answered("page-0001", Locale.SIMPLIFIED_CHINESE) == HELP["zh-Hans"]
    # A program says none: then it is the owner's.
    assert await answered("program-0001", None) == HELP["zh-Hant"]
