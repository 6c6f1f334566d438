"""The groups of one computer, on folders that stand in for a cgroup mount."""

from pathlib import Path

import pytest

from local.engine.cgroups import Hierarchies, Limits
from local.engine.groups import Groups, processes_below

FILES = ("cgroup.procs", "pids.max", "memory.limit_in_bytes", "memory.max", "memory.oom_control")


def mounted(folder: Path, name: str) -> Path:
    """A group of the kernel's comes with its files in it; here they are put there first."""
    base = folder / name
    for group in (base / "one", base / "one/computer", base / "one/computer/init"):
        group.mkdir(parents=True)
        for file in FILES:
            (group / file).write_text("")
    return base


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    v1 = tuple((name, mounted(tmp_path, name)) for name in ("memory", "pids"))
    return Groups(Hierarchies(unified=mounted(tmp_path, "unified"), v1=v1), "one")


def test_limits_sit_above_what_the_computer_may_write(groups: Groups, tmp_path: Path) -> None:
    groups.make(Limits(memory_bytes=1000, processes=7), owner=-1)
    assert (tmp_path / "pids/one/pids.max").read_text() == "7"
    assert (tmp_path / "memory/one/memory.limit_in_bytes").read_text() == "1000"
    assert (tmp_path / "pids/one/computer/pids.max").read_text() == ""


def test_the_first_process_joins_a_leaf_of_the_given_groups(groups: Groups, tmp_path: Path) -> None:
    groups.join(42)
    for place in ("unified/one/computer/init", "pids/one/computer/init", "memory/one"):
        assert (tmp_path / place / "cgroup.procs").read_text() == "42"


def test_the_computer_sees_its_own_groups_and_its_memory_to_read(groups: Groups, tmp_path: Path) -> None:
    seen = {folder.target: (folder.source, folder.read_only) for folder in groups.folders()}
    assert seen == {
        "/run/berth/cgroup/unified": (f"{tmp_path}/unified/one/computer", False),
        "/run/berth/cgroup/memory": (f"{tmp_path}/memory/one", True),
        "/run/berth/cgroup/pids": (f"{tmp_path}/pids/one/computer", False),
    }


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", True),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", False),
        ("memory.oom_control", "oom_kill_disable 0\n", False),
    ],
)
def test_the_kernels_count_of_kills_tells_of_want_of_memory(
    groups: Groups, tmp_path: Path, file: str, text: str, found: bool
) -> None:
    (tmp_path / "memory/one" / file).write_text(text)
    (tmp_path / "unified/one/memory.oom_control").unlink()
    assert groups.was_out_of_memory() is found


def test_processes_of_a_whole_tree_are_found(tmp_path: Path) -> None:
    base = mounted(tmp_path, "pids")
    (base / "one/cgroup.procs").write_text("1\n2\n")
    (base / "one/computer/init/cgroup.procs").write_text("3\n")
    assert processes_below(base) == {1, 2, 3}
