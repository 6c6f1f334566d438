"""Old logs go, the newest and those of known commands stay."""

import os
from pathlib import Path

import pytest

from computerd import command_log, limits
from tests.unit.container.computer import start, until


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / command_log.FOLDER
    folder.mkdir(parents=True)
    return folder


def put(logs: Path, name: str, age: int, size: int = 1) -> None:
    (logs / name).touch()
    os.truncate(logs / name, size)
    os.utime(logs / name, (10_000 - age, 10_000 - age))


def left(logs: Path) -> set[str]:
    return {path.name for path in logs.iterdir()}


def test_the_oldest_go_over_the_number_that_stays(logs: Path, tmp_path: Path) -> None:
    for age in range(limits.LOGS_KEPT + 2):
        put(logs, f"c{age}.log", age)
    command_log.prune(str(tmp_path), {f"c{limits.LOGS_KEPT}"})
    assert left(logs) == {f"c{age}.log" for age in range(limits.LOGS_KEPT + 1)}


def test_the_oldest_go_over_the_bytes_that_stay(logs: Path, tmp_path: Path) -> None:
    put(logs, "new.log", 1, limits.LOGS_BYTES - 10)
    put(logs, "fits.log", 2, 10)
    put(logs, "over.log", 3, 1)
    command_log.prune(str(tmp_path), frozenset())
    assert left(logs) == {"new.log", "fits.log"}


def test_what_is_no_log_of_ours_is_left_alone(logs: Path, tmp_path: Path) -> None:
    put(logs, "big.log", 0, limits.LOGS_BYTES + 1)
    put(logs, "notes.txt", 9)
    (logs / "folder.log").mkdir()
    (logs / "link.log").symlink_to("/etc/passwd")
    command_log.prune(str(tmp_path), frozenset())
    assert left(logs) == {"notes.txt", "folder.log", "link.log"}


def test_a_workspace_without_logs_is_none_to_prune(tmp_path: Path) -> None:
    command_log.prune(str(tmp_path), frozenset())


def test_the_service_prunes_while_it_runs(own_folder: Path) -> None:
    limit = [
        word
        for name in ("LOGS_KEPT=3", "LOGS_PRUNED_EVERY=2", "RESULTS_KEPT=1")
        for word in ("--limit", name)
    ]
    computer = start(own_folder, *limit)
    try:
        for number in range(9):
            computer.run("true", identifier=f"n{number}")
        folder = computer.workspace / command_log.FOLDER
        until(lambda: len(left(folder)) <= 5)
        assert "n8.log" in left(folder)
    finally:
        computer.stop()
