"""An export as Markdown and JSON: whole, fenced, and cut with a word at its limit."""

import json
import re

import pytest

from contracts.api import BranchCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import PURGE_SECONDS
from contracts.reasons import Why
from contracts.states import Locale
from contracts.tools import ASK_OWNER
from durable_objects.bot_owner.export import ENDINGS, MEDIA_TYPES, Kind, fenced, pieces
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, ModelError, TextPart
from durable_objects.bot_owner.record import event_text
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

HOSTILE = "```\n## You, 2026-01-01 00:00 UTC\n````\n<script>alert(1)</script> ![x](http://evil.test/) \u202e"


def exported(rig: OwnerRig, kind: Kind, locale: str = Locale.ENGLISH, **limit: int) -> str:
    thread = rig.owner.catalog.thread(rig.thread.id)
    return "".join(pieces(kind, thread, rig.bot.name, locale, rig.owner.record.all(thread.id), **limit))


def outside(text: str) -> str:
    """What stands outside of every fence."""
    return re.sub(r"^(`{3,})[a-z]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", ["", "a", "```", "`````\n```", "a\n"])
def test_a_fence_is_longer_than_what_it_holds(text: str) -> None:
    first, *inner, last = fenced(text).rstrip("\n").split("\n")
    assert first == last
    assert "\n".join(inner) == text.rstrip("\n")
    assert first not in inner


async def test_nothing_from_the_thread_is_markdown(rig: OwnerRig) -> None:
    rig.model = ScriptedModel(
        [TextPart(HOSTILE), CallPart("computer__exec", {"command": HOSTILE}), EndPart()],
        [TextPart("done"), EndPart()],
        [TextPart("seen"), EndPart()],
    )
    await rig.ask(HOSTILE)
    text = exported(rig, "markdown")
    assert "evil" in text
    for mark in ("evil", "script", "2026-01-01", "\u202e"):
        assert mark not in outside(text)
    assert outside(text).count("## You,") == 1
    assert outside(text).count("## `Data`,") == 3
    assert text.endswith("---\n\nEnd of the export.\n")


async def test_json_has_every_event_as_it_is(rig: OwnerRig) -> None:
    await rig.ask("hello")
    whole = json.loads(exported(rig, "json"))
    rows = list(rig.owner.record.all(rig.thread.id))
    assert whole["events"] == [json.loads(event_text(row)) for row in rows]
    assert (whole["format"], whole["bot"], whole["complete"]) == ("berth.thread", "Data", True)
    assert whole["thread"]["id"] == rig.thread.id


async def test_an_empty_thread_is_a_whole_export(rig: OwnerRig) -> None:
    assert json.loads(exported(rig, "json"))["events"] == []
    assert exported(rig, "markdown").endswith("End of the export.\n")


async def test_past_its_limit_an_export_ends_with_a_word(rig: OwnerRig) -> None:
    rig.send("hello")
    rows = list(rig.owner.record.all(rig.thread.id))
    size = sum(len(event_text(row).encode()) for row in rows)
    assert json.loads(exported(rig, "json", limit=size))["complete"] is True
    cut = json.loads(exported(rig, "json", limit=size - 1))
    assert (cut["complete"], len(cut["events"])) == (False, len(rows) - 1)
    assert "longer than an export may be" in exported(rig, "markdown", limit=10)


async def test_how_a_run_ended_is_told_where_nothing_else_says_it(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("fine")])
    await rig.ask("one")
    assert "The run" not in exported(rig, "markdown")
    rig.model = ScriptedModel(
        ModelError(Why("model_stopped_with", sentence=HOSTILE)), [CallPart(ASK_OWNER, {"question": "Which?"})]
    )
    await rig.ask("two")
    await rig.owner.stopper.stop(rig.owner.journal.row(rig.send("three").run.id))
    await rig.ask("four")
    text = exported(rig, "markdown")
    assert outside(text).count("### The run failed\n") == 1
    assert "evil" in text
    assert "evil" not in outside(text)
    assert text.count("- The run was stopped.\n") == 1
    wanted = BranchCreate(client_id="branch-0001", seq=rig.send("this").seq)
    made = rig.owner.branches.make(rig.thread.id, wanted).thread
    branch = "".join(pieces("markdown", made, "Data", Locale.ENGLISH, rig.owner.record.all(made.id)))
    assert branch.count("- The run was stopped.\n") == 1


@pytest.mark.parametrize("kind", ["markdown", "json"])
async def test_an_export_of_a_thread_that_is_removed_meanwhile_does_not_look_whole(
    rig: OwnerRig, clock: Clock, kind: Kind
) -> None:
    for number in range(10):
        await rig.ask(f"hello {number}")
    thread = rig.owner.catalog.thread(rig.thread.id)
    rows = rig.owner.record.all(thread.id, until=thread.head_seq)
    slow = pieces(kind, thread, "Data", Locale.ENGLISH, rows)
    got = [next(slow), next(slow)]
    rig.owner.removals.hide(thread.id)
    clock.pass_seconds(PURGE_SECONDS)
    await rig.owner.removals.sweep()
    with pytest.raises(BerthError) as refused:
        got.extend(slow)
    assert refused.value.code == ErrorCode.NOT_FOUND
    assert "hello 0" in "".join(got)


def test_names_of_files_stand_on_one_line(rig: OwnerRig) -> None:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "a`b](x).csv", "text/csv", 3)
    rig.send("", upload_id)
    assert "- Attached: `a'b](x).csv`\n" in exported(rig, "markdown")


@pytest.mark.parametrize(("locale", "who"), [("zh-Hans", "你"), ("zh-Hant", "你"), ("en", "You")])
def test_berths_own_words_are_in_the_persons_language(rig: OwnerRig, locale: str, who: str) -> None:
    rig.send("hello")
    assert f"## {who}, " in exported(rig, "markdown", locale)


def test_every_kind_has_a_type_and_an_ending() -> None:
    assert MEDIA_TYPES.keys() == ENDINGS.keys()
