"""Saving: a snapshot and a backup, each enough to sleep; dying, lying and a broken R2 cost no file."""

import asyncio

import pytest

from contracts.limits import (
    BACKUP_MANIFEST_BYTES_MAX,
    BACKUP_NAMES_TOLD,
    BACKUP_PACK_BYTES_MAX,
    BACKUP_PACKS_MAX,
    IDLE_SECONDS,
)
from contracts.states import ComputerState
from durable_objects.bot_computer import backup as making
from durable_objects.bot_computer import patience, saves
from durable_objects.bot_computer.backups import Backup, BackupBook
from durable_objects.bot_computer.computer import LEASE_MS
from durable_objects.bot_computer.pieces import BackupError, Piece
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.bot_computer.pieces import sha256
from tests.unit.durable_objects.bot_computer.rig import Rig, soon, turns
from tests.unit.durable_objects.conftest import Clock

ONE, TWO, THREE = b"one", b"two", b"three"


@pytest.fixture
def rig(context: Context, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setattr(making, "PAUSES", (0.0, 0.0))
    return Rig(context)


def book(rig: Rig) -> BackupBook:
    return BackupBook(rig.context)


async def saved(rig: Rig, clock: Clock, name: str, content: bytes) -> None:
    """Write a file, then sleep; each save is of another millisecond."""
    clock.pass_seconds(1)
    await rig.finished(f"write-{name}-{clock.ms}")
    rig.machine.files[name] = content
    assert await soon(rig.core.sleep()) is True


async def test_a_save_is_a_snapshot_and_a_backup_that_is_verified(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    (backup,) = book(rig).all()
    assert set(rig.bucket.objects) == set(backup.pieces)
    assert backup.pieces[sha256(ONE)] == len(ONE)
    machine = rig.core.power.machine
    assert (machine.snapshot, machine.snapshot_ms, machine.saved_ms) == (
        "snapshot-1",
        backup.as_of_ms,
        backup.as_of_ms,
    )
    assert rig.backups.ended == 1


async def test_the_next_backup_sends_only_what_is_new(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    first = book(rig).all()[0].manifest
    rig.bucket.puts.clear()
    await saved(rig, clock, "b", TWO)
    assert rig.backups.begun == [(None, False), (first, True)]
    assert rig.bucket.puts == [sha256(TWO), book(rig).all()[0].manifest]


async def test_the_two_newest_backups_are_kept_and_what_neither_needs_is_deleted(
    rig: Rig, clock: Clock
) -> None:
    for content in (ONE, TWO, THREE):
        await saved(rig, clock, "a", content)
    newest, previous = book(rig).all()
    assert newest.pieces.keys() >= {sha256(THREE)}
    assert previous.pieces.keys() >= {sha256(TWO)}
    assert set(rig.bucket.objects) == set(newest.pieces) | set(previous.pieces)
    assert book(rig).size_of(sha256(ONE)) is None


async def test_the_tree_is_known_only_where_this_start_woke_with_it(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    rig.bucket.down = True
    await saved(rig, clock, "a", TWO)
    rig.bucket.down = False
    # From the snapshot of the second save, of which there is no backup.
    await saved(rig, clock, "a", THREE)
    assert [known for _, known in rig.backups.begun] == [False, True, False]


@pytest.mark.parametrize("times", range(4))
async def test_a_packer_that_is_still_reading_is_asked_again(rig: Rig, clock: Clock, times: int) -> None:
    rig.backups.not_yet = times
    await saved(rig, clock, "a", ONE)
    assert len(book(rig).all()) == 1


async def test_what_r2_does_not_take_at_once_is_sent_again(rig: Rig, clock: Clock) -> None:
    rig.bucket.fail, rig.bucket.flip = 1, 1
    await saved(rig, clock, "a", ONE)
    assert [sha256(content) for content in rig.bucket.objects.values()] == list(rig.bucket.objects)
    assert len(book(rig).all()) == 1


async def test_a_flipped_byte_that_stays_ends_the_backup_and_not_the_one_before(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    before = book(rig).all()
    rig.bucket.flip = 100
    await saved(rig, clock, "b", TWO)
    assert book(rig).all() == before
    assert rig.core.power.machine.snapshot == "snapshot-2"
    rig.bucket.flip = 0
    await saved(rig, clock, "c", THREE)
    assert book(rig).all()[0].pieces.keys() >= {sha256(ONE), sha256(TWO), sha256(THREE)}
    assert [sha256(content) for content in rig.bucket.objects.values()] == list(rig.bucket.objects)


async def test_either_of_the_two_is_enough_to_sleep(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.machine.refuse_snapshot = True
    assert await soon(rig.core.sleep()) is True
    machine = rig.core.power.machine
    assert machine.snapshot is None
    assert machine.saved_ms == book(rig).all()[0].as_of_ms
    rig.machine.refuse_snapshot, rig.bucket.down = False, True
    clock.pass_seconds(1)
    await rig.core.reset()
    await rig.finished("c2")
    assert await soon(rig.core.sleep()) is True
    assert (rig.core.power.machine.snapshot, book(rig).all()) == ("snapshot-1", [])


async def test_without_both_it_stays_awake_and_tries_again(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.machine.refuse_snapshot = rig.bucket.down = True
    clock.pass_seconds(IDLE_SECONDS)
    await soon(rig.core.tick(1))
    assert rig.core.view().state == ComputerState.RUNNING
    assert rig.core.power.machine.until_ms == clock.ms + IDLE_SECONDS * 1000
    rig.bucket.down = False
    clock.pass_seconds(IDLE_SECONDS)
    await soon(rig.core.tick(1))
    assert rig.core.view().state == ComputerState.STANDBY


async def test_a_call_ends_a_backup_and_the_machine_stays_awake(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.backups.slow = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    await soon(rig.backups.asked.wait())
    task = rig.exec("c2")
    await rig.arrival("c2")
    assert await soon(sleeping) is False
    assert rig.machine.starts == [None]
    machine = rig.core.power.machine
    assert (machine.snapshot, machine.saving_ms) == ("snapshot-1", None)
    assert (book(rig).all(), rig.backups.ended) == ([], 1)
    rig.machine.runs["c2"].exit()
    await soon(task)
    rig.backups.slow = None
    assert await soon(rig.core.sleep()) is True
    assert len(book(rig).all()) == 1


async def test_a_call_that_comes_when_the_backup_counts_already_keeps_it(rig: Rig) -> None:
    await rig.finished()
    rig.bucket.hold_sizes = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    await soon(rig.bucket.asked_sizes.wait())
    task = rig.exec("c2")
    await rig.arrival("c2")
    assert await soon(sleeping) is False
    assert len(book(rig).all()) == 1
    rig.machine.runs["c2"].exit()
    await soon(task)


async def test_a_save_that_takes_too_long_is_ended(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saves, "SAVE_SECONDS", 0.3)
    await rig.finished()
    rig.backups.slow = asyncio.Event()
    assert await soon(rig.core.sleep()) is True
    assert (rig.core.power.machine.snapshot, book(rig).all()) == ("snapshot-1", [])


async def test_a_snapshot_that_never_comes_is_given_up(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saves, "SNAPSHOT_SECONDS", 0.3)
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    assert await soon(rig.core.sleep()) is True
    assert rig.core.power.machine.snapshot is None
    assert len(book(rig).all()) == 1


async def test_a_piece_on_which_nothing_moves_ends_the_backup(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "MOVING_SECONDS", 0.3)
    await rig.finished()
    rig.bucket.stuck = asyncio.Event()
    assert await soon(rig.core.sleep()) is True
    assert book(rig).all() == []
    # Each try lets go of its stream.
    assert rig.backups.dropped == 3


async def test_what_is_there_already_is_not_sent_again_after_a_backup_that_broke_off(
    rig: Rig, clock: Clock
) -> None:
    await rig.finished()
    rig.machine.files = {"a": ONE, "b": TWO}
    rig.backups.lie = {"manifest": "0" * 64}
    assert await soon(rig.core.sleep()) is True
    assert book(rig).all() == []
    rig.backups.lie = {}
    rig.bucket.puts.clear()
    await saved(rig, clock, "c", THREE)
    assert rig.bucket.puts == [sha256(THREE), book(rig).all()[0].manifest]


async def test_an_object_that_dies_in_a_save_begins_it_anew(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.backups.slow = asyncio.Event()
    clock.pass_seconds(IDLE_SECONDS)
    dead = asyncio.ensure_future(rig.core.tick(1))
    await soon(rig.backups.asked.wait())
    assert rig.core.power.machine.saving_ms is not None
    rig.backups.slow = None
    rig.reborn()
    await soon(rig.core.tick(1))
    assert rig.core.view().state == ComputerState.STANDBY
    assert book(rig).all()[0].pieces.keys() >= {sha256(ONE)}
    dead.cancel()
    await asyncio.wait({dead})


async def test_an_object_that_dies_between_a_save_and_the_stop_lost_nothing(rig: Rig, clock: Clock) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.bucket.hold_sizes = asyncio.Event()
    dead = asyncio.ensure_future(rig.core.sleep())
    await soon(rig.bucket.asked_sizes.wait())
    rig.machine.running = False
    rig.reborn()
    await soon(rig.core.recover())
    assert rig.core.view().state == ComputerState.STANDBY
    assert rig.core.power.machine.lost_ms is None
    dead.cancel()
    await asyncio.wait({dead})


async def test_a_machine_that_dies_in_its_save_after_the_snapshot_lost_nothing(rig: Rig) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.backups.slow = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    await soon(rig.backups.asked.wait())
    rig.machine.die()
    rig.backups.slow.set()
    assert await soon(sleeping) is True
    await rig.finished("c2")
    assert rig.core.view().restored is None
    assert rig.machine.files == {"a": ONE}


async def test_a_reset_deletes_the_backups(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await soon(rig.core.reset())
    assert (rig.bucket.objects, book(rig).all()) == ({}, [])
    await rig.finished("c9")
    assert (rig.machine.files, rig.core.view().restored) == ({}, None)


async def test_a_reset_in_the_middle_of_a_backup_ends_it_and_leaves_nothing(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await rig.finished("c2")
    rig.backups.slow = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    rig.backups.asked.clear()
    await soon(rig.backups.asked.wait())
    await soon(rig.core.reset())
    await soon(sleeping)
    assert (rig.bucket.objects, book(rig).all()) == ({}, [])
    assert rig.core.power.machine.snapshot is None


async def test_backups_that_r2_does_not_delete_at_a_reset_are_deleted_by_the_alarm(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    rig.bucket.down = True
    await soon(rig.core.reset())
    # Not at once: an outage would be asked about again and again, as quickly as it fails.
    assert rig.alarm == clock.ms + LEASE_MS
    assert book(rig).all() == []
    rig.bucket.down = False
    clock.ms = rig.alarm
    rig.reborn()
    await soon(rig.core.tick(1))
    assert rig.bucket.objects == {}
    # One that was on its way at the reset and came late.
    rig.bucket.objects["late"] = b"x"
    assert rig.alarm is not None
    clock.ms = rig.alarm
    await soon(rig.core.tick(1))
    assert (rig.bucket.objects, rig.core.power.machine.sweep_ms) == ({}, None)


async def test_a_computer_in_standby_sets_no_alarm_when_its_object_is_born_again(
    rig: Rig, clock: Clock
) -> None:
    await saved(rig, clock, "a", ONE)
    clock.ms += IDLE_SECONDS * 1000
    rig.alarm = None
    rig.reborn()
    rig.core.arm()
    await soon(rig.core.tick(1))
    assert (rig.core.power.machine.state, rig.alarm) == (ComputerState.STANDBY, None)


async def test_a_piece_that_vanished_from_r2_is_sent_again(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    await saved(rig, clock, "b", TWO)
    del rig.bucket.objects[sha256(ONE)]
    # This save builds upon it, and learns that it is gone; the next one builds upon nothing that needs it.
    await saved(rig, clock, "c", THREE)
    assert book(rig).latest_whole() is None
    await saved(rig, clock, "d", b"four")
    assert rig.backups.begun[-1][0] is None
    whole = book(rig).latest_whole()
    assert whole is not None
    assert set(whole.pieces) <= set(rig.bucket.objects)


async def test_a_previous_manifest_that_is_damaged_is_not_built_upon(rig: Rig, clock: Clock) -> None:
    await saved(rig, clock, "a", ONE)
    manifest = book(rig).all()[0].manifest
    rig.bucket.objects[manifest] = b"no manifest"
    await saved(rig, clock, "b", TWO)
    assert [previous for previous, _ in rig.backups.begun] == [None, manifest, None]
    assert book(rig).all()[0].pieces.keys() >= {sha256(ONE), sha256(TWO)}


@pytest.mark.parametrize(
    "lie",
    [
        {"manifest": "0" * 64},
        {"packs": "none"},
        {"packs": ["no pack"]},
        {"packs": [{"sha256": "0" * 64, "size": 3}]},
        {"packs": [{"sha256": sha256(ONE), "size": 4}]},
        {"packs": [{"sha256": sha256(ONE), "size": 3}] * (BACKUP_PACKS_MAX + 1)},
        {"unread": -1},
        {"unread": None},
    ],
)
async def test_a_computer_that_lies_about_its_backup_has_none(rig: Rig, lie: dict[str, object]) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.backups.lie = lie
    assert await soon(rig.core.sleep()) is True
    assert book(rig).all() == []


async def test_as_many_packs_as_there_may_be_are_taken(rig: Rig) -> None:
    await rig.finished()
    rig.machine.files["a"] = ONE
    rig.backups.lie = {"packs": [{"sha256": sha256(ONE), "size": 3}] * BACKUP_PACKS_MAX}
    assert await soon(rig.core.sleep()) is True
    assert len(book(rig).all()) == 1


@pytest.mark.parametrize("over", [0, 1])
async def test_all_pieces_of_an_owner_have_a_limit_and_leftovers_go_at_it(
    rig: Rig, clock: Clock, monkeypatch: pytest.MonkeyPatch, over: int
) -> None:
    await saved(rig, clock, "a", ONE)
    kept = sum(map(len, rig.bucket.objects.values()))
    rig.backups.lie = {"manifest": "0" * 64}
    await saved(rig, clock, "left over", b"x" * 50)
    leftovers = sum(map(len, rig.bucket.objects.values())) - kept
    rig.backups.lie = {}
    clock.pass_seconds(1)
    await rig.finished("c9")
    rig.machine.files["b"] = TWO
    more = len(TWO) + len(rig.backups.manifest())
    monkeypatch.setattr(making, "BACKUP_BYTES_MAX", kept + leftovers + more - over)
    assert await soon(rig.core.sleep()) is True
    assert len(book(rig).all()) == 2 - over
    assert set(rig.bucket.objects) == set(book(rig).needed())


async def test_a_reset_during_the_snapshot_leaves_no_time_for_a_backup(rig: Rig) -> None:
    await rig.finished()
    rig.machine.slow_snapshot = asyncio.Event()
    sleeping = asyncio.ensure_future(rig.core.sleep())
    await turns()
    resetting = asyncio.ensure_future(rig.core.power.reset())
    await turns()
    rig.machine.slow_snapshot.set()
    await soon(asyncio.gather(sleeping, resetting))
    assert rig.backups.begun == []
    assert rig.core.view().reason == "reset"


async def test_names_of_what_could_not_be_read_are_kept_up_to_a_number(rig: Rig) -> None:
    await rig.finished()
    rig.backups.unread = [f"f{number}" for number in range(BACKUP_NAMES_TOLD + 1)]
    await soon(rig.core.sleep())
    backup = book(rig).all()[0]
    assert backup.unread == BACKUP_NAMES_TOLD + 1
    assert backup.unread_names == tuple(f"f{number}" for number in range(BACKUP_NAMES_TOLD))


@pytest.mark.parametrize(
    ("kind", "size", "is_one"),
    [
        ("pack", BACKUP_PACK_BYTES_MAX, True),
        ("pack", BACKUP_PACK_BYTES_MAX + 1, False),
        ("pack", 0, False),
        ("manifest", BACKUP_MANIFEST_BYTES_MAX, True),
        ("manifest", BACKUP_MANIFEST_BYTES_MAX + 1, False),
    ],
)
def test_sizes_of_pieces_have_limits(kind: str, size: int, is_one: bool) -> None:
    dropped: list[bool] = []
    piece = Piece(kind, "0" * 64, size, None, lambda: dropped.append(True))  # type: ignore[arg-type]
    if is_one:
        making.check(piece)
    else:
        with pytest.raises(BackupError):
            making.check(piece)
    assert bool(dropped) is not is_one


@pytest.mark.parametrize("name", ["", "0" * 63, "0" * 65, "G" * 64, "../" + "0" * 61, "0" * 64 + "\n"])
def test_a_piece_is_named_by_a_hash_and_nothing_else(name: str) -> None:
    with pytest.raises(BackupError):
        making.check(Piece("pack", name, 1, None, lambda: None))


def test_a_new_backup_takes_the_place_of_one_that_is_not_whole(context: Context) -> None:
    migrate(context.sql, SCHEMA)
    found = BackupBook(context)
    for as_of_ms, name in ((1, "a"), (2, "b"), (3, "c")):
        found.trust(name, 1)
        found.keep(Backup(as_of_ms, 1, name, {name: 1}))
        if name == "b":
            found.distrust("b")
    assert [backup.as_of_ms for backup in found.all()] == [3, 1]
