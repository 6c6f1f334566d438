"""What a wait status and a few counters say about how a command ended.

The kernel says for certain when it killed for want of memory; a program that was refused memory
says so itself, in the words of its language, on its last lines. Both are `oom`. A plain
`kill -9` is a signal and nothing more.
"""

from __future__ import annotations

import os
import re
import signal
from typing import NamedTuple

TAIL_BYTES = 2048

# Compiled at their first use: a computer that has just been woken has better things to do.
_REFUSED = (
    rb"(?m)^(?:[\w.]+\.)?_?(?:Array)?MemoryError(?::|\s*$)"
    rb"|std::bad_alloc"
    rb"|JavaScript heap out of memory"
    rb"|java\.lang\.OutOfMemoryError"
    rb"|: (?:fork: )?[Cc]annot allocate memory\s*$"
    rb"|[Mm]emory exhausted\s*$"
    rb"|fatal error: runtime: out of memory"
    rb"|memory allocation of \d+ bytes failed"
)
_KILLED = rb"(?m)^\S*bash: line \d+:\s+\d+ Killed"


class Ending(NamedTuple):
    exit_code: int | None
    signal: int | None


def ending(status: int | None) -> Ending:
    """Exit code or signal of the shell; both None only when nobody knows."""
    if status is None:
        return Ending(None, None)
    if os.WIFSIGNALED(status):
        return Ending(None, os.WTERMSIG(status))
    return Ending(os.WEXITSTATUS(status), None)


def may_be_out_of_memory(end: Ending, stderr_tail: bytes) -> bool:
    """Whether it is worth asking the kernel; a clean end answers for itself."""
    return end.exit_code != 0 or re.search(_KILLED, stderr_tail) is not None


def out_of_memory(end: Ending, kernel_kills: int, ours: bool, stderr_tail: bytes) -> bool:
    """Whether memory is why the command, or a part of it, ended.

    `kernel_kills` counts the kernel's kills for memory while the command ran, on the whole
    kernel where no group counts them; so it counts only if somebody was killed here, and not
    by us (`ours`).
    """
    if kernel_kills and not ours:
        killed = 128 + signal.SIGKILL
        if end.signal == signal.SIGKILL or end.exit_code == killed or re.search(_KILLED, stderr_tail):
            return True
    return end.exit_code != 0 and re.search(_REFUSED, stderr_tail) is not None


def kernel_kills_now() -> int:
    """The kernel's count of processes killed for memory since it started."""
    with open("/proc/vmstat", "rb") as file:
        for line in file:
            if line.startswith(b"oom_kill "):
                return int(line[9:])
    return 0
