"""An answer as it comes: what is shown live, what is left at the end, and what of it has a limit."""

from typing import Any

import pytest

from contracts.api import BotChange, ModelChoice, RecordedAnswer, RecordedCall
from contracts.errors import ErrorCode
from contracts.limits import MESSAGE_BYTES_MAX, MESSAGE_CHARACTERS_MAX, REASONING_CHARACTERS, ROUNDS_A_RUN
from contracts.records import Record, Usage
from contracts.states import Provider
from durable_objects.bot_owner.answer import Answer
from durable_objects.bot_owner.models.choose import Means, model_of
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    ReasoningPart,
    TextPart,
)
from durable_objects.bot_owner.plan import Prompt
from durable_objects.bot_owner.window import model_name
from tests.unit.durable_objects.bot_owner.models.wired import Server, now_ms
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel


def answer(*parts: Part) -> tuple[Answer, list[dict[str, Any]]]:
    frames: list[dict[str, Any]] = []

    def live(thread_id: str, frame: Record) -> None:
        frames.append(frame.model_dump(mode="json"))

    made = Answer(live, {"id": "run_1", "thread_id": "thr_1"}, ("msg_1", "rsn_1"), 1)
    for part in parts:
        made.add(part)
    return made, frames


def test_text_and_reasoning_are_shown_each_under_its_own_id() -> None:
    made, frames = answer(ReasoningPart("hm"), ReasoningPart("m"), TextPart("a"), TextPart("b"))
    made.finished()
    assert (made.reasoning, made.text) == ("hmm", "ab")
    shown = [(f["type"], f["data"]["message_id"], f["data"]["offset"], f["data"]["text"]) for f in frames]
    assert shown == [
        ("reasoning.delta", "rsn_1", 0, "hm"),
        ("reasoning.delta", "rsn_1", 2, "m"),
        ("part.delta", "msg_1", 0, "a"),
        ("part.delta", "msg_1", 1, "b"),
    ]


@pytest.mark.parametrize(
    ("stop", "code"), [("length", ErrorCode.MODEL_UNAVAILABLE), ("declined", ErrorCode.MODEL_DECLINED)]
)
def test_an_answer_that_ended_otherwise_without_a_word_is_an_error(stop: Any, code: ErrorCode) -> None:
    for parts in ([], [ReasoningPart("hm")]):
        made, _ = answer(*parts, EndPart(stop))
        with pytest.raises(ModelError) as caught:
            made.finished()
        assert (caught.value.code, caught.value.may_retry) == (code, False)
    for part in (TextPart("half"), CallPart("t", None, "{")):
        made, _ = answer(part, EndPart(stop))
        made.finished()
        assert made.end.stop == stop


def test_an_answer_that_is_broken_off_makes_no_call() -> None:
    made, _ = answer(ReasoningPart("hm"), TextPart("half"), CallPart("t", {}))
    made.broken_off()
    assert (made.reasoning, made.text, made.calls) == ("hm", "half", [])


def test_blank_text_is_no_text_and_yet_a_beginning() -> None:
    made, _ = answer(TextPart(" \u200b\n"))
    assert (made.text, made.begun) == ("", True)
    made.add(TextPart("x"))
    assert made.text == " \u200b\nx"


def test_a_text_may_be_as_long_as_a_message_and_what_is_longer_is_cut_and_says_so() -> None:
    most = MESSAGE_CHARACTERS_MAX - 1
    made, frames = answer(TextPart("x" * most), TextPart("y"), EndPart())
    made.finished()
    assert (made.text, made.end.stop) == ("x" * most + "y", "done")
    made.add(TextPart("z"))
    made.finished()
    assert (made.text, made.end.stop) == ("x" * most + "y", "length")
    assert "".join(frame["data"]["text"] for frame in frames) == made.text


