"""Deleting everything of an owner: written down first, then step by step, and finished whatever dies.

While it is under way every other call is refused. Each step may be done again: after a crash the alarm begins
with the first. The last one takes away all tables and with them what says that there is a deletion, so either
nothing is left or it goes on. What stays is in the operators' record: that it began and that it ended.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from contracts.errors import BerthError, ErrorCode
from durable_objects.shared.context import Context

log = logging.getLogger(__name__)

BEGAN, ENDED = "owner_deletion_began", "owner_deleted"
# How soon a deletion that could not be finished is tried again.
AGAIN_MS = 10_000


class Estate(Protocol):
    """What an owner has, as the deletion takes it apart; every step raises BerthError and may be repeated."""

    async def record(self, kind: str, deletion_id: str) -> None:
        """Into the operators' record, once."""
        ...

    async def quiet(self) -> None:
        """End what runs here and let nobody watch any more."""
        ...

    async def computer(self) -> None:
        """The computer: what it runs, its files, its tables."""
        ...

    async def uploads(self) -> None:
        """Uploads that are not finished: their parts are listed nowhere else."""
        ...

    async def stored(self) -> None:
        """Every object of theirs in R2."""
        ...

    async def tables(self) -> None:
        """This object's own storage, and its alarm."""
        ...


class Deletion:
    def __init__(self, context: Context, estate: Estate, ring_by: Callable[[int], None]) -> None:
        self._context = context
        self._sql = context.sql
        self._estate = estate
        self._ring_by = ring_by
        rows = self._sql.execute("SELECT id FROM deletion")
        self._id: str | None = rows[0]["id"] if rows else None
        self._work: asyncio.Future[bool] | None = None
        self._finished = False

    @property
    def begun(self) -> bool:
        return self._id is not None

    def check(self) -> None:
        """Raises `being_deleted` from the moment it was asked for."""
        if self.begun:
            raise being_deleted()

    def remind(self) -> None:
        """See that the alarm goes on with what is not finished."""
        if self.begun:
            self._ring_by(self._context.now_ms() + AGAIN_MS)

    async def begin(self) -> bool:
        """Delete everything; True where nothing is left, False where the alarm has to go on.

        Asked again meanwhile, it is joined. Raises where it is not in the record: then nothing has happened.
        """
        if self._finished:
            return True
        if self._work is None:
            self._work = asyncio.ensure_future(self._all())
        work = self._work
        try:
            return await asyncio.shield(work)
        finally:
            if work.done():
                self._work = None

    async def go_on(self) -> bool:
        """The alarm's part: what was begun, from its first step."""
        return await self.begin() if self.begun else True

    async def _all(self) -> bool:
        if self._id is None:
            deletion_id = self._context.new_id("del")
            await self._estate.record(BEGAN, deletion_id)
            self._id = deletion_id
            self._sql.run("INSERT INTO deletion (one, id) VALUES (1, ?)", deletion_id)
        self.remind()
        try:
            await self._estate.quiet()
            await self._estate.computer()
            await self._estate.uploads()
            await self._estate.stored()
            await self._estate.record(ENDED, self._id)
            await self._estate.tables()
        except BerthError as error:
            log.warning("a deletion is not finished: %s", error)
            return False
        self._finished = True
        return True


def being_deleted() -> BerthError:
    return BerthError(
        ErrorCode.BEING_DELETED,
        "Everything of this owner is being deleted. Afterwards one can begin anew.",
        retry_after_s=AGAIN_MS / 1000,
    )
