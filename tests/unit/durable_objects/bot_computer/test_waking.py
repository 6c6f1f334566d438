"""Waking: the newest files that can be had, what differs is told, and never an empty tree for theirs."""

import asyncio

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import BACKUP_NAMES_TOLD, SNAPSHOT_DAYS
from contracts.states import ComputerState
from durable_objects.bot_computer import power, restore, starting
from durable_objects.bot_computer.backups import Backup, BackupBook
from durable_objects.bot_computer.lifecycle import Machine
from durable_objects.bot_computer.waking import DAY_MS, FRESH, sources
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_computer.pieces import sha256
from tests.unit.durable_objects.bot_computer.rig import Rig, soon
from tests.unit.durable_objects.conftest import Clock

ONE, TWO = b"one", b"two"
NOW = 40 * DAY_MS
SNAPSHOT = Machine(snapshot="s", snapshot_ms=NOW - 100, snapshot_image="i", saved_ms=NOW - 100)
NEWEST, OLDER = Backup(NOW - 100, 3, "m2", {"m2": 1}), Backup(NOW - 500, 2, "m1", {"m1": 1})


@pytest.fixture
def rig(context: Context, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setattr(restore, "PAUSES", (0.0, 0.0))
    return Rig(context)


def book(rig: Rig) -> BackupBook:
    return BackupBook(rig.context)


async def saved(rig: Rig, clock: Clock, name: str, content: bytes) -> None:
    clock.pass_seconds(1)
    await rig.finished(f"write-{name}-{clock.ms}")
    rig.machine.files[name] = content
    assert await soon(rig.core.sleep()) is True
    clock.pass_seconds(1)


def void(rig: Rig) -> None:
    """The platform refuses every snapshot that it has made."""
    rig.machine.refused_snapshots = set(rig.machine.snapshots_kept)


async def refused(rig: Rig, command_id: str = "refused") -> BerthError:
    with pytest.raises(BerthError) as failed:
        await soon(rig.exec(command_id))
    assert failed.value.code == ErrorCode.COMPUTER_UNAVAILABLE
    assert rig.core.view().state == ComputerState.STANDBY
    assert not rig.machine.running
    return failed.value


@pytest.mark.parametrize(
    ("machine", "backups", "image", "kinds", "unusable"),
    [
        (Machine(), [], "i", ["fresh"], []),
        (SNAPSHOT, [], "i", ["snapshot"], []),
        (SNAPSHOT, [NEWEST, OLDER], "i", ["snapshot", "backup", "backup"], []),
        # Of a save without a snapshot, the backup is newer.
        (
            Machine(snapshot="s", snapshot_ms=NOW - 300),
            [NEWEST, OLDER],
            "i",
            ["backup", "snapshot", "backup"],
            [],
        ),
        (SNAPSHOT, [NEWEST], "other", ["backup"], ["snapshot_of_other_image"]),
        (SNAPSHOT, [NEWEST], None, ["snapshot", "backup"], []),
        (SNAPSHOT, [], "other", [], ["snapshot_of_other_image"]),
        (Machine(saved_ms=NOW - 100), [], "i", [], []),
        # A snapshot that is of no use and older than the backup is nothing to speak of.
        (Machine(snapshot="s", snapshot_ms=NOW - 300, snapshot_image="x"), [NEWEST], "i", ["backup"], []),
    ],
)
def test_what_there_is_to_wake_from(
    machine: Machine, backups: list[Backup], image: str | None, kinds: list[str], unusable: list[str]
) -> None:
    found, void = sources(machine, backups, image, NOW)
    assert ([source.kind for source in found], void) == (kinds, unusable)


def test_a_snapshot_holds_thirty_days_and_not_a_moment_longer() -> None:
    limit = NOW - 100 + SNAPSHOT_DAYS * DAY_MS
    assert [source.kind for source in sources(SNAPSHOT, [NEWEST], "i", limit)[0]] == ["snapshot", "backup"]
    found, unusable = sources(SNAPSHOT, [NEWEST], "i", limit + 1)
    assert ([source.kind for source in found], unusable) == (["backup"], ["snapshot_expired"])
    assert sources(Machine(), [], "i", limit) == ([FRESH], [])


async def test_a_snapshot_brings_everything_and_nothing_is_told(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await rig.finished()
    assert (rig.machine.files, rig.machine.starts) == ({"a": ONE}, [None, "snapshot-1"])
    assert rig.core.view().restored is None


async def test_a_snapshot_that_is_refused_twice_gives_way_to_the_backup_of_the_same_save(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    void(rig)
    await rig.finished()
    assert rig.machine.starts == [None, "snapshot-1", "snapshot-1", None]
    assert rig.machine.files == {"a": ONE}
    restored = rig.core.view().restored
    assert restored is not None
    assert (restored.source, restored.unusable, restored.older, restored.lost_ms) == (
        "backup",
        ["snapshot_failed"],
        False,
        None,
    )
    assert restored.as_of_ms == book(rig).all()[0].as_of_ms
    assert rig.core.power.machine.snapshot is None
    rig.core.told(restored.woke_ms)
    assert rig.core.view().restored is None


async def test_a_snapshot_of_another_image_is_not_tried(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    rig.machine.image = "image-2"
    await rig.finished()
    assert (rig.machine.starts, rig.machine.files) == ([None, None], {"a": ONE})
    restored = rig.core.view().restored
    assert restored is not None
    assert restored.unusable == ["snapshot_of_other_image"]


async def test_a_platform_that_starts_nothing_takes_no_snapshot_away(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    rig.machine.refuse_start = True
    await refused(rig)
    assert rig.core.power.machine.snapshot == "snapshot-1"
    rig.machine.refuse_start = False
    await rig.finished()
    assert (rig.machine.files, rig.core.view().restored) == ({"a": ONE}, None)


async def test_a_snapshot_that_hangs_gives_way_to_the_backup(
    rig: Rig, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "SNAPSHOT_SECONDS", 0.3)
    await saved(rig, clock, "a", ONE)
    rig.machine.hang_snapshots = True
    await rig.finished()
    assert (rig.machine.starts, rig.machine.files) == ([None, "snapshot-1", None], {"a": ONE})


@pytest.mark.parametrize("damage", ["missing", "flipped", "no manifest", "manifest flipped"])
async def test_a_damaged_backup_gives_way_to_the_one_before_it_which_is_told(
    rig: Rig, clock: Clock, damage: str
) -> None:
    await saved(rig, clock, "a", ONE)
    await saved(rig, clock, "b", TWO)
    void(rig)
    newest, previous = book(rig).all()
    broken = sha256(TWO) if "manifest" not in damage else newest.manifest
    if damage in ("missing", "no manifest"):
        del rig.bucket.objects[broken]
    else:
        rig.bucket.objects[broken] = b"X" + rig.bucket.objects[broken][1:]
    await rig.finished()
    assert rig.machine.files == {"a": ONE}
    restored = rig.core.view().restored
    assert restored is not None
    assert (restored.older, restored.as_of_ms) == (True, previous.as_of_ms)
    assert restored.unusable == ["snapshot_failed", "backup_damaged"]
    # What is broken is not built upon, and the next backup is whole.
    rig.machine.files["b"] = TWO
    clock.pass_seconds(1)
    assert await soon(rig.core.sleep()) is True
    assert rig.backups.begun[-1] == (previous.manifest, True)
    assert [sha256(content) for content in rig.bucket.objects.values()] == list(rig.bucket.objects)
    assert book(rig).all()[0].pieces.keys() >= {sha256(ONE), sha256(TWO)}


async def test_where_all_is_broken_it_does_not_start_and_says_so_until_a_reset(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    await saved(rig, clock, "b", TWO)
    void(rig)
    kept = dict(rig.bucket.objects)
    rig.bucket.objects.clear()
    for attempt in range(2):
        error = await refused(rig, f"c{attempt}")
        assert "reset" in error.message
        assert error.details == {"reason": "files_unavailable"}
        assert rig.core.view().reason == "files_unavailable"
    # R2 has found them again: nothing was given up meanwhile.
    rig.bucket.objects.update(kept)
    await rig.finished("c3")
    assert rig.machine.files == {"a": ONE, "b": TWO}
    assert book(rig).latest_whole() == book(rig).all()[0]


async def test_after_a_reset_of_what_was_broken_there_is_a_fresh_workspace(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    void(rig)
    rig.bucket.objects.clear()
    await refused(rig)
    await soon(rig.core.reset())
    await rig.finished()
    assert (rig.machine.files, rig.core.view().restored) == ({}, None)


async def test_r2_that_does_not_answer_gives_up_no_backup(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await saved(rig, clock, "b", TWO)
    void(rig)
    rig.bucket.down = True
    await refused(rig)
    assert rig.core.view().reason == "start_failed"
    rig.bucket.down, rig.bucket.fail = False, 2
    await rig.finished()
    assert rig.machine.files == {"a": ONE, "b": TWO}
    restored = rig.core.view().restored
    assert restored is not None
    assert not restored.older


async def test_a_machine_that_dies_in_a_restore_is_tried_again_with_a_fresh_one(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    await saved(rig, clock, "b", TWO)
    void(rig)
    rig.backups.break_restore_after, rig.backups.not_yet = 1, 2
    await rig.finished()
    assert rig.machine.files == {"a": ONE, "b": TWO}
    assert rig.machine.starts[-2:] == [None, None]


async def test_an_object_that_dies_in_a_restore_destroys_the_half_tree(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    void(rig)
    rig.backups.slow = asyncio.Event()
    rig.backups.asked.clear()
    forgotten = rig.exec("c1")
    await soon(rig.backups.asked.wait())
    rig.backups.slow = None
    boots = rig.machine.boots
    rig.reborn()
    await soon(rig.core.recover())
    task = rig.exec("c1")
    await rig.arrival("c1")
    assert rig.machine.boots == boots + 1
    assert rig.machine.files == {"a": ONE}
    rig.machine.runs["c1"].exit()
    await soon(task)
    forgotten.cancel()


async def test_callers_give_up_after_a_minute_and_the_restore_goes_on(
    rig: Rig, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await saved(rig, clock, "a", ONE)
    void(rig)
    monkeypatch.setattr(power, "BOOT_SECONDS", 0.3)
    rig.backups.slow = asyncio.Event()
    with pytest.raises(BerthError) as failed:
        await soon(rig.exec("c1"))
    assert failed.value.retry_after_s
    assert rig.core.view().state == ComputerState.STARTING
    # The alarm stays with it.
    ticking = asyncio.ensure_future(rig.core.tick(5))
    monkeypatch.setattr(power, "BOOT_SECONDS", 60)
    again = rig.exec("c2")
    rig.backups.slow.set()
    await rig.arrival("c2")
    rig.machine.runs["c2"].exit()
    await soon(asyncio.gather(again, ticking))
    assert rig.machine.files == {"a": ONE}


async def test_a_reset_ends_a_restore(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    void(rig)
    rig.backups.slow = asyncio.Event()
    rig.backups.asked.clear()
    task = rig.exec("c1")
    await soon(rig.backups.asked.wait())
    await asyncio.wait_for(rig.core.power.reset(), 60)
    with pytest.raises(BerthError, match="computer_unavailable"):
        await soon(task)
    assert not rig.machine.running
    assert (rig.core.view().state, rig.core.view().reason) == (ComputerState.STANDBY, "reset")
    assert rig.bucket.objects == {}


async def test_a_loss_is_told_with_what_came_back(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await rig.finished("c1")
    rig.machine.files["b"] = TWO
    lost_ms = clock.ms
    rig.machine.die()
    await rig.finished("c2")
    restored = rig.core.view().restored
    assert restored is not None
    assert (restored.source, restored.lost_ms, restored.older) == ("snapshot", lost_ms, False)
    assert restored.as_of_ms == book(rig).all()[0].as_of_ms
    assert rig.machine.files == {"a": ONE}


async def test_a_loss_before_anything_was_saved_is_told_as_a_fresh_workspace(rig: Rig) -> None:
    await rig.finished("c1")
    rig.machine.die()
    await rig.finished("c2")
    restored = rig.core.view().restored
    assert restored is not None
    assert (restored.source, restored.as_of_ms) == ("fresh", None)
    assert restored.lost_ms is not None


async def test_files_that_did_not_come_back_are_counted_and_named(rig: Rig, clock: Clock) -> None:
    rig.backups.unread = ["secret"]
    await saved(rig, clock, "a", ONE)
    void(rig)
    rig.backups.missing = [f"f{number}" for number in range(BACKUP_NAMES_TOLD - 1)]
    await rig.finished()
    restored = rig.core.view().restored
    assert restored is not None
    assert restored.missing == BACKUP_NAMES_TOLD
    assert restored.missing_names == [*rig.backups.missing, "secret"]


async def test_after_a_wake_from_a_backup_the_next_one_builds_upon_it(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    manifest = book(rig).all()[0].manifest
    void(rig)
    await saved(rig, clock, "b", TWO)
    assert rig.backups.begun[-1] == (manifest, True)
