"""An archive on plain Python: what is in it, steps that die, and R2 that does not answer."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from typing import Any

import pytest

from contracts.archive import ArchiveState
from contracts.errors import BerthError, ErrorCode
from contracts.limits import ARCHIVE_DAYS, ARCHIVE_FILES_MAX, ARCHIVE_PIECE_BYTES, ARCHIVE_TRIES
from contracts.people import Role
from contracts.records import Artifact
from durable_objects.bot_owner.archive.builder import AGAIN_MS, DAY_MS, ArchiveBuilder
from durable_objects.bot_owner.archive.documents import Documents
from durable_objects.bot_owner.archive.plan import OPERATIONS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

OWNER = "o1"


class Died(BaseException):
    """The object is gone in the middle of a step."""


class Store:
    """R2 in memory; it fails or dies at the call that a test names."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.calls = 0
        self.fails = False
        self.dies_at: int | None = None

    def _call(self) -> None:
        self.calls += 1
        if self.fails:
            raise BerthError(ErrorCode.INTERNAL, "no answer")
        if self.calls == self.dies_at:
            raise Died

    async def put(self, key: str, content: bytes) -> None:
        self._call()
        self.objects[key] = content

    async def digest(self, key: str) -> tuple[int, str] | None:
        self._call()
        content = self.objects.get(key)
        return None if content is None else (len(content), hashlib.sha256(content).hexdigest())

    async def clear(self, prefix: str) -> None:
        self._call()
        self.objects = {key: content for key, content in self.objects.items() if not key.startswith(prefix)}


class Desk:
    """An owner with an archive."""

    def __init__(self, rig: OwnerRig, context: Context) -> None:
        self.rig, self.context = rig, context
        self.store = Store()
        self.rung: list[int] = []
        self.answers: dict[str, Any] = {}
        self.builder = self.restarted()

    def restarted(self) -> ArchiveBuilder:
        documents = Documents(
            self.context.sql,
            self.rig.owner.catalog,
            self.rig.owner.record,
            perform=self.perform,
            egress=self.other,
            audit=self.other,
            person=self.other,
        )
        self.builder = ArchiveBuilder(self.context, OWNER, documents, self.store, self.rung.append)
        return self.builder

    async def perform(self, operation: str, _fields: Mapping[str, Any]) -> Any:
        return self.answers.get(operation, {"operation": operation})

    async def other(self) -> list[str]:
        return ['{"items": []}', "\n"]

    def unpacked(self) -> dict[str, bytes]:
        size, members = self.builder.download()
        content = b"".join(
            member.head + b"".join(self.store.objects[key] for key in member.keys) + member.tail
            for member in members
        )
        assert len(content) == size
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            return {
                member.name.removeprefix("berth/"): archive.extractfile(member).read()  # type: ignore[union-attr]
                for member in archive.getmembers()
            }

    def artifact(self, name: str, content: bytes, *, stored: bool = True) -> Artifact:
        number = len(self.store.objects)
        artifact = Artifact(
            id=f"art_{number}",
            thread_id=self.rig.thread.id,
            run_id="run_1",
            tool_call_id=f"call_{number}",
            name=name,
            media_type="text/plain",
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            created_ms=self.context.now_ms(),
        )
        key = f"owners/{OWNER}/artifacts/{artifact.id}"
        self.rig.owner.files.add_artifact(artifact, key)
        if stored:
            self.store.objects[key] = content
        return artifact


@pytest.fixture
def desk(context: Context) -> Desk:
    return Desk(OwnerRig(context, ScriptedModel()), context)


async def test_there_is_none_until_one_is_wanted(desk: Desk) -> None:
    assert desk.builder.shown().state == ArchiveState.NONE
    with pytest.raises(BerthError, match="no archive"):
        desk.builder.download()
    await desk.builder.sweep()
    assert desk.rung == []


async def test_everything_is_in_it_and_listed_with_its_hash(desk: Desk) -> None:
    desk.rig.send("hello there")
    artifact = desk.artifact("../chart Ä.txt", b"numbers")
    desk.rig.owner.members.add("person_b", "Bo", Role.VIEWER)
    desk.context.sql.run(
        "INSERT INTO firings (routine_id, due_ms, at_ms, by, outcome, note)"
        " VALUES ('rou_1', 1, 2, 'clock', 'skipped', 'the one before still runs')"
    )
    begun = await desk.builder.begin()
    assert begun.state == ArchiveState.BUILDING
    await desk.builder.sweep()
    shown = desk.builder.shown()
    assert (shown.state, shown.made, shown.missing) == (ArchiveState.READY, shown.files, 0)
    files = desk.unpacked()
    assert set(OPERATIONS) < set(files)
    assert json.loads(files["bots.json"]) == {"operation": "bots"}
    assert files[f"artifacts/{artifact.id}/chart Ä.txt"] == b"numbers"
    member, fired = json.loads(files["members.jsonl"]), json.loads(files["routine-history.jsonl"])
    assert (member["person_id"], member["name"], member["role"]) == ("person_b", "Bo", "viewer")
    assert (fired["routine_id"], fired["note"]) == ("rou_1", "the one before still runs")
    assert b"hello there" in files[f"threads/{desk.rig.thread.id}.md"]
    assert json.loads(files[f"threads/{desk.rig.thread.id}.json"])["complete"]
    listed = json.loads(files.pop("contents.json"))
    assert {one["name"]: one["sha256"] for one in listed["files"]} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items()
    }
    assert listed["missing"] == []


