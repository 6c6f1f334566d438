"""What is removed by age: at the limit and not a moment before, in batches, and again after any death."""

import json

import pytest
from pydantic import ValidationError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import AGED_RESULT_CHARACTERS, RETENTION_DAYS, RETENTION_DAYS_MAX
from contracts.records import Retained, Retention, ToolFinish
from contracts.states import RunState
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.bot_owner.retention import AGAIN_MS, BATCH, DAY_MS, LATER_MS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

LONG = "x" * (AGED_RESULT_CHARACTERS + 1)
LIMIT_MS = RETENTION_DAYS * DAY_MS
PICTURE = CallPart("computer__read_file", {"path": "a.png"})


def rig_of(context: Context, *calls: CallPart) -> OwnerRig:
    return OwnerRig(context, ScriptedModel(list(calls), [TextPart("Done.")], [TextPart("Seen.")]))


def exec_call(text: str) -> CallPart:
    # The computer of these tests answers with the command and five characters more.
    return CallPart("computer__exec", {"command": text.removesuffix("12345")})


def finished(rig: OwnerRig) -> list[ToolFinish]:
    found = []
    for event in rig.events("tool.finished"):
        del event["seq"], event["type"]
        found.append(ToolFinish.model_validate(event))
    return found


async def test_a_result_is_shortened_at_its_age_and_not_a_moment_before(
    context: Context, clock: Clock
) -> None:
    rig = rig_of(context, exec_call(LONG))
    await rig.ask("go")
    (whole,) = finished(rig)
    clock.ms += LIMIT_MS - 1
    assert await rig.owner.keeping.sweep() == Retained()
    assert finished(rig) == [whole]
    assert rig.rings[-1] == clock.ms + AGAIN_MS
    clock.ms += 1
    assert await rig.owner.keeping.sweep() == Retained(results=1)
    (short,) = finished(rig)
    kept, _, note = short.text.rpartition("\n")
    assert kept == whole.text[:AGED_RESULT_CHARACTERS]
    assert note == (
        f"[Berth: {len(whole.text) - AGED_RESULT_CHARACTERS} more characters were removed by age,"
        f" after {RETENTION_DAYS} days.]"
    )
    assert short.command
    assert short.command.output == whole.text[:AGED_RESULT_CHARACTERS]
    # Once for good.
    assert await rig.owner.keeping.sweep() == Retained()
    assert finished(rig) == [short]


async def test_no_sign_in_a_result_keeps_it_from_its_age(context: Context, clock: Clock) -> None:
    rig = rig_of(context, exec_call("\0" + LONG))
    await rig.ask("go")
    clock.ms += LIMIT_MS
    assert await rig.owner.keeping.sweep() == Retained(results=1)


async def test_a_result_that_is_short_anyway_stays(context: Context, clock: Clock) -> None:
    rig = rig_of(context, exec_call("x" * (AGED_RESULT_CHARACTERS - 5)), exec_call("x" * 996))
    await rig.ask("go")
    before = finished(rig)
    assert [len(one.text) for one in before] == [AGED_RESULT_CHARACTERS, AGED_RESULT_CHARACTERS + 1]
    clock.ms += LIMIT_MS
    assert await rig.owner.keeping.sweep() == Retained(results=1)
    assert finished(rig)[0] == before[0]


async def test_a_picture_goes_at_its_age(context: Context, clock: Clock) -> None:
    rig = rig_of(context, PICTURE)
    await rig.ask("go")
    clock.ms += LIMIT_MS - 1
    await rig.owner.keeping.sweep()
    assert len(rig.computer.pictures) == 1
    clock.ms += 1
    assert await rig.owner.keeping.sweep() == Retained(pictures=1)
    assert rig.computer.pictures == {}
    (one,) = finished(rig)
    assert one.picture is None
    assert one.text == f"A picture.\n[Berth: the picture was removed by age, after {RETENTION_DAYS} days.]"


async def test_a_picture_that_the_store_does_not_remove_stays_in_its_event_and_is_tried_again(
    context: Context, clock: Clock
) -> None:
    rig = rig_of(context, PICTURE)
    await rig.ask("go")
    rig.owner.keeping.keep(Retention(threads=RETENTION_DAYS))
    clock.ms += LIMIT_MS
    rig.computer.error = BerthError(ErrorCode.INTERNAL, "R2 does not answer.")
    await rig.fire()
    assert rig.owner.keeping.counts() == Retained()
    assert rig.rings[-1] == clock.ms + LATER_MS
    assert finished(rig)[0].picture
    rig.computer.error = None
    # And by another object, after this one died.
    assert await rig.reborn().keeping.sweep() == Retained(pictures=1, threads=1)


