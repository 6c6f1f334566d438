"""Limits as values of files, and the hierarchies of a machine."""

from pathlib import Path

import pytest

from local.engine.cgroups import Hierarchies, Limits, find, parse_mounts, rlimits, settings

LIMITS = Limits(memory_bytes=256 << 20, processes=64, cpus=0.5)
V1 = """cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /sys/fs/cgroup/freezer cgroup rw,freezer 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,name=systemd 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
"""


@pytest.mark.parametrize(
    ("controller", "version", "written"),
    [
        ("memory", 2, {"memory.max": "268435456", "memory.swap.max": "0"}),
        ("pids", 2, {"pids.max": "64"}),
        ("cpu", 2, {"cpu.max": "50000 100000", "cpu.weight": "50"}),
        ("memory", 1, {"memory.limit_in_bytes": "268435456", "memory.memsw.limit_in_bytes": "268435456"}),
        ("pids", 1, {"pids.max": "64"}),
        ("cpu", 1, {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000", "cpu.shares": "512"}),
        ("freezer", 1, {}),
    ],
)
def test_settings(controller: str, version: int, written: dict[str, str]) -> None:
    assert dict(settings(LIMITS, controller, 2 if version == 2 else 1)) == written


def test_a_tiny_share_of_a_cpu_stays_above_what_the_kernel_takes() -> None:
    assert dict(settings(Limits(cpus=0.001), "cpu", 1))["cpu.cfs_quota_us"] == "1000"


def test_the_plain_limit_of_memory_is_written_before_the_one_with_swap() -> None:
    assert [file for file, _ in settings(LIMITS, "memory", 1)] == [
        "memory.limit_in_bytes",
        "memory.memsw.limit_in_bytes",
    ]


def test_mounts_are_read() -> None:
    found = parse_mounts(V1)
    assert [name for name, _ in found.v1] == ["cpu", "memory", "freezer", "pids"]
    assert found.unified == Path("/sys/fs/cgroup/unified")


@pytest.mark.parametrize(
    ("hierarchies", "kind"),
    [
        (Hierarchies(), "rlimits"),
        (Hierarchies(unified=Path("/u")), "rlimits"),
        (Hierarchies(unified=Path("/u"), unified_limits=True), "cgroup-v2"),
        (Hierarchies(v1=(("memory", Path("/m")),)), "rlimits"),
        (Hierarchies(v1=(("memory", Path("/m")), ("pids", Path("/p")))), "cgroup-v1"),
    ],
)
def test_kind(hierarchies: Hierarchies, kind: str) -> None:
    assert hierarchies.kind == kind


def test_a_v2_hierarchy_with_controllers_hands_them_down(tmp_path: Path) -> None:
    root = tmp_path / "cgroup"
    (root / "berth-x").mkdir(parents=True)
    for folder in (root, root / "berth-x"):
        (folder / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
        (folder / "cgroup.subtree_control").write_text("")
    (tmp_path / "mounts").write_text(f"cgroup2 {root} cgroup2 rw 0 0\n")
    found = find("berth-x", tmp_path / "mounts")
    assert found.kind == "cgroup-v2"
    assert (root / "berth-x" / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_a_v2_hierarchy_without_controllers_gives_no_limits(tmp_path: Path) -> None:
    (tmp_path / "berth-x").mkdir()
    for folder in (tmp_path, tmp_path / "berth-x"):
        (folder / "cgroup.controllers").write_text("\n")
    (tmp_path / "mounts").write_text(f"cgroup2 {tmp_path} cgroup2 rw 0 0\n")
    found = find("berth-x", tmp_path / "mounts")
    assert (found.kind, found.unified) == ("rlimits", tmp_path / "berth-x")


def test_a_hierarchy_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "mounts").write_text(f"cgroup {tmp_path}/none cgroup rw,memory 0 0\n")
    assert find("berth-x", tmp_path / "mounts") == Hierarchies()


def test_limits_by_process_are_a_command_in_front_of_another() -> None:
    assert rlimits(LIMITS) == ("prlimit", "--nproc=64", "--data=268435456", "--core=0", "--")
