"""A control group for each supervisor, where the platform delegates a folder for it.

`pids` is a v1 hierarchy and bounds how many processes a command may have; `unified` is a v2
folder, which kills a whole group at once and, where its controllers are enabled, also bounds
and counts out-of-memory kills. Either may be missing: then a limit on the user's processes and
the process tree do their work, as docs/computer.md says.
"""

from __future__ import annotations

import errno
import os
import time

BASE = "/run/berth/cgroup"


class Group:
    """The folders of one supervisor, at most one in each hierarchy."""

    def __init__(self, folders: list[str], bounded: bool) -> None:
        self.folders = folders
        self.bounded = bounded
        """The kernel bounds the processes of this group."""

    def join(self) -> None:
        """Move the calling process in; what it starts stays in."""
        for folder in self.folders:
            _write(f"{folder}/cgroup.procs", "0")

    def kill(self) -> bool:
        """Kill everything in the group at one stroke, the supervisor too; False if it cannot."""
        return any(_write(f"{folder}/cgroup.kill", "1") for folder in self.folders)

    def oom_kills(self) -> int | None:
        """How often the kernel has killed in this group for want of memory, if it counts that."""
        for folder in self.folders:
            count = _field(f"{folder}/memory.events", "oom_kill")
            if count is not None:
                return count
        return None

    def remove(self) -> None:
        for folder in self.folders:
            try:
                os.rmdir(folder)
            except OSError as error:
                # A process that cannot be killed still holds it; it goes with the computer.
                if error.errno not in (errno.EBUSY, errno.ENOENT):
                    raise


class Groups:
    """Makes groups below the delegated folders."""

    def __init__(self, processes: int, base: str = BASE) -> None:
        self._processes = processes
        self._count = 0
        # Process ids repeat after a restore, and an old folder may still be there.
        self._boot = f"{os.getpid()}-{time.time_ns():x}"
        self._bases = [
            folder
            for folder in (f"{base}/pids", f"{base}/unified")
            if os.access(f"{folder}/cgroup.procs", os.W_OK)
        ]
        for folder in self._bases:
            # Each controller by itself: one that is not there refuses the whole line.
            for controller in ("+pids", "+memory"):
                _write(f"{folder}/cgroup.subtree_control", controller)

    def make(self) -> Group:
        self._count += 1
        made: list[str] = []
        bounded = False
        for base in self._bases:
            folder = f"{base}/{self._boot}-{self._count}"
            try:
                os.mkdir(folder)
            except OSError as error:
                print(f"computerd: no control group below {base}: {error}", flush=True)
                continue
            made.append(folder)
            bounded |= _write(f"{folder}/pids.max", str(self._processes))
        return Group(made, bounded)

    @property
    def kind(self) -> str:
        """What bounds a command's processes here, for the health page."""
        probe = self.make()
        probe.remove()
        names = [os.path.basename(base) for base in self._bases]
        if not probe.bounded:
            return "rlimit"
        return "cgroup-v1" if "pids" in names else "cgroup-v2"


def _write(path: str, text: str) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, text.encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def _field(path: str, name: str) -> int | None:
    try:
        with open(path) as file:
            rows = [line.split() for line in file]
    except OSError:
        return None
    return next((int(row[1]) for row in rows if row[0] == name), None)
