"""Bringing a backup back into a computer that has just started, before anything runs in it.

The computer checks the hash of each piece before it writes any of it, and refuses commands until the end.
A piece that is refused twice is damaged; R2 that does not answer is asked again. Whoever calls this
destroys the computer where it fails, so that a half tree is never used.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from contracts.errors import BerthError, ErrorCode
from contracts.limits import BACKUP_NAMES_TOLD
from durable_objects.bot_computer.answers import number
from durable_objects.bot_computer.backups import Backup, Backups
from durable_objects.bot_computer.output import valid_text
from durable_objects.bot_computer.patience import ready, soon
from durable_objects.bot_computer.pieces import BackupWire, DamagedError, PieceStore, StoreError

log = logging.getLogger(__name__)

T = TypeVar("T")

NAME_CHARACTERS = 300
REFUSALS = 2
PAUSES = (0.1, 0.5, 2.0)


@dataclass(frozen=True)
class Restoration:
    """Files that did not come back, and the first of their names."""

    missing: int
    missing_names: tuple[str, ...]


async def restore(backups: Backups, backup: Backup) -> Restoration:
    """Fill the computer with a backup.

    Raises DamagedError where a piece of it is not what it was, StoreError where R2 does not answer,
    UnreachableError and TimeoutError where the computer does not, and BerthError for what it refuses else.
    """
    wire, store = backups.wire, backups.store
    token = await soon(wire.begin_restore(backup.manifest))
    packs = await _bring(store, backup.manifest, lambda body: wire.restore_manifest(token, body))
    for sha256 in packs:
        if sha256 not in backup.pieces:
            raise DamagedError(backup.manifest)
        await _bring(store, sha256, _taker(wire, token, sha256))
    said = await ready(lambda: wire.finish_restore(token))
    names = said.get("missing_names")
    told = [valid_text(str(name))[:NAME_CHARACTERS] for name in names] if isinstance(names, list) else []
    both = (*told, *backup.unread_names)[:BACKUP_NAMES_TOLD]
    return Restoration(number(said, "missing") + backup.unread, both)


def _taker(wire: BackupWire, token: str, sha256: str) -> Callable[[Any], Awaitable[None]]:
    return lambda body: wire.restore_pack(token, sha256, body)


async def _bring(store: PieceStore, sha256: str, take: Callable[[Any], Awaitable[T]]) -> T:
    """Read a piece from R2 into the computer."""
    refusals, pauses = 0, iter(PAUSES)
    while True:
        try:
            body = await soon(store.open(sha256))
            if body is None:
                raise DamagedError(sha256)
            return await soon(take(body))
        except BerthError as error:
            refusals += 1
            if error.code != ErrorCode.INVALID_REQUEST:
                raise
            if refusals >= REFUSALS:
                raise DamagedError(sha256) from error
        except StoreError as error:
            pause = next(pauses, None)
            if pause is None:
                raise
            log.warning("a piece of a backup is read again: %s", error)
            await asyncio.sleep(pause)
