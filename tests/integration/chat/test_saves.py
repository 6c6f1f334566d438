"""Saves and wakes on the real platform: every byte from each source, a broken R2, death in the middle.

The computers of this stack sleep by their alarm a second after their last call.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Event, Person, Thread, ended, is_standby, is_type, of
from tests.integration.chat.r2 import backup_pieces, delete_snapshots, flip_a_byte
from tests.integration.faults import Faults
from tests.integration.waiting import until

TREE = (
    "cd /; find workspace home/berth/kept -path workspace/.berth -prune -o -printf '%p %y %m %l %T@ %s\\n'"
    " | sort;"
    " find workspace home/berth/kept -path workspace/.berth -prune -o -type f -print0 | sort -z"
    " | xargs -0 sha256sum"
)
DIGEST = f"({TREE}) | sha256sum"
LARGE = 1_000_000


@pytest.fixture
async def person(hasty: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(hasty) as made:
        yield made


async def asleep(thread: Thread, command: str) -> str:
    """Run a command, wait until the computer has gone to sleep by itself, and return the output."""
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send(f"$ {command}"))["run"]["id"]
        # It may have gone to sleep before the command came, too.
        finished = await watch.until(is_type("tool.finished"))
        await watch.until_each(ended(run_id), is_standby)
    return str(finished["data"]["command"]["output"])


async def owner_of(person: Person) -> str:
    return str((await person.get("/api/me"))["id"])


def restored(events: list[Event]) -> dict[str, object]:
    (notice,) = of(events, "notice")
    assert notice["code"] == "computer_restored"
    found: dict[str, object] = notice["restored"]
    return found


async def test_every_byte_is_there_after_each_of_five_sleeps_by_the_alarm(
    person: Person, hasty: LocalStack
) -> None:
    thread = await person.thread()
    await thread.exec("mkdir -p ~/kept; echo home > ~/kept/a; ln -s a ~/kept/link; chmod 640 ~/kept/a")
    for cycle in range(5):
        many = f"seq 1000 | while read n; do echo {cycle}.$n > $n; done"
        added = f"mkdir {cycle}; cd {cycle}; head -c 4M /dev/urandom > large; {many}; {DIGEST}"
        before = await asleep(thread, added)
        assert delete_snapshots(hasty) > 0
        events = await thread.run(f"$ {DIGEST}")
        assert of(events, "tool.finished")[0]["text"] == before
        card = restored(events)
        assert (card["source"], card["older"], card["missing"]) == ("backup", False, 0)
    # The last time from the snapshot: nothing to tell.
    assert await asleep(thread, DIGEST) == before
    events = await thread.run(f"$ {DIGEST}")
    assert of(events, "tool.finished")[0]["text"] == before
    assert of(events, "notice") == []
    assert (await thread.exec("ls */large | wc -l; ls 4 | wc -l"))["output"] == "5\n1001\n"


async def test_a_backup_costs_what_has_changed(person: Person, hasty: LocalStack) -> None:
    thread = await person.thread()
    await asleep(thread, "head -c 20M /dev/urandom > large; true")
    first = backup_pieces(hasty, owner := await owner_of(person))
    await asleep(thread, "echo small > small")
    new = backup_pieces(hasty, owner).keys() - first.keys()
    assert sum(backup_pieces(hasty, owner)[name].stat().st_size for name in new) < LARGE


@pytest.mark.parametrize("damage", ["flipped", "missing"])
async def test_a_broken_pack_gives_way_to_the_backup_before_it_and_a_card_says_so(
    person: Person, hasty: LocalStack, damage: str
) -> None:
    thread, owner = await person.thread(), await owner_of(person)
    await asleep(thread, "echo one > a; mkdir -p ~/kept")
    first = backup_pieces(hasty, owner)
    await asleep(thread, "head -c 3M /dev/urandom > b")
    assert delete_snapshots(hasty) > 0
    (pack,) = (
        file
        for name, file in backup_pieces(hasty, owner).items()
        if name not in first and file.stat().st_size > LARGE
    )
    if damage == "flipped":
        flip_a_byte(pack)
    else:
        pack.unlink()
    events = await thread.run("$ ls")
    assert of(events, "tool.finished")[0]["text"] == "a\n"
    card = restored(events)
    assert (card["source"], card["older"]) == ("backup", True)
    assert card["unusable"] == ["snapshot_failed", "backup_damaged"]
    # From here on all is well again.
    before = await asleep(thread, f"head -c 3M /dev/urandom > c; {DIGEST}")
    assert delete_snapshots(hasty) > 0
    events = await thread.run(f"$ {DIGEST}")
    assert of(events, "tool.finished")[0]["text"] == before
    assert restored(events)["older"] is False


async def test_where_nothing_can_be_used_it_does_not_start_until_it_is_reset(
    person: Person, hasty: LocalStack
) -> None:
    thread, owner = await person.thread(), await owner_of(person)
    await asleep(thread, "echo one > a")
    assert delete_snapshots(hasty) > 0
    for file in backup_pieces(hasty, owner).values():
        flip_a_byte(file)
    (finished,) = of(await thread.run("$ ls"), "tool.finished")
    assert finished["error"]["code"] == "computer_unavailable"
    assert (await person.get("/api/computer"))["reason"] == "files_unavailable"
    await person.post("/api/computer/reset")
    assert backup_pieces(hasty, owner) == {}
    events = await thread.run("$ ls")
    assert of(events, "tool.finished")[0]["text"] == ""
    assert of(events, "notice") == []


async def test_a_reset_deletes_the_backups(person: Person, hasty: LocalStack) -> None:
    thread, owner = await person.thread(), await owner_of(person)
    await asleep(thread, "echo one > a")
    assert backup_pieces(hasty, owner) != {}
    await person.post("/api/computer/reset")
    assert backup_pieces(hasty, owner) == {}
    assert (await thread.exec("ls -A | grep -v .berth; ls ~/kept"))["output"].count("one") == 0


@asynccontextmanager
async def held_backup(stack: LocalStack, owner: str) -> AsyncIterator[None]:
    """The block has the computer go to sleep soon; behind it the backup is under way, and held there."""
    faults = Faults(stack)
    await faults.arm("container.fetch", "hang", owner=owner, detail="GET /backup")
    yield
    await until("the backup", faults.fired)


async def test_a_call_during_a_backup_finds_the_computer_awake(person: Person, hasty: LocalStack) -> None:
    thread = await person.thread()
    await asleep(thread, "true")
    async with held_backup(hasty, await owner_of(person)):
        boot = (await thread.exec("head -c 24M /dev/urandom > large; stat -c %Y /proc/1"))["output"]
    async with thread.watched(await thread.head()) as watch:
        assert (await thread.exec("stat -c %Y /proc/1"))["output"] == boot
        await watch.until(is_standby)
    assert [event["data"]["state"] for event in watch.seen if event["type"] == "computer.status"] == [
        "standby"
    ]
    before = await asleep(thread, DIGEST)
    assert delete_snapshots(hasty) > 0
    assert of(await thread.run(f"$ {DIGEST}"), "tool.finished")[0]["text"] == before


async def test_a_worker_that_is_killed_in_the_middle_of_a_save_loses_nothing(hasty: LocalStack) -> None:
    async with Person.at(hasty, "crash") as person:
        thread = await person.thread()
        await asleep(thread, "mkdir -p ~/kept; echo old > old")
        async with held_backup(hasty, await owner_of(person)):
            before = (await thread.exec(f"head -c 24M /dev/urandom > large; {DIGEST}"))["output"]
        await asyncio.to_thread(hasty.kill_host)
    await asyncio.to_thread(hasty.start_host)
    async with Person.at(hasty, "crash") as person:
        thread = Thread(person, thread.id)
        events = await thread.run(f"$ {DIGEST}")
        assert of(events, "tool.finished")[0]["text"] == before
        assert of(events, "notice") == []
        await asleep(thread, "true")
        assert delete_snapshots(hasty) > 0
        assert of(await thread.run(f"$ {DIGEST}"), "tool.finished")[0]["text"] == before
