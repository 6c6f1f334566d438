"""Making a backup: pull each piece from the computer, put it into R2, read it again, then flip.

Nothing counts before the flip, and the flip is one write. So dying, being cancelled or failing anywhere
before it leaves the backups as they were; pieces that are already there are not sent again by the next
try, which is how a first backup that takes longer than one save gets done. What the computer says of
sizes and hashes is checked against what lies in R2.
"""

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import Any

from contracts.errors import BerthError
from contracts.limits import (
    BACKUP_BYTES_MAX,
    BACKUP_MANIFEST_BYTES_MAX,
    BACKUP_NAMES_TOLD,
    BACKUP_PACK_BYTES_MAX,
    BACKUP_PACKS_MAX,
)
from durable_objects.bot_computer.answers import number
from durable_objects.bot_computer.backups import Backup, BackupBook, Backups
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.lifecycle import Machine
from durable_objects.bot_computer.output import valid_text
from durable_objects.bot_computer.patience import ready, soon
from durable_objects.bot_computer.pieces import (
    BackupError,
    BackupWire,
    DamagedError,
    Piece,
    StoreError,
    TooMuchError,
)

log = logging.getLogger(__name__)

SHA256 = re.compile(r"[0-9a-f]{64}\Z")
NAME_CHARACTERS = 300
ENDING_SECONDS = 2.0
PAUSES = (0.1, 0.5)


async def back_up(backups: Backups, machine: Machine) -> Backup:
    """Bring a backup of the machine's folders into R2 and return it; it does not count yet.

    It is as of the machine's `saving_ms`. Raises BackupError.
    """
    previous = backups.book.latest_whole()
    try:
        try:
            return await _back_up(backups, previous, machine)
        except DamagedError as error:
            # Of what it would have built upon, the manifest is broken: begin from nothing.
            log.warning("the manifest of the latest backup is damaged: %s", error)
            backups.book.distrust(str(error))
            return await _back_up(backups, None, machine)
    except (UnreachableError, BerthError, StoreError, DamagedError, TimeoutError) as error:
        raise BackupError(repr(error)) from error


async def _back_up(backups: Backups, previous: Backup | None, machine: Machine) -> Backup:
    wire, manifest = backups.wire, previous.manifest if previous else None
    # Only then does what the computer has found since its start say all that has changed.
    known = previous is not None and previous.as_of_ms == machine.woke_ms
    token, needs = await soon(wire.begin_backup(manifest, tree_known=known))
    try:
        if needs and manifest:
            await _give_manifest(backups, token, manifest)
        last = await _pull(backups, token)
        said = await ready(lambda: wire.summary(token))
        return _checked(backups.book, last, said, machine)
    finally:
        await _end(wire, token)


async def _give_manifest(backups: Backups, token: str, manifest: str) -> None:
    body = await soon(backups.store.open(manifest))
    if body is None:
        raise DamagedError(manifest)
    try:
        await soon(backups.wire.give_manifest(token, body))
    except BerthError as error:
        raise DamagedError(manifest) from error


async def _pull(backups: Backups, token: str) -> Piece:
    """Bring every piece into R2; returns the last one, the manifest."""
    for count in range(BACKUP_PACKS_MAX + 1):
        piece = await _piece(backups, token, count)
        check(piece)
        if backups.book.size_of(piece.sha256) == piece.size:
            piece.drop()
        else:
            if backups.book.bytes() + piece.size > BACKUP_BYTES_MAX:
                piece.drop()
                raise TooMuchError(f"the backups have more than {BACKUP_BYTES_MAX} bytes")
            await _keep(backups, token, count, piece)
            backups.book.trust(piece.sha256, piece.size)
        if piece.kind == "manifest":
            return piece
    raise BackupError(f"the backup has more than {BACKUP_PACKS_MAX} new packs")


def check(piece: Piece) -> None:
    """Raise BackupError for what cannot be a piece, by what the computer says of it."""
    most = BACKUP_PACK_BYTES_MAX if piece.kind == "pack" else BACKUP_MANIFEST_BYTES_MAX
    if not SHA256.match(piece.sha256) or not 0 < piece.size <= most:
        piece.drop()
        raise BackupError(f"a {piece.kind} of {piece.size} bytes is none")


async def _keep(backups: Backups, token: str, count: int, piece: Piece) -> None:
    """Put a piece into R2 and read it again; a piece that R2 did not take is asked for once more."""
    for pause in PAUSES:
        try:
            await _put(backups, piece)
        except (StoreError, TimeoutError) as error:
            log.warning("a piece of a backup is sent again: %s", error)
        else:
            return
        await asyncio.sleep(pause)
        again = await _piece(backups, token, count)
        if (again.kind, again.sha256, again.size) != (piece.kind, piece.sha256, piece.size):
            again.drop()
            raise BackupError(f"piece {count} is another one when it is asked for again")
        piece = again
    await _put(backups, piece)


async def _put(backups: Backups, piece: Piece) -> None:
    try:
        await soon(backups.store.put(piece))
        found = await soon(backups.store.digest(piece.sha256))
    finally:
        piece.drop()
    if found != piece.sha256:
        raise StoreError(f"what was put as {piece.sha256} reads as {found}")


def _checked(book: BackupBook, last: Piece, said: Mapping[str, Any], machine: Machine) -> Backup:
    """The backup as its summary says it is, where all of that lies in R2."""
    packs = said.get("packs")
    if said.get("manifest") != last.sha256 or not isinstance(packs, list) or len(packs) > BACKUP_PACKS_MAX:
        raise BackupError("the computer's summary does not fit what it has sent")
    pieces = {last.sha256: last.size}
    for pack in packs:
        if not isinstance(pack, dict):
            raise BackupError("the computer's summary names no pack")
        sha256, size = str(pack.get("sha256")), number(pack, "size")
        if book.size_of(sha256) != size:
            raise BackupError(f"a pack that the backup refers to is not there: {sha256[:64]}")
        pieces[sha256] = size
    names = said.get("unread_names")
    told = [valid_text(str(name))[:NAME_CHARACTERS] for name in names] if isinstance(names, list) else []
    return Backup(
        as_of_ms=machine.saving_ms or 0,
        generation=machine.generation,
        manifest=last.sha256,
        pieces=pieces,
        unread=number(said, "unread"),
        unread_names=tuple(told[:BACKUP_NAMES_TOLD]),
    )


async def _piece(backups: Backups, token: str, count: int) -> Piece:
    return await ready(lambda: backups.wire.piece(token, count))


async def _end(wire: BackupWire, token: str) -> None:
    try:
        async with asyncio.timeout(ENDING_SECONDS):
            await wire.end_backup(token)
    except (UnreachableError, BerthError, TimeoutError) as error:
        # The next backup ends this one, and so does the end of the machine.
        log.info("a backup could not be ended in the computer: %s", error)


async def collect(backups: Backups) -> None:
    """Delete what no backup refers to, and learn what is missing. Never while a backup is being made.

    Raises StoreError.
    """
    book, store = backups.book, backups.store
    # In the table first: what is not there any more must not be built upon, wherever we die.
    book.forget_unneeded()
    needed = book.needed()
    there = await soon(store.sizes())
    for sha256, size in needed.items():
        if there.get(sha256) != size:
            log.warning("a piece of a backup is not in R2 any more: %s", sha256)
            book.distrust(sha256)
    doomed = [sha256 for sha256 in there if sha256 not in needed]
    if doomed:
        await soon(store.delete(doomed))
