"""computerd's side of its supervisors: a warm spare, orders out, reports in.

A supervisor is forked from computerd itself, so it starts in a millisecond and shares its
memory; the fork happens while a shell is starting, not while somebody waits. A command may
kill its own supervisor, they have the same user. computerd, which cannot be killed from inside,
then inherits what was below it and ends that itself.
"""

from __future__ import annotations

import gc
import itertools
import marshal
import os
import signal
import socket
import sys

from . import cgroup, limits, process_tree
from .loop import Bell, Loop
from .supervisor import PACKET_BYTES, prepare, supervise


class Supervisor:
    """One forked supervisor and the last things it said."""

    def __init__(self, pid: int, control: socket.socket, group: cgroup.Group, bell: Bell) -> None:
        self.pid = pid
        self.control = control
        self.group = group
        self.bell = bell
        """Rings at every report."""
        self.clear()

    def clear(self) -> None:
        self.shell = 0
        self.failed: int | None = None
        self.ended = False
        self.lost = False
        """The supervisor died before it reported the end."""
        self.status: int | None = None
        self.shell_ns = 0
        self.leftovers = 0
        self.written: int | None = None
        """Bytes that the command's processes wrote to files; None where nobody counted them to the end."""
        self.alive = 0
        """Processes that even SIGKILL did not end in time."""

    @property
    def over(self) -> bool:
        return self.ended or self.lost

    def run(self, argv: list[bytes], environment: dict[str, str], bound: int, fds: list[int]) -> None:
        order = marshal.dumps(("run", argv, environment, bound))
        socket.send_fds(self.control, [order], fds)

    def end(self, grace_s: float) -> None:
        try:
            self.control.send(marshal.dumps(("end", grace_s)))
        except (BrokenPipeError, ConnectionResetError, BlockingIOError):
            # It is dead or stopped; the caller's deadline finds that out.
            return

    def heard(self, report: tuple[object, ...]) -> None:
        match report:
            case ("spawned", int(pid)):
                self.shell = pid
            case ("failed", int(number)):
                self.failed = number
            case ("ended", status, int(shell_ns), int(leftovers), int(alive), int(written)):
                self.status = status if isinstance(status, int) else None
                self.shell_ns, self.leftovers, self.alive = shell_ns, leftovers, alive
                self.written = written
                self.ended = True
        self.bell.ring()


class Helper:
    """A process of computerd's own that is no command, and how it ended once it has."""

    def __init__(self, pid: int, kind: str, bell: Bell) -> None:
        self.pid = pid
        self.kind = kind
        self.bell = bell
        self.status: int | None = None


