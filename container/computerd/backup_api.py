"""What the routes of a backup answer: its pieces one after the other, pulled by whoever keeps them.

Nothing goes out by itself: the next piece is packed while one is on its way, and waits. The pieces are memory
files of the helper, so the same one can be sent again, and this process copies nothing.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from . import api_input, limits, saved_manifest
from .errors import Busy, InvalidRequest, NotFound, Refusal
from .loop import Bell
from .pulling import Backup

if TYPE_CHECKING:
    from collections.abc import Callable

    from .commands import Commands
    from .connection import Connection
    from .errands import Errands
    from .http_wire import Head
    from .loop import Loop
    from .turns import Turns
    from .workspace import Workspace

KIND = "backup"
_COARSE = 5
"""CLOCK_REALTIME_COARSE, which Python does not name: the kernel's own for the times of files."""


class BackupApi:
    """Handlers for /backup."""

    def __init__(
        self,
        loop: Loop,
        errands: Errands,
        commands: Commands,
        workspace: Workspace,
        turns: Turns,
        token: Callable[[], str],
    ) -> None:
        self._loop = loop
        self._errands = errands
        self._commands = commands
        self._workspace = workspace
        self._turns = turns
        self._token = token
        self._backup: Backup | None = None
        self._clock_offset_ns = _clock_offset_ns()
        self._known_before_ns = 0
        self.woke()
        turns.make_way = self._make_way

    def woke(self) -> None:
        """What is not touched from now on is as this computer woke with it."""
        self._known_before_ns = time.clock_gettime_ns(_COARSE)

    async def post(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """Begin a backup; one that is under way ends."""
        order = api_input.parse_backup(await connection.body(limits.JSON_BYTES))
        self._turns.look()
        if running := [command.identifier for command in self._commands.running()]:
            raise Busy("A backup only begins when no command runs.", running=running)
        former = self._backup
        backup = self._backup = Backup(order, self._token(), Bell(self._loop), self._keep)
        self._loop.spawn(self._watch(backup))
        if former is not None:
            former.end(Busy("Another backup has begun since."))
            if former.work is not None:
                # What it had opened up has to be closed again before that is looked at.
                await former.work.ended()
        found: list[int | None] = [None]
        if order.previous is not None:
            wanted = order.previous

            def look() -> None:
                found[0] = saved_manifest.find(self._workspace, wanted)

            await self._loop.in_thread(look)
        self._check(backup)
        needs = order.previous is not None and found[0] is None
        if not needs:
            self._start(backup, found[0])
        await connection.answer(200, {"backup": backup.token, "needs_manifest": needs})

    async def put_manifest(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """The manifest of the backup before, where it was missed."""
        backup = self._find(parts[1])
        if backup.order.previous is None or backup.work is not None:
            raise InvalidRequest("This backup needs no manifest.")
        fd = await saved_manifest.receive(connection, self._workspace, backup.order.previous)
        if backup.why is not None or backup.work is not None:
            os.close(fd)
            self._check(backup)
        else:
            self._start(backup, fd)
        await connection.answer(200, {})

    async def piece(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """The piece of that number: the next one, or again the one before."""
        backup, number = self._find(parts[1]), api_input.parse_piece(parts[3])
        if backup.work is None:
            raise InvalidRequest("This backup needs its manifest first.")
        if number not in (backup.number, backup.number + 1) or (number > backup.number and backup.packed):
            raise InvalidRequest(f"There is no piece {number} now; the last one was {backup.number}.")
        backup.ask(number)
        there = await backup.work.until(lambda: backup.number >= number, limits.PATIENCE_S)
        self._check(backup)
        if not there:
            await connection.answer(202, {})
            return
        piece = backup.piece
        if piece is None or backup.number != number:
            raise InvalidRequest(f"Piece {number} is not the last one any more.")
        # The backup may end while this is on its way, and the number of its descriptor be another file's.
        fd = os.dup(piece.fd)
        try:
            size = os.fstat(fd).st_size
            fields: dict[str, str | int] = {
                "Content-Type": "application/octet-stream",
                "Content-Length": size,
                "X-Berth-Piece": piece.kind,
                "X-Berth-Sha256": piece.sha256,
            }
            await connection.send(connection.head(200, fields))
            await connection.send_file(fd, size)
        finally:
            os.close(fd)

    async def summary(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """What is in the backup, after its last piece."""
        backup = self._find(parts[1])
        if backup.piece is None or backup.piece.kind != "manifest" or backup.work is None:
            raise InvalidRequest("The summary comes after the manifest.")
        if not await backup.work.until(lambda: backup.packed, limits.PATIENCE_S):
            await connection.answer(202, {})
            return
        self._check(backup)
        fd = os.dup(backup.summary)
        try:
            size = os.fstat(fd).st_size
            fields: dict[str, str | int] = {"Content-Type": "application/json", "Content-Length": size}
            await connection.send(connection.head(200, fields))
            await connection.send_file(fd, size)
        finally:
            os.close(fd)

    async def delete(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        await connection.body(limits.JSON_BYTES)
        backup = self._backup
        if backup is None or backup.token != parts[1]:
            raise NotFound("There is no such backup.")
        backup.end(Busy("This backup was ended."))
        await connection.answer(200, {})

    def _find(self, token: str) -> Backup:
        backup = self._backup
        if backup is None or backup.token != token:
            raise NotFound("There is no such backup.")
        self._check(backup)
        backup.touched.ring()
        return backup

    def _check(self, backup: Backup) -> None:
        if backup.why is not None:
            raise backup.why

    def _make_way(self) -> None:
        if self._backup is not None and not self._backup.packed:
            self._backup.end(Busy("A command or a change of a file has begun, so the backup was ended."))

    def _start(self, backup: Backup, previous: int | None) -> None:
        """Give a helper its order; `previous` is closed here."""
        known = backup.order.tree_known and self._clock_is_right()
        order: dict[str, object] = {
            "previous": previous is not None,
            "known_before_ns": self._known_before_ns if known else 0,
            "block_bytes": limits.BLOCK_BYTES,
            "pack_bytes": limits.PACK_BYTES,
            "small_packs": limits.SMALL_PACKS,
            "settled_s": limits.SETTLED_S,
            "spool_memory_bytes": limits.SPOOL_MEMORY_BYTES,
        }
        fds = [] if previous is None else [previous]
        try:
            # Before that one, because it may be missing.
            for at, named in enumerate((False, True)):
                fds[at:at] = [saved_manifest.make_or_do_without(self._workspace, named)]
            backup.work = self._errands.start(KIND, order, fds, backup.hear)
        finally:
            for fd in fds:
                os.close(fd)

    def _keep(self) -> None:
        try:
            saved_manifest.keep(self._workspace)
        except Refusal as refusal:
            # Only the next backup is slower for it.
            print(f"computerd: a manifest is not kept: {refusal}", flush=True)

    def _clock_is_right(self) -> bool:
        moved = abs(_clock_offset_ns() - self._clock_offset_ns)
        return moved <= limits.CLOCK_MOVED_S * 1e9

    async def _watch(self, backup: Backup) -> None:
        """End it when nobody asks for anything any more."""
        while backup.why is None and await backup.touched.heard(limits.BACKUP_IDLE_S):
            continue
        backup.end(Busy("Nobody asked for anything of this backup for too long."))


def _clock_offset_ns() -> int:
    """Changes when somebody sets the clock."""
    return time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