async def test_much_is_removed_in_batches_and_the_next_object_goes_on(context: Context, clock: Clock) -> None:
    rig = rig_of(context)
    for number in range(BATCH + 1):
        call = {"tool_call_id": f"c{number}", "run_id": "r", "round": 1, "tool": "t", "ok": True}
        finish = ToolFinish(**call, text=LONG, nonce="", finished_ms=1)  # type: ignore[arg-type]
        rig.owner.record.write(
            lambda finish=finish: rig.owner.record.append(rig.thread.id, "tool.finished", finish)  # type: ignore[misc]
        )
    clock.ms += LIMIT_MS
    assert await rig.owner.keeping.sweep() == Retained(results=BATCH)
    assert rig.rings[-1] == clock.ms + AGAIN_MS
    assert await rig.reborn().keeping.sweep() == Retained(results=1)
    assert rig.owner.keeping.counts() == Retained(results=BATCH + 1)


async def test_threads_are_kept_for_ever_unless_the_owner_says_otherwise(
    context: Context, clock: Clock
) -> None:
    rig = rig_of(context, exec_call("ls"))
    await rig.ask("go")
    last = rig.owner.catalog.thread(rig.thread.id).updated_ms
    clock.ms += 1_000 * LIMIT_MS
    assert await rig.owner.keeping.sweep() == Retained()
    days = RETENTION_DAYS_MAX
    rig.owner.keeping.keep(Retention(threads=days))
    clock.ms = last + days * DAY_MS - 1
    assert (await rig.owner.keeping.sweep()).threads == 0
    clock.ms += 1
    assert (await rig.owner.keeping.sweep()).threads == 1
    assert rig.owner.catalog.threads() == []
    await rig.owner.removals.sweep()
    for table in ("events", "steps"):
        assert context.sql.execute(f"SELECT * FROM {table}") == [], table  # noqa: S608 - our names


async def test_a_thread_whose_run_waits_for_its_owner_stays(context: Context, clock: Clock) -> None:
    rig = OwnerRig(context, ScriptedModel())
    run_id = rig.send("go").run.id
    rig.owner.record.write(lambda: rig.owner.journal.move(run_id, RunState.WAITING_INPUT))
    rig.owner.keeping.keep(Retention(threads=1))
    clock.ms += 2 * DAY_MS
    assert await rig.owner.keeping.sweep() == Retained()
    rig.owner.record.write(lambda: rig.owner.journal.move(run_id, RunState.STOPPED))
    assert await rig.owner.keeping.sweep() == Retained()
    clock.ms += DAY_MS
    assert await rig.owner.keeping.sweep() == Retained(threads=1)


async def test_nothing_in_a_thread_is_kept_longer_than_threads_are(context: Context, clock: Clock) -> None:
    rig = rig_of(context, PICTURE)
    await rig.ask("go")
    rig.owner.keeping.keep(Retention(pictures=None, threads=2))
    clock.ms += 2 * DAY_MS
    assert await rig.owner.keeping.sweep() == Retained(pictures=1, threads=1)


async def test_what_is_kept_for_ever_rings_no_alarm(context: Context, clock: Clock) -> None:
    rig = rig_of(context, exec_call(LONG), PICTURE)
    await rig.ask("go")
    rig.owner.keeping.keep(Retention(results=None, pictures=None))
    rings = len(rig.rings)
    clock.ms += RETENTION_DAYS_MAX * DAY_MS
    assert await rig.owner.keeping.sweep() == Retained()
    assert len(rig.rings) == rings


@pytest.mark.parametrize("days", [1, RETENTION_DAYS_MAX])
def test_days_at_the_limit_are_taken(days: int) -> None:
    assert Retention.model_validate_json(json.dumps({"results": days})).results == days


@pytest.mark.parametrize("days", [0, RETENTION_DAYS_MAX + 1])
def test_days_past_the_limit_are_refused(days: int) -> None:
    with pytest.raises(ValidationError):
        Retention(results=days)
