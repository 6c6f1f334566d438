"""What the routes of a restore answer: the packs of a backup in, the files as they were out.

From its first call until its last no command and no file call is served: nothing begins on half a tree. One
that fails can begin anew, which removes what it had made; a computer with files of its own is never restored.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

from . import api_input, limits, saved_manifest
from .errors import Busy, InvalidRequest, NotFound, Unavailable, WorkspaceFull
from .removal import remove_all, reopened
from .spool import Spool, SpoolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .connection import Connection
    from .errands import Errands, Packet, Work
    from .http_wire import Head
    from .loop import Loop
    from .turns import Turns
    from .workspace import Workspace

KIND = "restore"
_OWN = frozenset({"backup", "tmp"})


class Restore:
    """One restore and how far it is."""

    def __init__(self, manifest: str, token: str) -> None:
        self.manifest = manifest
        self.token = token
        self.work: Work | None = None
        self.packs: list[str] | None = None
        self.result: dict[str, object] | None = None
        self.there: set[str] = set()
        self.sent = 0
        self.done = 0
        self.finishing = False

    def hear(self, packet: Packet, fd: int) -> None:
        match packet:
            case ["done"]:
                self.done += 1
            case ["packs"]:
                self.packs = _read(fd)
            case ["result"]:
                self.result = _read(fd)


class RestoreApi:
    """Handlers for /restore."""

    def __init__(
        self,
        loop: Loop,
        errands: Errands,
        workspace: Workspace,
        turns: Turns,
        token: Callable[[], str],
        quiet: Callable[[], Awaitable[None]],
        finished: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._errands = errands
        self._workspace = workspace
        self._turns = turns
        self._token = token
        self._quiet = quiet
        """Waits until nobody else writes into the folders."""
        self._finished = finished
        self._restore: Restore | None = None

    async def post(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """Begin; one that was begun before is given up."""
        manifest = api_input.parse_restore(await connection.body(limits.JSON_BYTES))
        if self._turns.used or not (self._turns.restoring or self._is_fresh()):
            raise Busy("Only a computer that was never used can be restored.")
        self._turns.begin_restore()
        if self._restore is not None and self._restore.work is not None:
            work = self._restore.work
            work.end(Busy("Another restore has begun since."))
            await work.ended()
            # What it had made may have filled the disk, and then there is no room for a manifest.
            await self._loop.in_thread(self._empty)
        self._restore = restore = Restore(manifest, self._token())
        await self._quiet()
        await connection.answer(200, {"restore": restore.token})

    async def put_manifest(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """Its bytes; the answer is which packs are needed."""
        restore = self._find(parts[1])
        fd = await saved_manifest.receive(connection, self._workspace, restore.manifest)
        if restore.work is None and restore is self._restore:
            self._start(restore, fd)
        else:
            os.close(fd)
        work = self._at_work(restore)
        await work.until(lambda: restore.packs is not None, math.inf)
        await connection.answer(200, {"packs": restore.packs})

    async def put_pack(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """Its bytes, which are written to their files before the answer. Again: nothing happens."""
        restore, sha256 = self._find(parts[1]), parts[3]
        work = self._at_work(restore)
        if restore.packs is None or sha256 not in restore.packs:
            raise InvalidRequest("This pack is not needed.")
        pack = await _receive(connection, sha256)
        try:
            # One after the other: the helper has the packs of nobody else in between.
            await work.until(lambda: restore.sent == restore.done, math.inf)
            if sha256 not in restore.there and not restore.finishing:
                restore.sent += 1
                number = restore.sent
                work.tell("pack", sha256, fd=pack)
                await work.until(lambda: restore.done >= number, math.inf)
                restore.there.add(sha256)
        finally:
            os.close(pack)
        await connection.answer(200, {})

    async def finish(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        """Everything into its place."""
        await connection.body(limits.JSON_BYTES)
        restore = self._find(parts[1])
        work = self._at_work(restore)
        if restore.packs is None:
            raise InvalidRequest("This restore needs its manifest first.")
        missing = [sha256 for sha256 in restore.packs if sha256 not in restore.there]
        if missing:
            first = missing[: limits.PACKS_NAMED]
            raise InvalidRequest(f"{len(missing)} packs are missing.", count=len(missing), packs=first)
        if not restore.finishing:
            restore.finishing = True
            work.tell("finish")
        if not await work.until(lambda: restore.result is not None, limits.PATIENCE_S):
            await connection.answer(202, {})
            return
        if self._turns.restoring and restore is self._restore:
            self._turns.end_restore()
            self._finished()
        await connection.answer(200, restore.result)

    def _find(self, token: str) -> Restore:
        if self._restore is None or self._restore.token != token:
            raise NotFound("There is no such restore.")
        return self._restore

    def _at_work(self, restore: Restore) -> Work:
        if restore.work is None:
            raise InvalidRequest("This restore needs its manifest first.")
        return restore.work

    def _is_fresh(self) -> bool:
        """Nothing lies in the workspace but what this service puts there by itself."""
        with self._workspace.folder(".") as (fd, _):
            there = os.listdir(fd)
            if there != [".berth"]:
                return not there
            try:
                own = os.open(
                    ".berth", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd
                )
            except OSError:
                return False
            try:
                return _OWN.issuperset(os.listdir(own))
            finally:
                os.close(own)

    def _empty(self) -> None:
        try:
            with self._errands.folders() as handles:
                home, workspace = map(reopened, handles)
                try:
                    remove_all(home, workspace)
                finally:
                    os.close(home)
                    os.close(workspace)
        except OSError as error:
            raise Unavailable(f"The files of the restore before stay: {error.strerror}.") from error

    def _start(self, restore: Restore, manifest: int) -> None:
        """Give a helper its order; `manifest` is closed here."""
        order: dict[str, object] = {"staging": f".berth-restore-{restore.token}"}
        try:
            restore.work = self._errands.start(KIND, order, [manifest], restore.hear)
        finally:
            os.close(manifest)


async def _receive(connection: Connection, sha256: str) -> int:
    """A pack in a memory file. Raises Refusal unless it is the one that was named."""
    import hashlib  # noqa: PLC0415 - 1 MB that an idle computer has no use for

    digest = hashlib.sha256()
    pack = Spool(os.memfd_create("pack", os.MFD_CLOEXEC))
    right = False
    try:
        async for part in connection.body_parts(limits.PACK_BYTES):
            digest.update(part)
            pack.write(part)
        right = digest.hexdigest() == sha256
    except SpoolError as error:
        raise WorkspaceFull(f"There is no memory for a pack: {error}.") from error
    finally:
        if not right:
            os.close(pack.fd)
    if not right:
        raise InvalidRequest("These bytes are not the pack that was named.")
    return pack.fd


def _read(fd: int) -> Any:
    with open(fd, "rb") as file:
        return json.loads(file.read())
