"""When all files are walked over, and when what is known already answers."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from computerd import limits, space
from computerd.errors import WorkspaceFull
from computerd.loop import Loop
from computerd.space import Claim, MeasureError, Space
from contracts.limits import WORKSPACE_BYTES_MAX

T = TypeVar("T")
BLOCK = 4096
LIMIT = 100 * BLOCK


class Pool:
    """Whether commands run, as a test says."""

    busy = False

    def at_work(self) -> bool:
        return self.busy


class Known(Space):
    """Its walks find what a test says, and are counted."""

    def __init__(self, folder: Path, pool: Pool) -> None:
        super().__init__(Loop(), pool, [str(folder)])  # type: ignore[arg-type]
        self.finds = 0
        self.walks = 0
        self.broken = False
        self.inode = 0

    async def _counted(self) -> int:
        self.walks += 1
        if self.broken:
            raise MeasureError("a test")
        return self.finds

    def new(self) -> Claim:
        self.inode += 1
        return self.claim(self.inode)

    def write(self, size: int) -> None:
        claim = self.new()
        now(claim.grow(size))
        claim.settle(kept=True, folders=0)


def now(work: Coroutine[Any, Any, T]) -> T:
    """Run what never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("it waits")


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """What the file system says is used: of others as well."""
    said = {"used": 1_000 * BLOCK}
    monkeypatch.setattr(space, "_disk_used", lambda folders: said["used"])
    monkeypatch.setattr(limits, "WORKSPACE_BYTES", LIMIT)
    monkeypatch.setattr(limits, "SPACE_GRAIN_BYTES", BLOCK)
    return said


@pytest.fixture
def pool() -> Pool:
    return Pool()


@pytest.fixture
def known(tmp_path: Path, pool: Pool, disk: dict[str, int]) -> Known:
    return Known(tmp_path, pool)


def test_the_service_keeps_to_the_limit_that_is_promised() -> None:
    assert limits.WORKSPACE_BYTES == WORKSPACE_BYTES_MAX


def test_where_the_whole_disk_has_less_nothing_is_walked_over(known: Known, disk: dict[str, int]) -> None:
    disk["used"] = LIMIT - BLOCK
    known.write(BLOCK)
    assert known.walks == 0


def test_one_walk_answers_until_so_much_was_written(known: Known, disk: dict[str, int]) -> None:
    for _ in range(100):
        known.write(BLOCK)
        disk["used"] += BLOCK
    assert known.walks == 1
    known.finds = 50 * BLOCK
    for _ in range(50):
        known.write(BLOCK)
    assert known.walks == 2


def test_others_who_free_space_hide_nothing(known: Known, disk: dict[str, int]) -> None:
    known.write(BLOCK)
    disk["used"] -= 500 * BLOCK
    known.commands_ran()
    known.commands_wrote(99 * BLOCK)
    assert known.bound() == LIMIT
    known.commands_wrote(99 * BLOCK + 1)
    known.finds = LIMIT + 1
    assert now(known.over())


def test_space_that_was_taken_without_writing_is_seen(known: Known, disk: dict[str, int]) -> None:
    known.write(BLOCK)
    disk["used"] += 99 * BLOCK
    known.finds = LIMIT
    assert not now(known.over())
    assert known.walks == 1
    disk["used"] += 100 * BLOCK
    known.finds = LIMIT + BLOCK
    assert now(known.over())
    assert known.walks == 2
    assert known.grown == LIMIT


def test_what_cannot_have_changed_is_not_measured_again(known: Known, pool: Pool) -> None:
    known.finds = LIMIT
    for _ in range(3):
        with pytest.raises(WorkspaceFull):
            known.write(1)
    assert known.walks == 1
    known.commands_ran()
    known.finds = LIMIT - BLOCK
    known.write(1)
    assert known.walks == 2


def test_while_a_command_runs_every_refusal_is_measured(known: Known, pool: Pool) -> None:
    pool.busy = True
    known.finds = LIMIT
    for _ in range(3):
        with pytest.raises(WorkspaceFull):
            known.write(1)
    assert known.walks == 3


def test_what_is_claimed_counts_until_it_is_given_up(known: Known) -> None:
    first, second = known.new(), known.new()
    now(first.grow(60 * BLOCK))
    now(second.grow(40 * BLOCK))
    with pytest.raises(WorkspaceFull) as full:
        now(second.grow(40 * BLOCK + 1))
    assert full.value.details == {
        "reason": "workspace_full_at",
        "used_said": "0.23 MB",
        "limit_said": "0.39 MB",
        "used": 60 * BLOCK,
        "limit": LIMIT,
    }
    first.settle(kept=False, folders=0)
    now(second.grow(LIMIT))


def test_a_first_command_that_wrote_little_does_not_wait_for_a_walk(
    known: Known, disk: dict[str, int]
) -> None:
    known.commands_ran()
    disk["used"] += BLOCK - 1
    assert not now(known.over())
    assert known.walks == 0
    disk["used"] += 1
    assert not now(known.over())
    assert known.walks == 1


def test_where_it_cannot_be_measured_nothing_is_written(known: Known) -> None:
    known.broken = True
    with pytest.raises(WorkspaceFull, match="cannot be measured"):
        known.write(1)
    known.broken = False
    known.write(1)


def test_an_empty_file_may_be_written_into_a_full_workspace(known: Known) -> None:
    known.finds = LIMIT
    known.write(0)
