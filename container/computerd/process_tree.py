"""Who descends from whom, and how to end all of them.

A process can leave its group and its session, but not its ancestry: with a subreaper above,
whoever loses a parent is handed to the subreaper. So the tree below a supervisor holds all
that a command ever started. Every process is stopped before any is killed, because a stopped
process cannot fork: the last pass finds nobody new, and then all die.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_PASSES = 64


def parents() -> dict[int, int]:
    """The parent of every live process (zombies have ended; they are left out)."""
    table = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                line = file.read(512)
        except (FileNotFoundError, ProcessLookupError):
            continue
        # The name in brackets may hold blanks and brackets; the last one ends it.
        state, parent = line[line.rindex(b")") + 2 :].split(b" ", 2)[:2]
        if state not in (b"Z", b"X"):
            table[int(name)] = int(parent)
    return table


def count() -> int:
    """How many processes there are, at the price of one directory."""
    return sum(name.isdecimal() for name in os.listdir("/proc"))


def written(pid: int) -> int:
    """Bytes that a process and those it has buried wrote to files; 0 where that may not be seen."""
    try:
        with open(f"/proc/{pid}/io", "rb", buffering=0) as file:
            for line in file.read(512).splitlines():
                if line.startswith(b"write_bytes: "):
                    return int(line[13:])
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return 0


def below(root: int, table: Mapping[int, int], spared: Collection[int] = ()) -> list[int]:
    """All descendants of `root`, parents before children, without the spared and theirs."""
    children: dict[int, list[int]] = {}
    for pid, parent in table.items():
        children.setdefault(parent, []).append(pid)
    found = [pid for pid in children.get(root, ()) if pid not in spared]
    for pid in found:
        found += [child for child in children.get(pid, ()) if child not in spared]
    return found


def send(pids: Collection[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            # It has ended, or it is none of ours (a set-user-id program of the image).
            continue


def terminate_below(root: int) -> list[int]:
    """Ask every descendant to end, and wake those that are stopped so that they can."""
    found = below(root, parents())
    send(found, signal.SIGTERM)
    send(found, signal.SIGCONT)
    return found


def kill_below(root: int, spared: Collection[int] = ()) -> list[int]:
    """Kill every descendant, those too that are forking at this moment; parents first, as they were found."""
    # Not by number: numbers begin again at the bottom when they run out.
    stopped: dict[int, None] = {}
    for _ in range(_PASSES):
        new = [pid for pid in below(root, parents(), spared) if pid not in stopped]
        if not new:
            break
        send(new, signal.SIGSTOP)
        stopped.update(dict.fromkeys(new))
    send(stopped, signal.SIGKILL)
    return list(stopped)
