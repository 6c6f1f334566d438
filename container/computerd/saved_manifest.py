"""The manifest of the newest backup, kept in the workspace so that it need not travel.

Whatever lies there is only used if it has the hash that is asked for. Where commands have left no place for
it (`.berth` is a file, a link, closed, or the disk is full), backups and restores do without.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from . import limits
from .errors import InvalidRequest, Refusal, WorkspaceFull
from .spool import Spool, SpoolError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .connection import Connection
    from .workspace import Place, Workspace

FOLDER = ".berth/backup"
_NAME, _NEW = "manifest", "manifest.new"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE_BYTES = 1024 * 1024


def find(workspace: Workspace, sha256: str) -> int | None:
    """An open descriptor of the manifest with that hash, if it lies here. May take long."""
    import hashlib  # noqa: PLC0415 - 1 MB that an idle computer has no use for

    try:
        with workspace.open(f"{FOLDER}/{_NAME}") as (fd, state, _name):
            digest = hashlib.sha256()
            at = 0
            while at < state.st_size and (data := os.pread(fd, _PIECE_BYTES, at)):
                at += len(data)
                digest.update(data)
            return os.dup(fd) if digest.hexdigest() == sha256 else None
    except Refusal:
        return None


async def receive(connection: Connection, workspace: Workspace, sha256: str) -> int:
    """The manifest that a request brings, open, and kept if the disk has room for it. Raises Refusal."""
    import hashlib  # noqa: PLC0415 - as above

    digest = hashlib.sha256()
    spool = Spool(make_or_do_without(workspace, named=True), limits.SPOOL_MEMORY_BYTES)
    right = False
    try:
        async for part in connection.body_parts(limits.MANIFEST_BYTES):
            digest.update(part)
            spool.write(part)
        right = digest.hexdigest() == sha256
        if right and os.fstat(spool.fd).st_nlink:
            with suppress(Refusal):
                keep(workspace)
    except SpoolError as error:
        raise WorkspaceFull("There is no room for the manifest: delete something and try again.") from error
    finally:
        if not right:
            os.close(spool.fd)
            discard(workspace)
    if not right:
        raise InvalidRequest("These bytes are not the manifest that was named.")
    return spool.fd


def make(workspace: Workspace) -> int:
    """A new file that `keep` makes the newest manifest. Raises Refusal."""
    with _folder(workspace) as place:
        with suppress(FileNotFoundError):
            os.unlink(_NEW, dir_fd=place.directory)
        return os.open(_NEW, _MAKE, 0o600, dir_fd=place.directory)


def make_or_do_without(workspace: Workspace, named: bool) -> int:
    """The same, without a name where none is wanted, and in memory where there is no place for it."""
    try:
        fd = make(workspace)
        if not named:
            discard(workspace)
    except Refusal:
        return os.memfd_create(_NAME, os.MFD_CLOEXEC)
    return fd


def keep(workspace: Workspace) -> None:
    with _folder(workspace) as place:
        os.rename(_NEW, _NAME, src_dir_fd=place.directory, dst_dir_fd=place.directory)


def discard(workspace: Workspace) -> None:
    with suppress(Refusal), _folder(workspace) as place, suppress(FileNotFoundError):
        os.unlink(_NEW, dir_fd=place.directory)


@contextmanager
def _folder(workspace: Workspace) -> Iterator[Place]:
    with workspace.place(f"{FOLDER}/{_NEW}", make_parents=True) as place:
        yield place
