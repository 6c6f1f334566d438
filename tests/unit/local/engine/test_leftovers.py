"""What a crashed engine left: found by group and by process, never by a program's name."""

import os
from pathlib import Path

import pytest

from local.engine.errors import MachineRefusesError
from local.engine.leftovers import group_name, lock, record_process, recorded, start_time


def test_a_state_folder_is_for_one_engine(tmp_path: Path) -> None:
    held = lock(tmp_path / "state")
    with pytest.raises(MachineRefusesError, match="another engine"):
        lock(tmp_path / "state")
    os.close(held)
    os.close(lock(tmp_path / "state"))


def test_a_recorded_process_is_found_while_it_is_the_same_one(tmp_path: Path) -> None:
    folder = tmp_path / "c" / "one"
    folder.mkdir(parents=True)
    record_process(folder, os.getpid())
    assert recorded(tmp_path) == {os.getpid()}
    (folder / "process").write_text(f"{os.getpid()} 1")
    assert recorded(tmp_path) == set()


@pytest.mark.parametrize("text", ["", "x y", "1", "999999999 5"])
def test_a_broken_record_names_nobody(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "c" / "one"
    folder.mkdir(parents=True)
    (folder / "process").write_text(text)
    assert recorded(tmp_path) == set()


def test_a_process_that_is_gone_has_no_start_time() -> None:
    assert start_time(999_999_999) is None
    assert (start_time(os.getpid()) or "").isdigit()


def test_groups_are_named_by_their_state_folder() -> None:
    assert group_name(Path("/a")) != group_name(Path("/b"))
    assert group_name(Path("/a")).startswith("berth-")
