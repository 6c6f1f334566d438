"""Deleting threads: gone at once, back by an undo, and removed for good after that."""

import pytest

from contracts.api import BranchCreate
from contracts.errors import BerthError, ErrorCode
from contracts.events import NoticeData
from contracts.limits import PURGE_SECONDS
from contracts.records import Artifact
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock

TABLES = (
    "events",
    "shown_commands",
    "sent",
    "windows",
    "uploads",
    "artifacts",
    "runs",
    "steps",
    "findable",
    "found_words",
)


def rows_left(rig: OwnerRig) -> dict[str, int]:
    counts = {t: rig.context.sql.execute(f"SELECT COUNT(*) AS n FROM {t}")[0]["n"] for t in TABLES}  # noqa: S608
    return {table: count for table, count in counts.items() if count}


def give(rig: OwnerRig) -> None:
    """A file each way in the rig's thread."""
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "in.csv", "text/csv", 3)
    artifact = Artifact(
        id="art_1",
        thread_id=rig.thread.id,
        run_id="run_1",
        tool_call_id="call_1",
        name="out.csv",
        media_type="text/csv",
        size=3,
        sha256="0" * 64,
        created_ms=1,
    )
    rig.owner.files.add_artifact(artifact, "key-of-artifact")


async def settled(rig: OwnerRig) -> None:
    """Every run to its end."""
    for run_id in rig.owner.journal.due():
        await rig.owner.loop.drive(run_id)


async def test_hidden_until_the_last_moment_and_then_gone(rig: OwnerRig, clock: Clock) -> None:
    await rig.ask("hello")
    rig.owner.removals.hide(rig.thread.id)
    assert rig.owner.catalog.threads() == []
    assert rig.rings[-1] == clock.ms + PURGE_SECONDS * 1000
    clock.ms += PURGE_SECONDS * 1000 - 1
    await rig.owner.removals.sweep()
    assert rig.owner.removals.restore(rig.thread.id).id == rig.thread.id
    rig.owner.removals.hide(rig.thread.id)
    clock.ms += PURGE_SECONDS * 1000
    with pytest.raises(BerthError, match="not there"):
        rig.owner.removals.restore(rig.thread.id)


async def test_nothing_of_a_purged_thread_is_left(rig: OwnerRig, clock: Clock) -> None:
    await rig.ask("hello")
    give(rig)
    rig.owner.removals.hide(rig.thread.id)
    assert rig.owner.files.artifacts(None, 10)[0] == []
    clock.ms += PURGE_SECONDS * 1000
    rig.reborn()
    await rig.owner.removals.sweep()
    assert rows_left(rig) == {}
    assert "key-of-artifact" in rig.multipart.aborted
    assert len(rig.multipart.aborted) == 2
    with pytest.raises(BerthError, match="not there"):
        rig.owner.record.append(rig.thread.id, "notice", NoticeData(code="uploads_waiting", text="late"))


async def test_a_store_that_does_not_answer_is_asked_again(rig: OwnerRig, clock: Clock) -> None:
    give(rig)
    rig.owner.removals.hide(rig.thread.id)
    clock.ms += PURGE_SECONDS * 1000
    rig.multipart.error = BerthError(ErrorCode.INTERNAL, "no answer")
    await rig.fire()
    assert rows_left(rig) == {"uploads": 1, "artifacts": 1}
    assert clock.ms < rig.rings[-1] < clock.ms + PURGE_SECONDS * 1000
    rig.multipart.error = None
    clock.ms = rig.rings[-1]
    await rig.fire()
    assert rows_left(rig) == {}


async def test_a_run_is_stopped_and_its_end_is_there_after_an_undo(rig: OwnerRig) -> None:
    run_id = rig.send("go on").run.id
    rig.send("and this", during="queue")
    runs = rig.owner.removals.hide(rig.thread.id)
    assert runs[0]["id"] == run_id
    assert all(rig.owner.journal.row(run["id"])["stop_asked"] for run in runs)
    await settled(rig)
    await settled(rig)
    assert rig.owner.record.exists(rig.thread.id) is False
    rig.owner.removals.restore(rig.thread.id)
    ends = [event["state"] for event in rig.events("run.status")]
    assert ends[-2:] == ["stopped", "stopped"]
    assert [event["seq"] for event in rig.events()] == list(range(1, len(rig.events()) + 1))


async def test_a_thread_at_work_is_purged_when_it_has_ended(rig: OwnerRig, clock: Clock) -> None:
    rig.send("go on")
    rig.owner.removals.hide(rig.thread.id)
    clock.ms += PURGE_SECONDS * 1000
    await rig.owner.removals.sweep()
    assert "events" in rows_left(rig)
    await settled(rig)
    await rig.owner.removals.sweep()
    assert rows_left(rig) == {}


async def test_files_stay_for_a_branch_and_go_with_the_last_of_the_family(
    rig: OwnerRig, clock: Clock
) -> None:
    await rig.ask("hello")
    give(rig)
    wanted = BranchCreate(client_id="branch-01", seq=1, text="again")
    branch = rig.owner.branches.make(rig.thread.id, wanted).thread
    await settled(rig)
    rig.owner.removals.hide(rig.thread.id)
    clock.ms += PURGE_SECONDS * 1000
    await rig.owner.removals.sweep()
    assert rig.multipart.aborted == []
    assert rig.owner.files.artifact_row("art_1")["name"] == "out.csv"
    assert [hit.thread_id for hit in rig.owner.search.find("again").items] == [branch.id]
    rig.owner.removals.hide(branch.id)
    clock.ms += PURGE_SECONDS * 1000
    await rig.owner.removals.sweep()
    assert len(rig.multipart.aborted) == 2
    assert rows_left(rig) == {}


async def test_a_thread_of_a_bot_that_is_gone_does_not_come_back(rig: OwnerRig) -> None:
    rig.owner.removals.hide(rig.thread.id)
    rig.owner.catalog.delete_bot(rig.bot.id)
    with pytest.raises(BerthError, match="bot"):
        rig.owner.removals.restore(rig.thread.id)


def test_no_other_alarm_takes_the_place_of_a_purge(rig: OwnerRig, clock: Clock) -> None:
    tomorrow, due = clock.ms + 86_400_000, clock.ms + PURGE_SECONDS * 1000
    rig.owner.removals.hide(rig.thread.id)
    reborn = rig.reborn()
    reborn.timers.by("retention", tomorrow)
    assert rig.rings[-1] == due
    reborn.timers.wake(tomorrow)
    assert rig.rings[-1] == due
    reborn.timers.wake(clock.ms + 1)
    assert rig.rings[-1] == clock.ms + 1


def test_hiding_twice_and_restoring_what_is_there(rig: OwnerRig, context: Context) -> None:
    assert rig.owner.removals.restore(rig.thread.id).id == rig.thread.id
    rig.owner.removals.hide(rig.thread.id)
    with pytest.raises(BerthError, match="not there"):
        rig.owner.removals.hide(rig.thread.id)
