"""Ends a command that writes over the workspace limit, and leaves those alone that only read or delete.

Two looks apart from each other tell who has written. A workspace that is full already stays usable: only who
adds more than a grain to it is ended, and where files were deleted the mark below which it must stay sinks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import limits, process_tree
from .command import Cause
from .errors import WorkspaceFull

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .job import Job
    from .loop import Loop
    from .space import Space

_NOISE_BYTES = 64 * 1024
"""Who wrote less between two looks has not written."""
_LOOK_SHARE = 20
ENDED = "ended, because the workspace is full: delete files that are not needed any more"


class SpaceWatch:
    """Looks while commands run; nothing is measured when nobody waits for it, as during a save."""

    def __init__(self, loop: Loop, space: Space, jobs: Mapping[str, Job]) -> None:
        self._loop = loop
        self._space = space
        self._jobs = jobs
        self._ended_wrote = 0
        self._marks: dict[str, int] = {}
        """What each job had written at the last look."""
        self._mark = 0
        """How much there may be before somebody is ended; 0: the limit."""
        self._ending: set[str] = set()
        """Who was ended for it and still has processes: what they write meanwhile is nobody else's."""
        self._running = False

    def begin(self) -> None:
        """A command has begun."""
        self._space.commands_ran()
        if not self._running:
            self._running = True
            self._loop.spawn(self._run())

    async def over_after(self, job: Job) -> bool:
        """A command's processes have all ended: whether there is now more than there may be."""
        name = job.command.identifier
        last = self._marks.pop(name, 0)
        wrote = job.supervisor.written
        # Of one whose supervisor was killed nobody knows, so it is measured.
        self._ended_wrote += limits.WORKSPACE_BYTES if wrote is None else max(wrote, last)
        self._space.commands_ran()
        self._space.commands_wrote(self._ended_wrote + sum(self._marks.values()))
        try:
            over = await self._space.over()
        except WorkspaceFull:
            # It could not be measured, which the log says.
            return False
        else:
            self._settle(over)
            return over
        finally:
            self._ending.discard(name)

    async def _run(self) -> None:
        pause = limits.SPACE_LOOK_S
        try:
            while self._jobs:
                await self._loop.sleep(pause)
                began = self._loop.clock()
                await self._look()
                pause = max(limits.SPACE_LOOK_S, _LOOK_SHARE * (self._loop.clock() - began))
        finally:
            self._running = False

    async def _look(self) -> None:
        counts = self._counts()
        self._space.commands_wrote(self._ended_wrote + sum(counts.values()))
        if not self._worth_a_walk():
            if not self._near():
                self._marks = counts
            return
        try:
            measured = await self._space.measure()
        except WorkspaceFull:
            return
        self._judge(counts, measured)
        self._marks = counts

    def _near(self) -> bool:
        """Whether the limit may have been passed."""
        return self._space.bound() > max(self._mark, limits.WORKSPACE_BYTES)

    def _worth_a_walk(self) -> bool:
        """Half of the time is the most that walks take."""
        return self._near() and self._loop.clock() - self._space.ended_at >= self._space.took_s

    def _judge(self, counts: dict[str, int], measured: int) -> None:
        if measured > max(self._mark, limits.WORKSPACE_BYTES) and not self._ending:
            self._end_writers(counts)
            self._mark = 0
        self._settle(measured > limits.WORKSPACE_BYTES)

    def _settle(self, over: bool) -> None:
        """Set the mark by what was measured; while somebody is being ended it may still rise."""
        room = (self._space.measured or 0) + limits.SPACE_GRAIN_BYTES
        if not over:
            self._mark = 0
        elif self._ending or not self._mark:
            self._mark = room
        else:
            self._mark = min(self._mark, room)

    def _end_writers(self, counts: dict[str, int]) -> None:
        wrote = {name: count - self._marks.get(name, 0) for name, count in counts.items()}
        most = max(wrote.values(), default=0)
        if most > _NOISE_BYTES:
            ended = [name for name, count in wrote.items() if count >= most // 2]
        else:
            # Space can be taken without writing; then nobody can tell whose it is.
            ended = list(wrote) if self._space.grown > limits.SPACE_GRAIN_BYTES else []
        for name in ended:
            if (job := self._jobs.get(name)) is not None:
                self._ending.add(name)
                job.command.say(ENDED)
                job.end(Cause.SPACE)

    def _counts(self) -> dict[str, int]:
        """Bytes that the processes of each command have written, as far as they can be seen."""
        table = process_tree.parents()
        counts = {}
        for name, job in self._jobs.items():
            below = process_tree.below(job.supervisor.pid, table)
            counts[name] = max(self._marks.get(name, 0), sum(map(process_tree.written, below)))
        return counts
