"""What a thread is called, by whom, and what of a model's answer becomes a title."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from contracts.api import ThreadCreate
from contracts.errors import ErrorCode
from contracts.limits import TITLE_CHARACTERS, TITLE_TRIES
from durable_objects.bot_owner import titles
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    Question,
    TextPart,
)
from durable_objects.bot_owner.prompts import TITLE_SYSTEM
from durable_objects.bot_owner.titles import first_line, title_of
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Weighing penguins", "Weighing penguins"),
        ("  “企鹅体重分析”。\n\nMore words", "企鹅体重分析"),
        ("**Penguins**\n", "Penguins"),
        ("# Penguins\u202e", "Penguins⟨U+202E⟩"),
        ("", ""),
        ("\n \n", ""),
        ('"', ""),
    ],
)
def test_a_title_is_one_plain_line(said: str, title: str) -> None:
    assert title_of(said) == title


def test_a_title_is_cut_past_its_limit() -> None:
    assert first_line("x" * TITLE_CHARACTERS) == "x" * TITLE_CHARACTERS
    assert first_line("x" * (TITLE_CHARACTERS + 1)) == "x" * (TITLE_CHARACTERS - 1) + "…"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What do **penguins** weigh?", "What do penguins weigh?"),
        ("Read `a.csv`, see [the page](https://example.org/x)", "Read a.csv, see the page"),
        ("2 ** 3 and 4 ** 5", "2 ** 3 and 4 ** 5"),
        ("my_long__name and __init__", "my_long__name and __init__"),
        ("$ ls **/*.py `pwd`", "$ ls **/*.py `pwd`"),
        ("/write a `b`", "/write a `b`"),
        ("**open", "**open"),
        ("[" * 5000 + "](", ("[" * (TITLE_CHARACTERS - 1)) + "…"),
    ],
)
def test_a_first_message_is_a_title_without_its_marks(text: str, title: str) -> None:
    assert first_line(text) == title


def answering(rig: OwnerRig, *answers: object) -> ScriptedModel:
    model = ScriptedModel(*answers)  # type: ignore[arg-type]
    rig.model = model
    return model


async def titled(rig: OwnerRig, run_id: str) -> str:
    """What the thread is called after the run, where a model was to name it."""
    if thread_id := rig.owner.titles.wanted(run_id):
        await rig.owner.titles.name(thread_id)
    return rig.owner.catalog.thread(rig.thread.id).title


async def test_the_model_names_a_thread_once(rig: OwnerRig) -> None:
    model = answering(rig, [TextPart("Yes."), EndPart()], [TextPart("Penguins"), EndPart()])
    run_id = await rig.ask("help me weigh penguins")
    assert rig.owner.catalog.thread(rig.thread.id).title == "help me weigh penguins"
    assert await titled(rig, run_id) == "Penguins"
    asked = model.questions[-1]
    assert (asked.system, asked.tools()) == (TITLE_SYSTEM, [])
    assert asked.news[0].text == "PERSON: help me weigh penguins\n\nBOT: Yes."
    assert rig.owner.titles.wanted(run_id) is None


async def test_a_persons_name_is_never_replaced(rig: OwnerRig) -> None:
    def renamed(_question: object) -> list[TextPart | EndPart]:
        rig.owner.titles.rename(rig.thread.id, "Mine")
        return [TextPart("Penguins"), EndPart()]

    answering(rig, [TextPart("Yes."), EndPart()], renamed)
    run_id = await rig.ask("help me")
    assert await titled(rig, run_id) == "Mine"
    assert rig.owner.titles.wanted(run_id) is None


async def test_a_title_given_with_the_thread_is_the_persons(rig: OwnerRig) -> None:
    answering(rig, [TextPart("Yes."), EndPart()])
    rig.thread = rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id, title="Given"))
    assert rig.owner.titles.wanted(await rig.ask("help me")) is None


async def test_a_model_that_fails_is_asked_after_later_runs_and_then_no_more(rig: OwnerRig) -> None:
    failure = ModelError("model_broke", code=ErrorCode.MODEL_UNAVAILABLE)
    answers = [answer for _ in range(TITLE_TRIES + 1) for answer in ([TextPart("Yes."), EndPart()], failure)]
    model = answering(rig, *answers)
    for number in range(TITLE_TRIES + 1):
        assert await titled(rig, await rig.ask(f"help {number}")) == "help 0"
        model.answers = model.answers[len(model.answers) % 2 :]
    asked = [question for question in model.questions if question.system == TITLE_SYSTEM]
    assert len(asked) == TITLE_TRIES


async def test_a_model_that_is_silent_is_given_up(rig: OwnerRig, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(ScriptedModel):
        async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
            self.questions.append(question)
            await asyncio.Event().wait()
            yield EndPart()

    answering(rig, [TextPart("Yes."), EndPart()])
    run_id = await rig.ask("help me")
    rig.model = silent = Silent()
    monkeypatch.setattr(titles, "TITLE_SECONDS", 0)
    assert await asyncio.wait_for(titled(rig, run_id), 60) == "help me"
    assert len(silent.questions) <= 1


async def test_calls_of_a_model_that_names_are_not_made(rig: OwnerRig) -> None:
    answering(rig, [TextPart("Yes."), EndPart()], [CallPart("computer__exec", {"command": "ls"}), EndPart()])
    assert await titled(rig, await rig.ask("help me")) == "help me"
    assert rig.computer.executed == []


async def test_a_deleted_thread_is_not_named(rig: OwnerRig) -> None:
    answering(rig, [TextPart("Yes."), EndPart()])
    run_id = await rig.ask("help me")
    rig.owner.removals.hide(rig.thread.id)
    assert rig.owner.titles.wanted(run_id) is None


async def test_without_a_model_the_first_message_is_the_title(rig: OwnerRig) -> None:
    model = answering(rig, [TextPart("Yes."), EndPart()])
    model.reads_history = False
    run_id = await rig.ask("help\n\nme")
    assert await titled(rig, run_id) == "help me"
    assert len(model.questions) == 1


async def test_a_first_message_that_hides_something_shows_it_in_the_title(rig: OwnerRig) -> None:
    rig.send("pay \u202eecila\u200b now\r\x0b\x1ctoday")
    title = rig.owner.catalog.thread(rig.thread.id).title
    assert title == "pay ⟨U+202E⟩ecila⟨U+200B⟩ now today"
