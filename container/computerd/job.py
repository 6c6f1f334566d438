"""One running command from its start to its result.

`Force` only ever grows. First the supervisor is asked to end the tree; when it does not report
in time computerd kills the tree itself; when that does not help either, it kills the supervisor
and with it the group. A command cannot stop computerd, so the last step always comes.
"""

from __future__ import annotations

import math
import os
from enum import IntEnum, auto
from typing import TYPE_CHECKING

from . import frames, limits, outcome, process_tree
from .command import Cause, Command, State
from .linux import resume

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .launch import Launched
    from .loop import Loop
    from .supervisors import Pool, Supervisor

_DRAIN_BYTES = 1024 * 1024


class Force(IntEnum):
    NONE = auto()
    ASKED = auto()
    TREE = auto()
    SUPERVISOR = auto()


def grace_of(cause: Cause) -> float:
    """How long a command has between the request to end and the kill."""
    match cause:
        case Cause.TIMEOUT:
            return limits.GRACE_TIMEOUT_S
        case Cause.STOP:
            return limits.GRACE_STOP_S
        case Cause.PROCESSES | Cause.SPACE:
            return 0.0


class Job:
    """What is needed of a command only while it runs."""

    def __init__(
        self, loop: Loop, pool: Pool, command: Command, launched: Launched, timeout_s: float
    ) -> None:
        self.command = command
        self.supervisor = launched.supervisor
        self._loop = loop
        self._pool = pool
        self._pipes = launched.pipes
        self._timeout_s = timeout_s
        self._deadline = math.inf
        self._force = Force.NONE
        self._cause: Cause | None = None
        self._kills = kernel_kills_of(launched.supervisor)
        self._kills_before = self._kills()

    async def conduct(self, over: Callable[[Job], Awaitable[bool]]) -> None:
        """Run to the end; the command has its result, or has failed to start, afterwards.

        `over` says, once all its processes have ended, whether the workspace is over its limit.
        """
        command, supervisor = self.command, self.supervisor
        pumps = [self._loop.spawn(self._pump(stream, fd)) for stream, fd in self._pipes.items()]
        await self._until_begun()
        if not supervisor.failed:
            command.enter(State.RUNNING)
            await self._until_over()
        if supervisor.lost:
            await self._recover()
        for task in pumps:
            self._loop.cancel(task)
        for stream, fd in self._pipes.items():
            self._drain(stream, fd)
        self._pool.give_back(supervisor)
        if supervisor.failed:
            command.enter(State.FAILED)
            return
        command.flush()
        full = await over(self) or self._cause is Cause.SPACE
        command.finish(self._result(full))

    def end(self, cause: Cause) -> None:
        """End the command before its time; a second cause changes nothing."""
        if self._force is Force.NONE:
            self._cause = cause
            self._escalate()
            self.supervisor.bell.ring()

    async def _until_begun(self) -> None:
        """Wait for the shell, for as long as the command may take: from then on its time runs."""
        supervisor, latest = self.supervisor, self._loop.clock() + self._timeout_s
        while not (supervisor.shell or supervisor.failed or supervisor.over):
            if self._force is not Force.NONE:
                return
            if await supervisor.bell.heard(limits.SUPERVISOR_SILENCE_S):
                continue
            # A command may have stopped it, even before it could tell that the shell runs, or as a spare.
            resume(supervisor.pid)
            if self._loop.clock() >= latest:
                break
        if self._force is Force.NONE:
            self._deadline = self._loop.clock() + (self._timeout_s if supervisor.shell else 0)

    async def _until_over(self) -> None:
        while not self.supervisor.over:
            left = self._deadline - self._loop.clock()
            if left == math.inf:
                await self.supervisor.bell.heard()
            elif left > 0:
                await self.supervisor.bell.heard(left)
            else:
                self._cause = self._cause or Cause.TIMEOUT
                self._escalate()

    def _escalate(self) -> None:
        supervisor, now = self.supervisor, self._loop.clock()
        match self._force:
            case Force.NONE:
                grace = grace_of(self._cause or Cause.TIMEOUT)
                # A command may have stopped its supervisor: both have the same user.
                resume(supervisor.pid)
                supervisor.end(grace)
                self._force = Force.ASKED
                self._deadline = now + grace + limits.SUPERVISOR_SILENCE_S
            case Force.ASKED:
                process_tree.kill_below(supervisor.pid)
                self._force = Force.TREE
                self._deadline = now + limits.KILL_GIVE_UP_S
            case _:
                self._pool.kill(supervisor)
                self._force = Force.SUPERVISOR
                self._deadline = math.inf

    async def _recover(self) -> None:
        """Do the work of a supervisor that has died: its processes are ours now."""
        supervisor = self.supervisor
        self._pool.renew()
        self._pool.kill(supervisor)
        give_up = self._loop.clock() + limits.KILL_GIVE_UP_S
        while self._pool.sweep(supervisor) and self._loop.clock() < give_up:
            await self._loop.sleep(limits.KILL_PASS_S)
        self._pool.reap()
        supervisor.status = self._pool.status_of(supervisor.shell)

    async def _pump(self, stream: frames.Stream, fd: int) -> None:
        while await self._loop.readable(fd):
            data = os.read(fd, limits.READ_BYTES)
            if not data:
                return
            self.command.absorb(stream, data)

    def _drain(self, stream: frames.Stream, fd: int) -> None:
        """Read what is left, without waiting: somebody else may still hold the other end."""
        self._loop.forget(fd)
        left = _DRAIN_BYTES
        while left > 0:
            try:
                data = os.read(fd, limits.READ_BYTES)
            except BlockingIOError:
                break
            if not data:
                break
            left -= len(data)
            self.command.absorb(stream, data)
        os.close(fd)

    def _result(self, workspace_full: bool) -> frames.Exit:
        command, supervisor, log = self.command, self.supervisor, self.command.log
        end = outcome.ending(supervisor.status)
        suspicious = outcome.may_be_out_of_memory(end, command.stderr_tail)
        kills = self._kills() - self._kills_before if suspicious else 0
        ours = self._cause is not None
        return frames.Exit(
            exit_code=end.exit_code,
            signal=end.signal,
            timed_out=self._cause is Cause.TIMEOUT,
            stopped=self._cause is Cause.STOP,
            oom=suspicious and outcome.out_of_memory(end, kills, ours, command.stderr_tail),
            workspace_full=workspace_full,
            leftovers=supervisor.leftovers,
            duration_ms=supervisor.shell_ns // 1_000_000,
            output_bytes=command.output_bytes,
            log_path=log.path,
            log_bytes=log.size,
            log_capped=log.capped,
            log_note=log.note,
        )


def kernel_kills_of(supervisor: Supervisor) -> Callable[[], int]:
    """Where to read how often the kernel has killed for memory: the group's count is exact."""
    if supervisor.group.oom_kills() is not None:
        return lambda: supervisor.group.oom_kills() or 0
    return outcome.kernel_kills_now
