"""The window onto a long thread: it always fits, keeps what is asked, and moves rarely."""

import json
from typing import Any, ClassVar

import pytest

from contracts.api import BranchCreate
from contracts.errors import ErrorCode
from contracts.limits import CALLS_A_ROUND, PURGE_SECONDS, WINDOW_TOKENS, WINDOW_TOKENS_MIN
from contracts.records import CommandResult
from contracts.states import CommandState
from durable_objects.bot_owner.conversation import AssistantTurn, Turn, UserTurn, answered, bounded, weight
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    Question,
    TextPart,
)
from durable_objects.bot_owner.prompts import LEFT_OUT, SUMMARISED, SUMMARY_SYSTEM
from durable_objects.bot_owner.window import model_name
from tests.unit.durable_objects.bot_owner.rig import FakeComputer, OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

BUDGET = 4_000


class Wordy(FakeComputer):
    """A computer whose commands print as many characters as they ask for."""

    async def exec(self, command_id: str, arguments: Any, caller: Any, on_output: Any) -> CommandResult:
        return CommandResult(
            id=command_id,
            state=CommandState.EXITED,
            exit_code=0,
            duration_ms=1,
            output="o" * int(arguments.command),
            cut_characters=1,
            log_path=f"/workspace/.berth/logs/{command_id}.log",
        )


class Bot(ScriptedModel):
    """Prints `size` characters for each message, and summarises when it is asked to."""

    def __init__(self, size: int, rounds: int = 1) -> None:
        super().__init__()
        self.size, self.rounds, self.left = size, rounds, 0
        self.sent: list[list[Turn]] = []
        self.summarised: list[str] = []
        self.fails = False

    async def answer(self, question: Question) -> Any:
        if question.system == SUMMARY_SYSTEM:
            self.summarised.append(question.news[0].text)
            if self.fails:
                raise ModelError("model_broke")
            yield TextPart("They counted.")
            return
        history = question.history()
        self.sent.append(history)
        if question.news:
            self.left = self.rounds
        self.left -= 1
        if self.left >= 0:
            yield CallPart("computer__exec", {"command": str(self.size)})
        else:
            yield TextPart("Counted.")


@pytest.fixture
def small(rig: OwnerRig) -> OwnerRig:
    rig.computer = Wordy()
    rig.reborn()
    rig.context.sql.run("INSERT INTO model_windows VALUES (?, ?)", named(rig), BUDGET)
    return rig


def named(rig: OwnerRig) -> str:
    return model_name(rig.owner.catalog.bot_row(rig.bot.id))


def cost(history: list[Turn]) -> int:
    return sum(map(weight, history))


async def test_results_are_shortened_first_and_say_how_to_have_them_whole(small: OwnerRig) -> None:
    small.model = bot = Bot(2_900)
    for number in range(4):
        await small.ask(f"message {number}")
    assert all(cost(history) <= BUDGET for history in bot.sent)
    assert bot.summarised == []
    last = bot.sent[-1]
    assert [turn.text for turn in last if isinstance(turn, UserTurn) and turn.text] == [
        f"message {number}" for number in range(4)
    ]
    first, *_, newest = [answered(t)[0].text for t in last if isinstance(t, AssistantTurn) and t.calls]
    call_id = small.events("tool.started")[0]["tool_call_id"]
    assert first.endswith(
        f"(Shortened, as it is older. The whole output is in /workspace/.berth/logs/{call_id}.log.)"
    )
    assert "characters left out" in first
    assert "o" * 2_900 in newest
    assert small.events("tool.finished")[0]["text"] == "o" * 2_900


async def test_older_turns_are_summarised_and_the_thread_always_fits(small: OwnerRig) -> None:
    small.model = bot = Bot(2_900)
    for number in range(60):
        await small.ask(f"message {number} " + "x" * 200)
    assert all(cost(history) <= BUDGET for history in bot.sent)
    assert len(bot.summarised) >= 2
    opening, kept, *_ = bot.sent[-1]
    assert isinstance(opening, UserTurn)
    assert opening.full_text == f"{SUMMARISED}\nThey counted."
    assert isinstance(kept, UserTurn)
    # What was summarised once is part of the next summary.
    assert "They counted." in bot.summarised[1]
    assert "PERSON: message 0" in bot.summarised[0]
    assert len(small.events("message.created")) > 60


