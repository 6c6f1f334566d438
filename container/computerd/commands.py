"""All commands of this computer: started once each, found again by their id.

The id is taken before the first await, so the same id cannot run twice, and it stays taken as
long as its log lies in the workspace, over restarts of the computer too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from . import command_log, limits, process_tree
from .command import Cause, Command, State, lost_command
from .command_log import CommandLog
from .errors import Busy, InvalidRequest, NotFound, Unavailable
from .job import Job
from .launch import launch
from .loop import Bell, Loop
from .space_watch import SpaceWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from .space import Space
    from .supervisors import Pool

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Order(NamedTuple):
    """A command as it was asked for, checked."""

    identifier: str
    script: bytes
    timeout_s: float


class Commands:
    """The commands that run, and the results of the last ones that ran."""

    def __init__(
        self,
        loop: Loop,
        pool: Pool,
        workspace: str,
        environment: Callable[[], dict[str, str]],
        now_ms: Callable[[], int],
        space: Space,
        use: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._pool = pool
        self._workspace = workspace
        self._environment = environment
        self._now_ms = now_ms
        self._use = use
        self._known: dict[str, Command] = {}
        self._jobs: dict[str, Job] = {}
        self._space = space
        self._space_watch = SpaceWatch(loop, space, self._jobs)
        self._watching = False
        self._launches = 0
        self._others = process_tree.count()
        """Processes of the user that belong to no command."""

    def running(self) -> list[Command]:
        return [job.command for job in self._jobs.values()]

    def find(self, identifier: str) -> Command:
        """A command that runs or ran, by its record or by its log."""
        command = self._seen(identifier)
        if command is None:
            raise NotFound(f"There is no command {identifier!r}.", reason="command_gone")
        return command

    async def start(self, order: Order) -> Command:
        """Run a command, or find it if it has run already."""
        command = self._seen(order.identifier) or self._launch(order)
        while command.state is State.STARTING:
            await command.bell.heard()
        if command.state is State.FAILED:
            raise Unavailable("The shell could not be started; nothing ran.", reason="shell_not_started")
        return command

    def stop(self, identifier: str) -> None:
        self.find(identifier)
        if identifier in self._jobs:
            self._jobs[identifier].end(Cause.STOP)

    def stop_all(self) -> None:
        for job in self._jobs.values():
            job.end(Cause.STOP)

    def _seen(self, identifier: str) -> Command | None:
        known = self._known.get(check_id(identifier))
        if known is not None:
            return known
        size = command_log.size_of_log(self._workspace, identifier)
        if size is None:
            return None
        log = CommandLog(self._workspace, identifier)
        return lost_command(identifier, log, size, self._now_ms(), Bell(self._loop))

    def _launch(self, order: Order) -> Command:
        if len(self._jobs) >= limits.COMMANDS_AT_ONCE:
            names = list(self._jobs)
            raise Busy(
                f"{len(names)} commands are running already.",
                reason="commands_running_many",
                count=len(names),
                running=names,
            )
        self._use()
        log = CommandLog(self._workspace, order.identifier, space=self._space)
        command = Command(order.identifier, self._now_ms(), log, Bell(self._loop))
        try:
            # Room for one more command's worth, so that one that uses up its own harms no newcomer.
            bound = self._others + limits.PROCESSES_PER_COMMAND * (len(self._jobs) + 1)
            launched = launch(self._pool, order.script, self._environment(), bound)
        except OSError as error:
            raise Unavailable(
                f"The shell could not be started: {error.strerror}.", reason="shell_not_started"
            ) from error
        # From here on the shell is starting in another process: the rest costs no time.
        self._known[order.identifier] = command
        job = Job(self._loop, self._pool, command, launched, order.timeout_s)
        self._jobs[order.identifier] = job
        self._loop.spawn(self._run(job))
        log.create()
        self._space_watch.begin()
        self._loop.spawn(self._prepare_next())
        self._launches += 1
        if self._launches % limits.LOGS_PRUNED_EVERY == 0:
            self._loop.spawn(self._prune())
        return command

    async def _run(self, job: Job) -> None:
        identifier = job.command.identifier
        try:
            await job.conduct(self._space_watch.over_after)
        finally:
            del self._jobs[identifier]
        if job.command.state is State.FAILED:
            del self._known[identifier]
            job.command.log.discard()
        ended = [command for command in self._known.values() if command.result is not None]
        for command in ended[: -limits.RESULTS_KEPT]:
            del self._known[command.identifier]

    async def _prune(self) -> None:
        """An id whose log goes could run again; who gives ids gives each of them once."""
        kept = frozenset(self._known)
        try:
            await self._loop.in_thread(lambda: command_log.prune(self._workspace, kept))
        except OSError as error:
            print(f"computerd: old logs stay: {error}", flush=True)

    async def _prepare_next(self) -> None:
        try:
            self._pool.warm()
        except OSError as error:
            print(f"computerd: no spare supervisor: {error}", flush=True)
        unbounded = any(not job.supervisor.group.bounded for job in self._jobs.values())
        if unbounded and not self._watching:
            self._others = process_tree.count()
            self._watching = True
            await self._watch_processes()
            self._watching = False

    async def _watch_processes(self) -> None:
        """Where no group bounds a command, look now and then; a bomb takes the others' room."""
        while self._jobs:
            await self._loop.sleep(limits.PROCESS_WATCH_S)
            counts = self._pool.counts()
            for job in list(self._jobs.values()):
                if counts.get(job.supervisor.pid, 0) > limits.PROCESSES_WATCHED:
                    job.command.say("ended, because it had too many processes")
                    job.end(Cause.PROCESSES)


def check_id(identifier: str) -> str:
    if not _ID.fullmatch(identifier):
        raise InvalidRequest("An id is 1 to 64 letters, digits, hyphens and underscores.")
    return identifier
