"""The cgroups of one computer: made, joined, frozen, killed and removed.

Layout in every hierarchy: `<computer>/` carries the limits and belongs to the engine;
`<computer>/computer/` belongs to the computer's user; `<computer>/computer/init/` holds its first
process, because a v2 group that hands controllers down may hold none itself.
"""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from local.engine.cgroups import Hierarchies, Limits, settings
from local.engine.sandbox import Folder

GIVEN, FIRST = "computer", "init"
INSIDE = "/run/berth/cgroup"
FREEZE_SECONDS = 2.0
POLL_SECONDS = 0.002


@dataclass(frozen=True)
class Groups:
    hierarchies: Hierarchies
    name: str

    def make(self, limits: Limits, owner: int) -> None:
        for controller, base in self._each():
            group = base / self.name
            group.mkdir(parents=True, exist_ok=True)
            version = 2 if controller == "unified" else 1
            wanted = ("memory", "pids", "cpu") if version == 2 else (controller,)
            for kind in wanted:
                _write_settings(group, settings(limits, kind, 2 if version == 2 else 1))
            if controller in ("unified", "pids"):
                self._give(group, owner, controller == "unified")

    def _give(self, group: Path, owner: int, unified: bool) -> None:
        given = group / GIVEN
        (given / FIRST).mkdir(parents=True, exist_ok=True)
        if unified and self.hierarchies.unified_limits:
            for folder in (group, given):
                (folder / "cgroup.subtree_control").write_text("+memory +pids")
        for folder in (given, given / FIRST):
            os.chown(folder, owner, owner)
            for file in ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control", "tasks"):
                if (folder / file).exists():
                    os.chown(folder / file, owner, owner)

    def join_files(self) -> list[Path]:
        """Return the files into which a process id is written to put it under the limits."""
        found = []
        for controller, base in self._each():
            given = controller in ("unified", "pids")
            group = base / self.name / GIVEN / FIRST if given else base / self.name
            found.append(group / "cgroup.procs")
        return found

    def join(self, process: int) -> None:
        for file in self.join_files():
            file.write_text(str(process))

    def folders(self) -> list[Folder]:
        """Return what the computer sees of its groups."""
        found = []
        for controller, base in self._each():
            if controller in ("unified", "pids"):
                source = base / self.name / GIVEN
                found.append(Folder(str(source), f"{INSIDE}/{controller}"))
            elif controller == "memory":
                found.append(Folder(str(base / self.name), f"{INSIDE}/memory", True))
        return found

    async def freeze(self, frozen: bool) -> bool:
        """Stop or go on with every process of the computer; False if there is no way to."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + FREEZE_SECONDS
        switch = self._freezer()
        if switch is None:
            return False
        file, value, sign, wanted = switch
        file.write_text(value[frozen])
        while loop.time() < deadline:
            if wanted[frozen] in sign.read_text().split("\n"):
                return True
            await asyncio.sleep(POLL_SECONDS)
        return False

    def _freezer(self) -> tuple[Path, dict[bool, str], Path, dict[bool, str]] | None:
        folders = dict(self._each())
        if "unified" in folders:
            group = folders["unified"] / self.name
            signs = {True: "frozen 1", False: "frozen 0"}
            return group / "cgroup.freeze", {True: "1", False: "0"}, group / "cgroup.events", signs
        if "freezer" in folders:
            file = folders["freezer"] / self.name / "freezer.state"
            words = {True: "FROZEN", False: "THAWED"}
            return file, words, file, words
        return None

    def was_out_of_memory(self) -> bool:
        for controller, base in self._each():
            for name in ("memory.oom_control", "memory.events"):
                file = base / self.name / name
                if controller in ("memory", "unified") and file.exists():
                    words = file.read_text().split()
                    return "oom_kill" in words and words[words.index("oom_kill") + 1] != "0"
        return False

    async def remove(self) -> None:
        """Remove the groups; their processes must be dead, but may take a moment to be gone."""
        for _, base in self._each():
            await remove_group(base / self.name)

    def _each(self) -> Iterator[tuple[str, Path]]:
        if self.hierarchies.unified is not None:
            yield "unified", self.hierarchies.unified
        yield from self.hierarchies.v1


def _write_settings(group: Path, values: tuple[tuple[str, str], ...]) -> None:
    for file, value in values:
        # Swap accounting and CPU bandwidth are options of the kernel; without them the file is
        # missing, and there is nothing to limit.
        if (group / file).exists():
            (group / file).write_text(value)


def processes_below(group: Path) -> set[int]:
    found: set[int] = set()
    for folder, _, files in os.walk(group):
        if "cgroup.procs" in files:
            found.update(int(line) for line in Path(folder, "cgroup.procs").read_text().split())
    return found


async def remove_group(group: Path) -> bool:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + FREEZE_SECONDS
    while group.exists():
        for folder, _, _ in os.walk(group, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:  # a process in it has not been reaped yet
                break
        if not group.exists():
            return True
        if loop.time() > deadline:
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True