class Pool:
    """The supervisors at work and the spare ones."""

    def __init__(self, loop: Loop, groups: cgroup.Groups, signals: int, memory_bytes: int) -> None:
        self._loop = loop
        self._groups = groups
        self._signals = signals
        self._memory_bytes = memory_bytes
        self._live: dict[int, Supervisor] = {}
        self._idle: list[Supervisor] = []
        self._busy: list[Supervisor] = []
        self._retiring = False
        self._statuses: dict[int, int] = {}
        self._helpers: dict[int, Helper] = {}

    def take(self) -> Supervisor:
        """A supervisor that is free, the spare if there is one."""
        supervisor = self._idle.pop() if self._idle else self._fork()
        supervisor.clear()
        self._busy.append(supervisor)
        return supervisor

    def warm(self) -> None:
        """See that the next command finds a spare."""
        if not self._idle:
            self._idle.append(self._fork())

    def give_back(self, supervisor: Supervisor) -> None:
        self._busy.remove(supervisor)
        self._statuses.pop(supervisor.shell, None)
        if supervisor.lost or supervisor.alive or supervisor.leftovers:
            self._dismiss(supervisor)
            return
        self._idle.append(supervisor)
        if len(self._idle) > limits.SPARE_SUPERVISORS and not self._retiring:
            self._retiring = True
            self._loop.spawn(self._retire())

    def watch(self, pid: int, kind: str) -> Helper:
        """Keep apart from commands a process that was started beside them."""
        helper = self._helpers[pid] = Helper(pid, kind, Bell(self._loop))
        return helper

    def helping(self, kind: str) -> int:
        """How many helpers of a kind are at work."""
        return sum(helper.kind == kind for helper in self._helpers.values())

    def at_work(self) -> bool:
        """Whether commands run."""
        return bool(self._busy)

    def renew(self) -> None:
        """Trust no spare: what killed one supervisor may be killing them at this moment."""
        while self._idle:
            self.kill(self._idle.pop())

    def kill(self, supervisor: Supervisor) -> None:
        """The last resort, for one that does not answer: what is below it comes to us."""
        supervisor.group.kill()
        process_tree.send([supervisor.pid], signal.SIGKILL)

    def sweep(self, supervisor: Supervisor) -> bool:
        """Kill what has come to us from a lost supervisor; False when all of it is gone."""
        killed = process_tree.kill_below(os.getpid(), {*self._live, *self._helpers})
        if killed and not supervisor.shell:
            # It died before it could name its shell, which is above all the others.
            supervisor.shell = killed[0]
        supervisor.leftovers += sum(pid != supervisor.shell for pid in killed)
        # Its children come to us only when it is dead altogether, later than its end of the pair.
        return bool(killed) or supervisor.pid in self._live

    def reap(self) -> None:
        """As the init of the computer: bury everybody who has nobody else."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if any(supervisor.shell == pid for supervisor in self._busy):
                self._statuses[pid] = status
            helper = self._helpers.pop(pid, None)
            if helper is not None:
                helper.status = status
                helper.bell.ring()
            gone = self._live.pop(pid, None)
            if gone is not None:
                gone.group.remove()
                self._mark_lost(gone)

    def status_of(self, shell: int) -> int | None:
        """How a shell ended that computerd had to bury itself."""
        return self._statuses.get(shell)

    def command_processes(self) -> list[int]:
        """Everything that commands have started and that still runs."""
        found = process_tree.below(os.getpid(), process_tree.parents())
        return [pid for pid in found if pid not in self._live and pid not in self._helpers]

    def counts(self) -> dict[int, int]:
        """How many processes each unbounded supervisor has below it, the supervisor's pid first."""
        table = process_tree.parents()
        return {
            pid: len(process_tree.below(pid, table))
            for pid, supervisor in self._live.items()
            if not supervisor.group.bounded
        }

    def _fork(self) -> Supervisor:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        group = self._groups.make()
        sys.stdout.flush()
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            group.remove()
            raise
        if pid == 0:
            _be_supervisor(theirs, self._signals, group, self._memory_bytes)
        theirs.close()
        ours.setblocking(False)
        supervisor = Supervisor(pid, ours, group, Bell(self._loop))
        self._live[pid] = supervisor
        self._loop.spawn(self._listen(supervisor))
        return supervisor

    async def _listen(self, supervisor: Supervisor) -> None:
        control = supervisor.control
        while await self._loop.readable(control.fileno()):
            try:
                packet = control.recv(PACKET_BYTES)
            except (BlockingIOError, ConnectionResetError):
                packet = b""
            if not packet:
                break
            supervisor.heard(marshal.loads(packet))  # noqa: S302 - our own child wrote it
        self._loop.forget(control.fileno())
        control.close()
        self._mark_lost(supervisor)

    def _mark_lost(self, supervisor: Supervisor) -> None:
        if not supervisor.ended:
            supervisor.lost = True
        if supervisor in self._idle:
            self._idle.remove(supervisor)
        supervisor.bell.ring()

    def _dismiss(self, supervisor: Supervisor) -> None:
        # Its end of the pair reads as closed, and it goes; `_listen` sees that and tidies up.
        if supervisor.control.fileno() >= 0:
            supervisor.control.shutdown(socket.SHUT_WR)

    async def _retire(self) -> None:
        await self._loop.sleep(limits.SPARE_RETIRE_S)
        while len(self._idle) > limits.SPARE_SUPERVISORS:
            self._dismiss(self._idle.pop(0))
        self._retiring = False


def _be_supervisor(control: socket.socket, signals: int, group: cgroup.Group, memory_bytes: int) -> None:
    """What a forked child does instead of returning; no descriptor but two survives."""
    code = 70
    try:
        gc.disable()
        kept = sorted((control.fileno(), signals))
        bounds = [2, *kept, os.sysconf("SC_OPEN_MAX")]
        for low, high in itertools.pairwise(bounds):
            os.closerange(low + 1, high)
        group.join()
        prepare(memory_bytes)
        supervise(control, signals)
    except Exception as error:  # noqa: BLE001 - the border of the process
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(code)
