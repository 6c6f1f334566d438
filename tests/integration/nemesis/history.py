"""What happened, as it is judged afterwards: operations from start to end, faults, notices, machines.

Times are this machine's monotonic clock. A token is what an operation wrote and nothing else did; it names
the owner, the client and the operation.
"""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.integration.nemesis.engine_events import Moved

Kind = Literal[
    "append", "write", "read", "big", "leave", "outside", "export", "upload", "stop", "sleep", "reset"
]
# A file whose name begins so holds the last token that was written; every other holds all of them.
REGISTER = "w"
Outcome = Literal["open", "done", "failed", "lost", "stuck"]


@dataclass
class Operation:
    number: int
    owner: str
    client: str
    kind: Kind
    began: float
    file: str = ""
    """Which file it touches; only its own client does."""
    token: str = ""
    """What it writes there, if it writes."""
    ended: float = 0.0
    outcome: Outcome = "open"
    """done: acknowledged. failed, lost: what it did is not known. stuck: it never ended."""
    saw: list[str] | None = None
    """The tokens of its file that it found, in order, its own among them; None where it saw nothing."""
    error: dict[str, Any] | None = None
    texts: list[str] = field(default_factory=list)
    """Everything that was answered."""
    marker: str = ""
    """What names its processes."""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    at: float
    what: str


@dataclass(frozen=True)
class Notice:
    """An owner was told that the files are older than they were left."""

    at: float
    owner: str
    unusable: bool = False
    """Whether it said that something newer had been saved and could not be used."""


@dataclass(frozen=True)
class Leftover:
    """A process of an operation that had ended so long before."""

    number: int
    seconds: float


@dataclass
class History:
    seed: int
    operations: list[Operation] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    machines: list[Moved] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    """URLs that reached the outside."""
    heap_bytes: int = 0
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @contextmanager
    def operation(self, owner: str, client: str, kind: Kind, file: str = "") -> Iterator[Operation]:
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        made = Operation(number, owner, client, kind, loop.time(), file)
        made.token = f"{owner}.{client}.{number}"
        self.operations.append(made)
        try:
            yield made
        finally:
            made.ended = loop.time()

    def fault(self, what: str) -> None:
        self.faults.append(Fault(asyncio.get_running_loop().time(), what))

    def told(self) -> str:
        """The history as text, for whoever looks into a failure."""
        begin = min((op.began for op in self.operations), default=0.0)
        rows = [(op.began, op.ended, _row(op)) for op in self.operations]
        rows += [(fault.at, fault.at, f"   FAULT  {fault.what}") for fault in self.faults]
        rows += [(notice.at, notice.at, f"   NOTICE {notice.owner}") for notice in self.notices]
        rows += [(move.at, move.at, f"   {move.action:<7} {move.machine[-20:]}") for move in self.machines]
        return "\n".join(f"{at - begin:8.2f} {end - begin:8.2f} {text}" for at, end, text in sorted(rows))


def _row(op: Operation) -> str:
    said = f"{op.client:<8} {op.kind:<7} {op.file:<4} {op.token:<20} {op.outcome}"
    said += f" saw {[token.rsplit('.', 1)[-1] for token in op.saw]}" if op.saw is not None else ""
    said += f" {op.error['code']}" if op.error else ""
    return said + (f" {op.facts}" if op.facts else "")