async def test_what_was_sent_stays_the_beginning_of_what_is_sent_until_a_mark_moves(small: OwnerRig) -> None:
    small.model = bot = Bot(1_500)
    for number in range(40):
        await small.ask(f"message {number}")
    kept = sum(later[: len(before)] == before for before, later in zip(bot.sent, bot.sent[1:], strict=False))
    assert kept >= 0.75 * (len(bot.sent) - 1)


async def test_one_run_with_many_rounds_keeps_the_persons_words(small: OwnerRig) -> None:
    small.model = bot = Bot(2_900, rounds=35)
    await small.ask("count to the end")
    assert all(cost(history) <= BUDGET for history in bot.sent)
    assert len(bot.summarised) >= 1
    for history in bot.sent:
        assert "count to the end" in [turn.text for turn in history if isinstance(turn, UserTurn)]


async def test_a_message_that_waited_while_its_place_was_summarised_is_read_when_its_run_begins(
    small: OwnerRig,
) -> None:
    small.model = bot = Bot(2_900, rounds=35)
    run_id = small.send("count to the end").run.id
    queued = small.send("and then this", during="queue").run.id
    await small.owner.loop.drive(run_id)
    assert bot.summarised
    assert all("and then this" not in str(history) for history in bot.sent)
    before = len(bot.sent)
    await small.owner.loop.drive(queued)
    for history in bot.sent[before:]:
        assert "and then this" in [turn.text for turn in history if isinstance(turn, UserTurn)]


async def test_a_branch_keeps_the_persons_words_at_its_mark_when_the_other_thread_is_gone(
    small: OwnerRig, clock: Clock
) -> None:
    small.model = bot = Bot(2_900, rounds=35)
    run_id = small.send("count to the end").run.id
    small.send("and then this", during="queue")
    await small.owner.loop.drive(run_id)
    small.model = Bot(10)
    while due := small.owner.journal.due():
        await small.owner.loop.drive(due[0])
    await small.ask("the last")
    seq = next(e["seq"] for e in small.events("message.created") if e["text"] == "the last")
    made = small.owner.branches.make(small.thread.id, BranchCreate(client_id="branch-0001", seq=seq))
    small.owner.removals.hide(small.thread.id)
    clock.pass_seconds(PURGE_SECONDS)
    await small.owner.removals.sweep()
    small.model = bot = Bot(10)
    await small.owner.loop.drive(made.accepted.run.id)
    told = [turn.text for turn in bot.sent[-1] if isinstance(turn, UserTurn) and turn.text]
    assert told == ["count to the end", "and then this", "the last"]


async def test_a_summary_that_fails_fails_the_run_and_is_made_next_time(small: OwnerRig) -> None:
    small.model = bot = Bot(10, rounds=1)
    for _ in range(20):
        await small.ask("y" * 500)
    bot.fails = True
    for _ in range(20):
        await small.ask("y" * 500)
    assert small.events("run.status")[-1]["error"]["code"] == "model_unavailable"
    bot.fails = False
    await small.ask("again")
    assert small.kinds()[-1] == "run.status:done"
    assert cost(bot.sent[-1]) <= BUDGET


async def test_a_summary_without_a_word_leaves_the_old_out_and_says_so(small: OwnerRig) -> None:
    class Silent(Bot):
        async def answer(self, question: Question) -> Any:
            if question.system != SUMMARY_SYSTEM:
                async for part in super().answer(question):
                    yield part

    small.model = bot = Silent(10)
    for _ in range(40):
        await small.ask("y" * 500)
    opening = bot.sent[-1][0]
    assert isinstance(opening, UserTurn)
    assert opening.full_text == LEFT_OUT


async def test_a_model_that_takes_less_is_sent_less_from_then_on(rig: OwnerRig) -> None:
    class Little(ScriptedModel):
        sent: ClassVar[list[int]] = []

        async def answer(self, question: Question) -> Any:
            self.sent.append(cost(question.history()))
            if self.sent[-1] > 30_000:
                raise ModelError("model_broke", code=ErrorCode.MODEL_CONTEXT_FULL)
            yield TextPart("Well.")

    rig.model = Little()
    await rig.ask("z" * 300_000)
    assert rig.kinds()[-1] == "run.status:done"
    assert len(Little.sent) == 2
    assert rig.reborn().loop._windows.budget(named(rig)) == WINDOW_TOKENS // 2


