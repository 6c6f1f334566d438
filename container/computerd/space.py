"""How much of the workspace limit is used: measured now and then, bounded from above in between.

To measure is to walk over all files, which takes seconds where there are a million. So after a walk only
what was written since is counted: what the file system says is used more, what commands' processes say they
wrote, what computerd wrote itself. None of these alone is enough: others may free space on the same disk, and
`fallocate` takes space without writing. Their maximum bounds the growth; only where that bound meets the
limit there is another walk.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from . import limits, process_tree
from .errors import WorkspaceFull
from .launch import pipe
from .loop import Bell

if TYPE_CHECKING:
    from .loop import Loop
    from .supervisors import Pool

_KIND = "measure"
_PYTHON = "/usr/bin/python3"
_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measure.py")
_BLOCK = 4096
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_SAID_BYTES = 100


class MeasureError(Exception):
    """The folders could not be measured. `str()` is for the log."""


class Space:
    """What the folders of one owner take, and whether more may be written."""

    def __init__(self, loop: Loop, pool: Pool, folders: list[str]) -> None:
        self._loop = loop
        self._pool = pool
        self._folders = folders
        self._bell = Bell(loop)
        self._begun = self._ended = 0
        self._disk_at_start = self._disk = _disk_used(folders)
        self._written = 0
        """By commands, since this service started."""
        self._written_then = 0
        self._own = self._own_then = 0
        """By computerd itself, since this service started."""
        self._claims: set[Claim] = set()
        self._changed = True
        """Whether a command may have changed something since the last walk began."""
        self.measured: int | None = None
        """What the last walk found; None before the first."""
        self.grown = 0
        """What came between the last two walks and was not written by computerd."""
        self.took_s = 0.0
        self.ended_at = 0.0

    @property
    def full(self) -> bool:
        """Whether the last walk found no room: then computerd keeps no more logs."""
        return self.measured is not None and self.measured >= limits.WORKSPACE_BYTES

    def wrote(self, size: int) -> None:
        """computerd has written into the folders itself."""
        self._own += size

    def commands_wrote(self, total: int) -> None:
        """How much all commands have written so far, since this service started."""
        self._written = max(self._written, total)

    def commands_ran(self) -> None:
        """A command began or ended: what was measured may not be true any more."""
        self._changed = True

    def bound(self) -> int:
        """No less than what the folders take now."""
        disk = _disk_used(self._folders)
        if self.measured is None:
            return disk
        return self.measured + max(0, disk - self._disk, self._since())

    def _since(self) -> int:
        return self._own - self._own_then + self._written - self._written_then

    async def over(self) -> bool:
        """Whether the folders take more than they may. Walks only where they may do so.

        A walk that is under way is waited for: whoever saves the files afterwards is alone with them.
        """
        while self._begun > self._ended:
            await self._bell.heard()
        if self.measured is None:
            grown = max(_disk_used(self._folders) - self._disk_at_start, self._written)
            # A first command does not wait until all is measured that was kept from before.
            if grown < limits.WORKSPACE_BYTES // 100:
                return False
        if self.bound() <= limits.WORKSPACE_BYTES:
            return False
        return await self.measure() > limits.WORKSPACE_BYTES

    def claim(self, inode: int) -> Claim:
        """Room for a file that computerd writes; to be settled in the end."""
        claim = Claim(self, inode)
        self._claims.add(claim)
        return claim

    async def make_room(self, claim: Claim, size: int) -> None:
        """Let the claim grow to `size` bytes. Raises WorkspaceFull."""
        taken = _in_blocks(size)
        if self.bound() + self._claimed() - claim.taken + taken > limits.WORKSPACE_BYTES:
            # Where nothing can have changed, the same walk would find the same.
            if self._changed or self._own > self._own_then or self.measured is None:
                await self.measure()
            used = (self.measured or 0) + self._own - self._own_then + self._claimed() - claim.taken
            if used + taken > limits.WORKSPACE_BYTES:
                raise WorkspaceFull(
                    full_message(used),
                    reason="workspace_full_at",
                    used_said=_said(used),
                    limit_said=_said(limits.WORKSPACE_BYTES),
                    used=used,
                    limit=limits.WORKSPACE_BYTES,
                )
        claim.taken = taken

    def settle(self, claim: Claim, *, kept: bool, folders: int) -> None:
        self._claims.discard(claim)
        if kept:
            self._own += claim.taken + folders * _BLOCK

    def _claimed(self) -> int:
        return sum(claim.taken for claim in self._claims)

    async def measure(self) -> int:
        """The bytes of everything, by a walk that begins now.

        Raises WorkspaceFull where it cannot be done, for then nobody knows whether there is room.
        """
        wanted = self._begun + 1
        while self._ended < wanted:
            if self._begun > self._ended:
                await self._bell.heard()
                continue
            try:
                await self._walk()
            except MeasureError as error:
                print(f"computerd: the workspace could not be measured: {error}", flush=True)
                raise WorkspaceFull(
                    "It cannot be measured how full the workspace is. Try again.", reason="space_unknown"
                ) from error
        return self.measured or 0

    async def _walk(self) -> None:
        self._begun += 1
        began = self._loop.clock()
        disk, written, own = _disk_used(self._folders), self._written, self._own
        self._changed = self._pool.at_work()
        try:
            measured = await self._counted()
        except BaseException:
            self._changed = True
            raise
        else:
            known = measured if self.measured is None else self.measured
            self.grown = measured - known - (self._own - self._own_then)
            self.measured, self._disk = measured, disk
            self._written_then, self._own_then = written, own
        finally:
            self._ended = self._begun
            self.ended_at = self._loop.clock()
            self.took_s = self.ended_at - began
            self._bell.ring()

    async def _counted(self) -> int:
        out, end = pipe()
        folders = [fd for folder in self._folders if (fd := _opened(folder)) is not None]
        argv = [_PYTHON, "-I", "-S", _SCRIPT, *(str(claim.inode) for claim in self._claims)]
        try:
            actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, end, 1),
                *((os.POSIX_SPAWN_DUP2, fd, 3 + n) for n, fd in enumerate(folders)),
            ]
            helper = self._pool.watch(
                os.posix_spawn(_PYTHON, argv, {}, file_actions=actions, setsigmask=[]), _KIND
            )
        except OSError as error:
            os.close(out)
            raise MeasureError(error.strerror) from error
        finally:
            for fd in (end, *folders):
                os.close(fd)
        try:
            if not await self._loop.readable(out, limits.SPACE_SILENCE_S):
                raise MeasureError("the walk does not end")
            said = os.read(out, _SAID_BYTES)
        finally:
            self._loop.forget(out)
            os.close(out)
            if helper.status is None:
                # It has said all that it had to say, or never will.
                process_tree.send([helper.pid], signal.SIGKILL)
        if not said.isdigit():
            raise MeasureError("the walk broke off")
        return int(said)


class Claim:
    """A file that computerd is writing: what it may take by now."""

    def __init__(self, space: Space, inode: int) -> None:
        self._space = space
        self.inode = inode
        self.taken = 0

    async def grow(self, size: int) -> None:
        """Make room for the file to have `size` bytes. Raises WorkspaceFull."""
        await self._space.make_room(self, size)

    def settle(self, *, kept: bool, folders: int) -> None:
        """The file is there to stay, in at most so many new folders, or has gone."""
        self._space.settle(self, kept=kept, folders=folders)


def full_message(used: int) -> str:
    """Say how full it is and what to do about it."""
    return (
        f"The workspace is full: with the home folder it takes {_said(used)} of"
        f" {_said(limits.WORKSPACE_BYTES)}. Nothing was written. Delete files that are not needed any more,"
        " then try again."
    )


def _said(size: int) -> str:
    return f"{size / 1024**3:.2f} GB" if size >= 1024**3 else f"{size / 1024**2:.2f} MB"


def _in_blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _disk_used(folders: list[str]) -> int:
    """The bytes in use on the file systems that the folders lie on, each counted once."""
    found: dict[int, int] = {}
    for folder in folders:
        with suppress(OSError):
            state = os.statvfs(folder)
            found[os.stat(folder).st_dev] = (state.f_blocks - state.f_bfree) * state.f_frsize
    return sum(found.values())


def _opened(folder: str) -> int | None:
    """Whatever its mode; None where there is none: a command may have taken it away."""
    try:
        return os.open(folder, _FOLDER)
    except OSError:
        return None
