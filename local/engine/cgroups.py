"""Limits for memory, processes and CPU of a computer, by cgroups v2 or v1.

`find` looks at what this machine mounts and lets us write; `Groups` makes one group a computer in
each hierarchy. Below it a group `computer` is given to the computer's user, so that the service
inside can make a group for each command; the limits sit above, where that user cannot write.
Where no cgroup is writable, rlimits are what is left (see `launch`).
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

Kind = Literal["cgroup-v2", "cgroup-v1", "rlimits"]
PERIOD_US = 100_000
CPU_WEIGHT = 50
"""Of 100: when the machine is full, its own programs go before a computer's."""
CONTROLLERS = ("memory", "pids", "cpu")


@dataclass(frozen=True)
class Limits:
    memory_bytes: int = 4 << 30
    processes: int = 1024
    cpus: float = 2.0


@dataclass(frozen=True)
class Hierarchies:
    """Folders in which groups may be made. `v1` is by controller."""

    unified: Path | None = None
    unified_limits: bool = False
    v1: tuple[tuple[str, Path], ...] = ()

    @property
    def kind(self) -> Kind:
        if self.unified_limits:
            return "cgroup-v2"
        return "cgroup-v1" if {"memory", "pids"} <= dict(self.v1).keys() else "rlimits"

    def all(self) -> Iterator[Path]:
        if self.unified is not None:
            yield self.unified
        for _, path in self.v1:
            yield path


def settings(limits: Limits, controller: str, version: Literal[1, 2]) -> tuple[tuple[str, str], ...]:
    """Return which file of a group gets which value, in the order of writing."""
    quota = max(1000, round(limits.cpus * PERIOD_US))
    memory, processes = str(limits.memory_bytes), str(limits.processes)
    table = {
        ("memory", 2): (("memory.max", memory), ("memory.swap.max", "0")),
        ("pids", 2): (("pids.max", processes),),
        ("cpu", 2): (("cpu.max", f"{quota} {PERIOD_US}"), ("cpu.weight", str(CPU_WEIGHT))),
        ("memory", 1): (
            ("memory.limit_in_bytes", memory),
            ("memory.memsw.limit_in_bytes", memory),
        ),
        ("pids", 1): (("pids.max", processes),),
        ("cpu", 1): (
            ("cpu.cfs_period_us", str(PERIOD_US)),
            ("cpu.cfs_quota_us", str(quota)),
            ("cpu.shares", str(CPU_WEIGHT * 1024 // 100)),
        ),
    }
    return table.get((controller, version), ())


def rlimits(limits: Limits) -> tuple[str, ...]:
    """Return what runs a command under limits by process, for want of groups."""
    return (
        "prlimit",
        f"--nproc={limits.processes}",
        f"--data={limits.memory_bytes}",
        "--core=0",
        "--",
    )


def parse_mounts(mounts: str) -> Hierarchies:
    """Read /proc/mounts into the hierarchies that it names, writable or not."""
    found = Hierarchies()
    for line in mounts.splitlines():
        _, path, kind, options, *_ = line.split(" ")
        if kind == "cgroup2":
            found = replace(found, unified=Path(path))
        elif kind == "cgroup":
            names = [name for name in (*CONTROLLERS, "freezer") if name in options.split(",")]
            found = replace(found, v1=(*found.v1, *((name, Path(path)) for name in names)))
    return found


def find(name: str, mounts: Path = Path("/proc/mounts")) -> Hierarchies:
    """Return the folders called `name`, made in each hierarchy that lets us write."""
    seen = parse_mounts(mounts.read_text())
    v1 = tuple((kind, path / name) for kind, path in seen.v1 if _make(path / name))
    unified = None
    if seen.unified is not None and _make(seen.unified / name):
        unified = seen.unified / name
    return Hierarchies(unified, unified is not None and _enable(unified), v1)


def forget(name: str, mounts: Path = Path("/proc/mounts")) -> None:
    """Remove what `find` made, where nothing is in it."""
    for base in parse_mounts(mounts.read_text()).all():
        with contextlib.suppress(OSError):
            (base / name).rmdir()


def _make(path: Path) -> bool:
    try:
        path.mkdir(exist_ok=True)
    except OSError:
        return False  # read-only or not ours: the caller falls back and `--probe` says so
    return os.access(path, os.W_OK)


def _enable(group: Path) -> bool:
    """Hand the controllers down from the group's parent through the group to its children."""
    for folder in (group.parent, group):
        available = (folder / "cgroup.controllers").read_text().split()
        if not {"memory", "pids"} <= set(available):
            return False
        wanted = " ".join("+" + name for name in CONTROLLERS if name in available)
        try:
            (folder / "cgroup.subtree_control").write_text(wanted)
        except OSError:
            return False
    return True