def test_a_text_of_signs_that_take_six_bytes_is_cut_at_what_a_row_holds() -> None:
    piece = "\0" * 1_000
    made, _ = answer(TextPart("a"), *[TextPart(piece)] * 400, TextPart("b"), EndPart())
    made.finished()
    assert made.text == "a" + piece * ((MESSAGE_BYTES_MAX - 1) // 6_000)
    assert made.end.stop == "length"


async def test_a_run_that_only_thought_is_asked_for_an_answer(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel([ReasoningPart("hm")], [TextPart("so it is")])
    await rig.ask("go")
    assert len(rig.events("reasoning.created")) == 1
    assert rig.notices(Prompt.ANSWER)
    assert len(model.questions) == 2
    assert rig.kinds()[-1] == "run.status:done"


async def test_what_a_tainted_run_thinks_is_tainted(rig: OwnerRig) -> None:
    call = CallPart("computer__exec", {"command": "ls"})
    thought: list[Part] = [ReasoningPart("b"), TextPart("c")]
    rig.model = ScriptedModel([ReasoningPart("a"), call], thought, thought)
    await rig.ask("go")
    assert [event["tainted"] for event in rig.events("reasoning.created")] == [False, True, True]


def has_taken(rig: OwnerRig, tokens: int) -> None:
    """So much of a conversation and no more, as its model has shown before."""
    model = model_name(rig.owner.catalog.bot_row(rig.bot.id))
    rig.context.sql.run("INSERT INTO model_windows (model, tokens) VALUES (?, ?)", model, tokens)


async def test_the_tokens_of_a_summary_are_the_runs_too(rig: OwnerRig) -> None:
    has_taken(rig, 2_000)
    long = "word " * 1_000
    said: list[Part] = [TextPart(long), EndPart(usage=Usage(output=1))]
    rig.model = model = ScriptedModel(
        said, said, [TextPart("a summary"), EndPart(usage=Usage(output=10))], [TextPart("ok")]
    )
    for text in ("one", "two", "three"):
        await rig.ask(text)
    summary = next(asked for asked in model.questions if not asked.tools())
    assert (summary.thread_id, len(model.questions)) == ("", 4)
    assert rig.events("run.status")[-1]["usage"]["output"] == 10


async def test_reasoning_is_kept_up_to_its_limit(rig: OwnerRig) -> None:
    most = "x" * REASONING_CHARACTERS
    rig.model = ScriptedModel(
        [ReasoningPart(most), TextPart("a")], [ReasoningPart(most + "y"), TextPart("b")]
    )
    await rig.ask("one")
    await rig.ask("two")
    found = rig.events("reasoning.created")
    assert [(len(event["text"]), event["cut"]) for event in found] == [
        (REASONING_CHARACTERS, False),
        (REASONING_CHARACTERS, True),
    ]


async def test_usage_is_journalled_with_each_step_and_summed_for_the_run(rig: OwnerRig) -> None:
    first, second = Usage(input=10, output=2, cached=4), Usage(input=30, output=5, cache_written=1)
    rig.model = ScriptedModel(
        [
            CallPart("computer__exec", {"command": "ls"}),
            EndPart(usage=first, kept='{"owner": "m", "items": []}'),
        ],
        [TextPart("ok"), EndPart(usage=second)],
        [TextPart("ok, as I have seen")],
    )
    run_id = await rig.ask("go")
    steps = rig.context.sql.execute("SELECT usage FROM steps WHERE run_id = ? AND n = 0", run_id)
    assert [Usage.model_validate_json(step["usage"]) for step in steps if step["usage"]] == [first, second]
    assert (
        rig.events("run.status")[-1]["usage"]
        == Usage(input=40, output=7, cached=4, cache_written=1).model_dump()
    )
    assert rig.owner.journal.kept((run_id, 1)) == '{"owner": "m", "items": []}'
    assert rig.owner.journal.kept((run_id, 2)) == ""
    assert rig.owner.journal.kept((run_id, 9)) == ""


async def test_a_question_brings_the_conversation_and_what_was_kept(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel(
        [CallPart("computer__exec", {"command": "ls"}), EndPart(kept="kept")],
        [TextPart("ok")],
        [TextPart("ok, as I have seen")],
    )
    run_id = await rig.ask("go")
    assert model.questions[1].thread_id == rig.thread.id
    assert model.questions[1].kept((run_id, 1)) == "kept"


async def test_an_answer_that_was_cut_off_says_so(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("half"), EndPart("length")])
    await rig.ask("go")
    assert rig.events("message.created")[-1]["ended"] == "length"


@pytest.mark.parametrize("code", [ErrorCode.MODEL_THROTTLED, ErrorCode.MODEL_KEY_REFUSED])
async def test_a_failure_of_the_model_is_told_by_its_code(rig: OwnerRig, code: ErrorCode) -> None:
    rig.model = ScriptedModel(ModelError("model_broke", code=code, retry_after_s=900, told=True))
    await rig.ask("go")
    error = rig.events("run.status")[-1]["error"]
    assert (error["code"], error["message"], error["retry_after_s"]) == (
        code,
        "The connection to the model broke.",
        900,
    )


async def test_a_bots_own_number_of_rounds_counts_from_each_message(rig: OwnerRig) -> None:
    rig.owner.catalog.change_bot(rig.bot.id, BotChange(rounds=2))
    rig.model = ScriptedModel(*([CallPart("computer__exec", {"command": "x"})] for _ in range(ROUNDS_A_RUN)))
    run_id = await rig.ask("go")
    report = 1
    assert rig.owner.journal.row(run_id)["rounds"] == 2 + report
    rig.owner.catalog.change_bot(rig.bot.id, BotChange(rounds=3))
    assert await rig.ask("on") == run_id
    assert rig.owner.journal.row(run_id)["rounds"] == 2 + report + 3 + report


async def test_a_recorded_conversation_is_played_to_its_end(rig: OwnerRig) -> None:
    call = RecordedCall(tool="computer__exec", arguments={"command": "ls"})
    recording = [RecordedAnswer(text=text) for text in ("Done.", "Done, as I have seen.", "Once more.")]
    recording.insert(0, RecordedAnswer(text="I look.", calls=[call]))
    bot = rig.owner.catalog.change_bot(
        rig.bot.id, BotChange(model=ModelChoice(provider=Provider.SCRIPTED, recording=recording))
    )
    kept = rig.owner.catalog.change_bot(bot.id, BotChange(model=ModelChoice(provider=Provider.SCRIPTED)))
    assert kept.model.provider == Provider.SCRIPTED
    means = Means(Server(), None, now_ms)
    rig.model = model_of(rig.owner.catalog.bot_row(bot.id), means, rig.owner.keys.key_of)
    # However little of the thread a window would show, the recording goes on where it was.
    has_taken(rig, 1)
    await rig.ask("go")
    assert rig.kinds()[-4:] == ["message.created", "notice", "message.created", "run.status:done"]
    assert rig.events("message.created")[-1]["text"] == "Done, as I have seen."
    await rig.ask("on")
    assert rig.events("message.created")[-1]["text"] == "Once more."
    await rig.ask("more")
    assert rig.events("run.status")[-1]["error"]["message"] == "The recorded conversation is over."
