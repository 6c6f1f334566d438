"""One engine a state folder, and what a crashed one left there.

A lock on the folder keeps a second engine out. At start everything of the one before is killed:
the processes in the cgroups of this folder's name, and those that a record in the folder names by
id and start time. Nothing is ever looked for by a program's name. Then the folders go.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import signal
from pathlib import Path

from local.engine.cgroups import Hierarchies
from local.engine.errors import MachineRefusesError
from local.engine.groups import processes_below, remove_group
from local.engine.trees import Workbench

FOLDERS = ("c", "i", "v", "t")
PROCESS_RECORD = "process"
UNFINISHED = ".new"
PATIENCE_SECONDS = 5.0


def group_name(state: Path) -> str:
    return "berth-" + hashlib.sha256(str(state).encode()).hexdigest()[:10]


def lock(state: Path) -> int:
    """Make the state folder and take it, or say who has it."""
    state.mkdir(parents=True, exist_ok=True)
    state.chmod(0o711)
    for name in FOLDERS:
        (state / name).mkdir(exist_ok=True)
        (state / name).chmod(0o711)
    descriptor = os.open(state / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise MachineRefusesError(f"another engine is using {state}") from error
    return descriptor


def start_time(process: int) -> str | None:
    """Return when a process started, in the kernel's ticks: with the id it names one process."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()[19]


def record_process(folder: Path, process: int) -> None:
    (folder / PROCESS_RECORD).write_text(f"{process} {start_time(process)}")


def recorded(state: Path) -> set[int]:
    found = set()
    for file in (state / "c").glob(f"*/{PROCESS_RECORD}"):
        process, _, started = file.read_text().partition(" ")
        if process.isdigit() and start_time(int(process)) == started:
            found.add(int(process))
    return found


async def clear(state: Path, hierarchies: Hierarchies, workbench: Workbench) -> int:
    """Kill and remove what the last engine left; return how many processes that were."""
    killed = recorded(state)
    for group in hierarchies.all():
        killed |= processes_below(group)
    for process in killed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    while any(processes_below(group) for group in hierarchies.all()) and loop.time() < deadline:
        await asyncio.sleep(0.01)
    for group in hierarchies.all():
        for child in [path for path in group.iterdir() if path.is_dir()]:
            await remove_group(child)
    for folder in (*(state / "c").iterdir(), *(state / "t").iterdir()):
        await discard(folder, workbench)
    for folder in (state / "i").glob(f"*{UNFINISHED}"):
        await discard(folder, workbench)
    return len(killed)


async def discard(folder: Path, workbench: Workbench) -> None:
    """Delete a folder of the engine whose `fs` belongs to a computer's user."""
    for part in ("fs", ""):
        await workbench.delete(folder / part)
