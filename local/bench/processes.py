"""Processes below another one, and the memory that exists because of them, read from /proc.

Memory is PSS: what several processes share is divided among them, so a sum counts nothing twice.
"""

from pathlib import Path

from local.bench.errors import BenchError

PROC = Path("/proc")


def below(root: int) -> list[int]:
    """Return every descendant of a process, parents before children."""
    children: dict[int, list[int]] = {}
    for entry in PROC.glob("[0-9]*"):
        if (parent := _parent(entry)) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found, ahead = list[int](), [root]
    while ahead:
        nearest = children.get(ahead.pop(0), [])
        found += nearest
        ahead += nearest
    return found


def _parent(process: Path) -> int | None:
    try:
        # The name in parentheses may hold anything, spaces and parentheses too.
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None  # it ended while we looked


def pss_bytes(process: int) -> int:
    """Return 0 for a process that has ended meanwhile or has no memory any more."""
    try:
        lines = (PROC / str(process) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except PermissionError as error:
        raise BenchError(f"The memory of process {process} may not be read: {error.strerror}.") from error
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def tree_pss_bytes(root: int) -> int:
    """A process and everything below it."""
    return sum(pss_bytes(process) for process in (root, *below(root)))


def in_another_network(processes: list[int]) -> int | None:
    """Return the first of the processes that is not in this process's network namespace."""
    ours = (PROC / "self/ns/net").stat().st_ino
    for process in processes:
        try:
            namespace = (PROC / str(process) / "ns/net").stat().st_ino
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        if namespace != ours:
            return process
    return None
