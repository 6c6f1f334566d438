"""The process between computerd and a command: it starts the shell and ends the whole tree.

A supervisor is forked ahead of time, waits for an order, and adopts every orphan below it, so
it knows when the last process of a command is gone: when the kernel says that it has no child.
It serves one command at a time and is used again only if it came out clean.

Orders and reports are marshalled tuples, one a packet:
    ("run", argv, environment, process_limit) with descriptors stdout, stderr[, script]
    ("end", grace_s)                         SIGTERM to all, SIGKILL after the grace
    -> ("spawned", pid) | ("failed", errno), then ("ended", status, shell_ns, leftovers, alive, written)
"""

from __future__ import annotations

import marshal
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from enum import Enum, auto
from typing import NoReturn

from . import limits, linux, process_tree

PACKET_BYTES = 160 * 1024
DESCRIPTORS = 3
SCRIPT_FD = 3
_INT_BYTES = struct.calcsize("i")
_IO_BLOCK = 512
_RESET = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


class Phase(Enum):
    IDLE = auto()
    RUNNING = auto()
    LINGERING = auto()
    """The shell has ended and left somebody, who has a moment to finish."""
    ENDING = auto()
    KILLING = auto()


class Supervision:
    """One command at a time, from its start until nothing of it is left."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.phase = Phase.IDLE
        self.due: float | None = None
        self._give_up = 0.0
        self._forget()

    def _forget(self) -> None:
        self.shell = 0
        self.status: int | None = None
        self.started_ns = 0
        self.shell_ns = 0
        self.leftovers: set[int] = set()
        self.written_before = _written()

    def order(self) -> None:
        """Take one packet from computerd, whose end is ours too."""
        data, fds = _receive(self.control)
        if not data:
            self._orphaned()
        match marshal.loads(data):  # noqa: S302 - computerd wrote it
            case ("run", argv, environment, process_limit):
                self._run(argv, environment, process_limit, fds)
            case ("end", grace_s):
                self._end(grace_s)

    def _run(
        self, argv: list[bytes], environment: dict[str, str], process_limit: int, fds: list[int]
    ) -> None:
        actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, fds[0], 1),
            (os.POSIX_SPAWN_DUP2, fds[1], 2),
            *((os.POSIX_SPAWN_DUP2, fd, SCRIPT_FD) for fd in fds[2:]),
        ]
        limit_processes(process_limit)
        self._forget()
        self.started_ns = time.monotonic_ns()
        try:
            self.shell = os.posix_spawn(
                "/bin/bash",
                argv,
                environment,
                file_actions=actions,
                setsid=True,
                setsigmask=(),
                setsigdef=_RESET,
            )
        except OSError as error:
            self._report("failed", error.errno)
        else:
            self.phase = Phase.RUNNING
            self._report("spawned", self.shell)
        finally:
            for fd in fds:
                os.close(fd)

    def _end(self, grace_s: float) -> None:
        if self.phase in (Phase.RUNNING, Phase.LINGERING):
            process_tree.terminate_below(os.getpid())
            self._enter(Phase.ENDING, grace_s)

    def children(self) -> None:
        """Reap whoever has ended, and see whether anybody is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._alone()
                return
            if pid == 0:
                break
            if pid == self.shell:
                self.status = status
                self.shell_ns = time.monotonic_ns() - self.started_ns
        if self.phase is Phase.RUNNING and self.status is not None:
            self._enter(Phase.LINGERING, limits.GRACE_LINGER_S)

    def overdue(self) -> None:
        """The deadline of the phase has passed."""
        match self.phase:
            case Phase.LINGERING:
                self.leftovers.update(process_tree.terminate_below(os.getpid()))
                self._enter(Phase.ENDING, limits.GRACE_LEFTOVER_S)
            case Phase.ENDING:
                self._give_up = time.monotonic() + limits.KILL_GIVE_UP_S
                self._kill()
            case Phase.KILLING if time.monotonic() > self._give_up:
                self._ended(alive=len(process_tree.below(os.getpid(), process_tree.parents())))
            case Phase.KILLING:
                self._kill()

    def _kill(self) -> None:
        killed = process_tree.kill_below(os.getpid())
        self.leftovers.update(pid for pid in killed if pid != self.shell)
        self._enter(Phase.KILLING, limits.KILL_PASS_S)

    def _alone(self) -> None:
        if self.phase is not Phase.IDLE:
            self._ended(alive=0)

    def _ended(self, alive: int) -> None:
        written = _written() - self.written_before
        self._report("ended", self.status, self.shell_ns, len(self.leftovers), alive, written)
        self.phase, self.due = Phase.IDLE, None

    def _enter(self, phase: Phase, seconds: float) -> None:
        self.phase, self.due = phase, time.monotonic() + seconds

    def _report(self, *report: str | int | None) -> None:
        try:
            self.control.send(marshal.dumps(report))
        except BrokenPipeError:
            self._orphaned()

    def _orphaned(self) -> NoReturn:
        """computerd is gone, and nothing may run without it."""
        process_tree.kill_below(os.getpid())
        os._exit(0)


def _written() -> int:
    """Bytes that all who have been buried here wrote to files."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock * _IO_BLOCK


def _receive(control: socket.socket) -> tuple[bytes, list[int]]:
    """A packet and its descriptors, which no child may inherit (`recv_fds` cannot see to that)."""
    room = socket.CMSG_LEN(DESCRIPTORS * _INT_BYTES)
    data, ancillary, _flags, _address = control.recvmsg(PACKET_BYTES, room, socket.MSG_CMSG_CLOEXEC)
    fds: list[int] = []
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds += struct.unpack(f"{len(content) // _INT_BYTES}i", content)
    return data, fds


def limit_processes(number: int) -> None:
    """Bound the whole user by what runs already and what one command may add; 0: no bound.

    Only the soft limit moves, so that it can move up again for the next command.
    """
    _soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    if number and (hard == resource.RLIM_INFINITY or number < hard):
        resource.setrlimit(resource.RLIMIT_NPROC, (number, hard))


def prepare(memory_bytes: int) -> None:
    """What every command inherits, done while nobody waits for it."""
    linux.adopt_orphans()
    linux.name_process("berth-command")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or memory_bytes < hard:
        # Private writable memory only: Node and Chromium reserve far more address space.
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    linux.show_memory()
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("500")
    except OSError as error:
        # Without it the kernel chooses whom to kill by size alone.
        print(f"computerd: oom_score_adj stays as it is: {error}", file=sys.stderr)
    linux.hide_memory()


def supervise(control: socket.socket, signals: int) -> NoReturn:
    """Live until computerd closes the other end."""
    supervision = Supervision(control)
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(signals, select.POLLIN)
    while True:
        timeout = None
        if supervision.due is not None:
            timeout = max(0.0, supervision.due - time.monotonic()) * 1000
        ready = poll.poll(timeout)
        for fd, _events in ready:
            if fd == signals:
                linux.arrivals(signals)
                supervision.children()
            else:
                supervision.order()
        if supervision.due is not None and time.monotonic() >= supervision.due:
            supervision.overdue()