async def test_a_death_at_any_call_of_the_store_leads_to_the_same_archive(desk: Desk) -> None:
    desk.rig.send("hello")
    desk.artifact("a.txt", b"a")
    await desk.builder.begin()
    await desk.builder.sweep()
    whole, calls = desk.unpacked(), desk.store.calls
    await desk.builder.remove()
    for n in range(1, calls):
        desk.store.dies_at = None
        await desk.builder.begin()
        desk.store.dies_at = desk.store.calls + n
        try:
            await desk.builder.sweep()
        except Died:
            desk.restarted()
            desk.builder.remind()
            assert desk.rung[-1] <= desk.context.now_ms() + AGAIN_MS
            await desk.builder.sweep()
        again = desk.unpacked()
        whole.pop("contents.json", None)
        again.pop("contents.json")
        assert again == whole
        await desk.builder.remove()
    assert list(desk.store.objects) == [f"owners/{OWNER}/artifacts/art_0"]


async def test_what_is_gone_is_said_to_be_missing(desk: Desk) -> None:
    desk.rig.send("hello")
    desk.artifact("there.txt", b"a")
    gone = desk.artifact("gone.txt", b"b", stored=False)
    await desk.builder.begin()
    desk.rig.owner.removals.hide(desk.rig.thread.id)
    await desk.builder.sweep()
    shown = desk.builder.shown()
    assert (shown.state, shown.missing) == (ArchiveState.READY, 3)
    missing = json.loads(desk.unpacked()["contents.json"])["missing"]
    thread = desk.rig.thread.id
    assert missing == [f"threads/{thread}.md", f"threads/{thread}.json", f"artifacts/{gone.id}/gone.txt"]


@pytest.mark.parametrize("size", [ARCHIVE_PIECE_BYTES, ARCHIVE_PIECE_BYTES + 1])
async def test_a_long_text_lies_in_pieces(desk: Desk, size: int) -> None:
    text = "x" * (size - 2)
    desk.answers["bots"] = text
    await desk.builder.begin()
    await desk.builder.sweep()
    assert json.loads(desk.unpacked()["bots.json"]) == text
    sizes = [len(content) for content in desk.store.objects.values() if len(content) > 1000]
    assert sizes == [ARCHIVE_PIECE_BYTES]
    assert len(desk.store.objects) == desk.builder.shown().files + (size > ARCHIVE_PIECE_BYTES) - _empty(desk)


def _empty(desk: Desk) -> int:
    """Files without a byte have no piece."""
    return sum(content == b"" for content in desk.unpacked().values())


async def test_as_many_files_as_may_be_and_the_rest_is_counted(desk: Desk) -> None:
    await desk.builder.begin()
    others = desk.builder.shown().files
    await desk.builder.sweep()
    for number in range(ARCHIVE_FILES_MAX - others):
        desk.context.sql.run(
            "INSERT INTO uploads (id, thread_id, name, media_type, size, key, created_ms)"
            " VALUES (?, ?, 'a', 'text/plain', 1, ?, 1)",
            f"upl_{number}",
            desk.rig.thread.id,
            f"key-{number}",
        )
    begun = await desk.builder.begin()
    assert (begun.files, begun.left_out) == (ARCHIVE_FILES_MAX, 0)
    await desk.builder.remove()
    desk.artifact("one more.txt", b"a")
    begun = await desk.builder.begin()
    assert (begun.files, begun.left_out) == (ARCHIVE_FILES_MAX, 1)


async def test_a_store_that_does_not_answer_is_asked_again_and_then_given_up(desk: Desk) -> None:
    await desk.builder.begin()
    desk.store.fails = True
    for attempt in range(1, ARCHIVE_TRIES):
        await desk.builder.sweep()
        assert desk.builder.shown().state == ArchiveState.BUILDING
        assert desk.rung[-1] == desk.context.now_ms() + AGAIN_MS * attempt
    await desk.builder.sweep()
    assert desk.builder.shown().state == ArchiveState.FAILED
    desk.store.fails = False
    await desk.builder.begin()
    await desk.builder.sweep()
    assert desk.builder.shown().state == ArchiveState.READY


async def test_it_is_kept_for_some_days(desk: Desk, clock: Clock) -> None:
    await desk.builder.begin()
    await desk.builder.sweep()
    until = desk.context.now_ms() + ARCHIVE_DAYS * DAY_MS
    assert desk.rung[-1] == until
    clock.ms = until - 1
    await desk.builder.sweep()
    assert desk.builder.shown().state == ArchiveState.READY
    clock.ms = until
    await desk.builder.sweep()
    assert desk.builder.shown().state == ArchiveState.NONE
    assert desk.store.objects == {}


async def test_two_that_ask_at_once_get_one(desk: Desk) -> None:
    first, second = await desk.builder.begin(), await desk.builder.begin()
    assert first.id == second.id
    await desk.builder.sweep()
    third = await desk.builder.begin()
    assert third.id != first.id
    assert desk.store.objects == {}


async def test_one_that_is_removed_while_it_is_built_leaves_nothing(desk: Desk) -> None:
    await desk.builder.begin()

    async def other() -> list[str]:
        await desk.builder.remove()
        return ["{}"]

    desk.other = other  # type: ignore[method-assign]
    desk.restarted()
    await desk.builder.sweep()
    assert desk.builder.shown().state == ArchiveState.NONE
    assert desk.store.objects == {}