def test_the_same_name_is_another_model_at_another_provider_or_address() -> None:
    one = {"provider": "openai", "base_url": "", "model": "m"}
    others = [one | {"provider": "anthropic"}, one | {"base_url": "https://a.example"}, one | {"model": "n"}]
    assert len({model_name(bot) for bot in (one, *others)}) == 4
    assert model_name(one) == model_name({**one, "name": "Another bot"})


async def test_what_goes_along_for_the_provider_counts(small: OwnerRig) -> None:
    """Reasoning that is sealed is sent again with its round, so the window has less room for the rest."""
    kept = json.dumps({"owner": " ", "items": [{"sealed": "x" * 6_000}]})
    answers: list[list[Part]] = [[TextPart("An answer."), EndPart(kept=kept)] for _ in range(12)]
    small.model = model = ScriptedModel(*answers)
    for number in range(4):
        await small.ask(f"message {number}")
    history = model.questions[-1].history()
    assert [turn.kept_bytes for turn in history if isinstance(turn, AssistantTurn)] == [
        min(len(kept), BUDGET // 4 * 3)
    ] * 3
    for number in range(4, 8):
        await small.ask(f"message {number}")
    assert all(cost(question.history()) <= BUDGET for question in model.questions)


async def test_a_summary_that_is_too_much_to_ask_for_is_asked_with_less(small: OwnerRig) -> None:
    small.context.sql.run("UPDATE model_windows SET tokens = ?", WINDOW_TOKENS_MIN * 2)

    class Little(Bot):
        async def answer(self, question: Question) -> Any:
            if question.system == SUMMARY_SYSTEM and len(question.news[0].text) > 3 * WINDOW_TOKENS_MIN:
                raise ModelError("model_broke", code=ErrorCode.MODEL_CONTEXT_FULL)
            async for part in super().answer(question):
                yield part

    small.model = bot = Little(3_000, rounds=6)
    for text in ("one", "two", "three"):
        await small.ask(text + "z" * 12_000)
        assert small.kinds()[-1] == "run.status:done"
    assert bot.summarised
    assert small.owner.loop._windows.budget(named(small)) == WINDOW_TOKENS_MIN


async def test_an_answer_that_was_too_much_in_its_middle_is_not_asked_for_again(rig: OwnerRig) -> None:
    class Begins(ScriptedModel):
        async def answer(self, question: Question) -> Any:
            self.questions.append(question)
            yield TextPart("Half of")
            raise ModelError("model_broke", code=ErrorCode.MODEL_CONTEXT_FULL, started=True)

    rig.model = model = Begins()
    await rig.ask("hi")
    assert len(model.questions) == 1
    assert rig.events("run.status")[-1]["error"]["code"] == "model_context_full"


async def test_a_model_is_asked_down_to_the_limit_and_not_below_it(rig: OwnerRig) -> None:
    rig.model = model = ScriptedModel(
        *(ModelError("model_broke", code=ErrorCode.MODEL_CONTEXT_FULL) for _ in range(9))
    )
    await rig.ask("hi")
    tokens = [WINDOW_TOKENS // 2**n for n in range(9)]
    assert len(model.questions) == sum(count >= WINDOW_TOKENS_MIN for count in tokens)
    assert rig.kinds()[-1] == "run.status:failed"


@pytest.mark.parametrize("text", ["z" * 400_000, "数" * 400_000])
async def test_one_message_over_the_budget_is_sent_by_its_ends(small: OwnerRig, text: str) -> None:
    small.model = bot = Bot(10)
    await small.ask(text)
    assert cost(bot.sent[-1]) <= BUDGET
    assert small.events("message.created")[0]["text"] == text


async def test_the_largest_results_of_one_round_fit(rig: OwnerRig) -> None:
    rig.computer = Wordy()
    rig.reborn()
    calls = [CallPart("computer__exec", {"command": "80000"}) for _ in range(CALLS_A_ROUND)]

    def look(question: Question) -> list[Part]:
        assert cost(question.history()) <= WINDOW_TOKENS
        return [TextPart("Seen.")]

    rig.model = ScriptedModel(calls, look, look)
    await rig.ask("read everything")
    assert rig.kinds()[-1] == "run.status:done"


@pytest.mark.parametrize(("text", "whole"), [("a" * 300, True), ("a" * 297 + "数", True), ("a" * 303, False)])
def test_a_text_at_the_limit_is_whole_and_one_past_it_is_not(text: str, whole: bool) -> None:
    assert (bounded(text, 101) == text) is whole
