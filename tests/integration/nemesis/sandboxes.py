"""The computers of a stack as the machine sees them: whose is which, what lives in it, and blows to it.

A computer's folder is known by a file that its owner's first command has left in the workspace.
"""

import contextlib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from local.engine.leftovers import PROCESS_RECORD, start_time
from local.stack import LocalStack
from tests.integration.waiting import until

MARK = ".owner"
MARK_COMMAND = f"printf %s {{owner}} > {MARK}"


def processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def namespace(pid: int) -> str:
    """Which pid namespace a process is in; empty where it is gone."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:
        return ""


def inner_pid(pid: int) -> int | None:
    """Its id in its own namespace; None where it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    (line,) = (line for line in status.splitlines() if line.startswith("NSpid:"))
    return int(line.split()[-1])


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _below(top: int) -> list[int]:
    parents = {pid: parent(pid) for pid in processes()}
    found, fresh = [top], [top]
    while fresh:
        fresh = [pid for pid, above in parents.items() if above in fresh]
        found += fresh
    return found


@dataclass(frozen=True)
class Sandbox:
    """A computer that runs: its first process, seen from the host, and the namespace of all of them."""

    first: int
    space: str

    def alive(self) -> list[int]:
        return [pid for pid in processes() if namespace(pid) == self.space]

    def kill(self) -> None:
        """Kill the first process, and with it all others, without a word to anybody."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.first, signal.SIGKILL)

    def signal(self, number: int) -> None:
        for pid in self.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    @asynccontextmanager
    async def stopped(self) -> AsyncIterator[None]:
        """Nothing in it moves meanwhile."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)


def sandbox_of(stack: LocalStack, owner: str) -> Sandbox | None:
    """The owner's running computer; None where none runs."""
    for record in (stack.state / "engine/c").glob(f"*/{PROCESS_RECORD}"):
        mark = record.parent / "fs/workspace" / MARK
        try:
            leader, _, started = record.read_text().partition(" ")
            whose = mark.read_text()
        except OSError:
            continue
        if whose == owner and leader.isdecimal() and start_time(int(leader)) == started:
            here = namespace(os.getpid())
            inner = [pid for pid in _below(int(leader)) if namespace(pid) not in ("", here)]
            for pid in inner:
                if inner_pid(pid) == 1:
                    return Sandbox(pid, namespace(pid))
    return None


async def until_gone(sandbox: Sandbox) -> None:
    """Wait until no process of it is left; fail when that does not come."""

    async def look() -> bool:
        return not sandbox.alive()

    await until(f"the end of {sandbox}", look)
