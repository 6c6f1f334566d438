"""Deleting everything of an owner: written down first, then step by step, and finished whatever dies.

It is planned for some days later, and until then it can be taken back. The owner's object rests meanwhile:
nothing runs, and nothing but that and the archive is answered. A person may also want it at once.

While it is under way every other call is refused. Each step may be done again: after a crash the alarm begins
with the first. The last one takes away all tables and with them what says that there is a deletion, so either
nothing is left or it goes on. What stays is in the operators' record: that it began and that it ended.

With a person's own owner the sessions and tokens end, or, where they want that, the account goes as well. It
does not where a workspace would be left without an owner: before it begins that is refused, or waits.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from contracts.audit import OWNER_DELETED, Actor
from contracts.errors import BerthError, ErrorCode
from contracts.limits import DELETION_UNDO_DAYS
from contracts.reasons import because
from durable_objects.shared.context import Context

log = logging.getLogger(__name__)

BEGAN, ENDED = "owner_deletion_began", OWNER_DELETED
PLANNED, UNDONE = "owner_deletion_planned", "owner_deletion_undone"
ACCOUNT_DELETED = "account_deleted"
DAY_MS = 24 * 3_600_000
# How soon a deletion that could not be finished is tried again.
AGAIN_MS = 10_000


class Estate(Protocol):
    """What an owner has, as the deletion takes it apart; every step raises BerthError and may be repeated."""

    async def record(self, kind: str, deletion_id: str, actor: Actor | None, *, account: bool) -> None:
        """Into the operators' record, once; without an actor it was Berth itself."""
        ...

    async def may_leave(self) -> None:
        """Raises `last_owner` where a workspace would be without an owner when the person is gone."""
        ...

    async def quiet(self) -> None:
        """End what runs here and let nobody watch any more."""
        ...

    async def sleep(self) -> None:
        """Have the computer end what it runs, save its files and sleep."""
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

    async def credentials(self) -> None:
        """Sessions and tokens of the person whose own owner this is."""
        ...

    async def account(self) -> None:
        """That person: their place in workspaces, their ways in, and that they are anybody here."""
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
        self._planning = asyncio.Lock()

    @property
    def begun(self) -> bool:
        return self._id is not None

    @property
    def planned_ms(self) -> int | None:
        """When it will begin, while it can be taken back."""
        rows = self._sql.execute("SELECT at_ms FROM planned_deletion")
        return int(rows[0]["at_ms"]) if rows and not self.begun else None

    @property
    def takes_account(self) -> bool:
        """Whether the person goes too, of what is planned or under way."""
        return any(
            self._sql.execute(f"SELECT 1 FROM {table} WHERE account = 1")  # noqa: S608 - our names
            for table in ("deletion", "planned_deletion")
        )

    @property
    def rests(self) -> bool:
        """Whether the owner's object has nothing to do but to be deleted, now or later."""
        return self.begun or self.planned_ms is not None

    def check(self) -> None:
        """Raises `being_deleted` from the moment it was asked for."""
        if self.begun:
            raise being_deleted()
        if (at_ms := self.planned_ms) is not None:
            raise _planned(at_ms)

    def remind(self) -> None:
        """See that the alarm goes on with what is not finished, or begins what is planned."""
        if self.begun:
            self._ring_by(self._context.now_ms() + AGAIN_MS)
        elif (at_ms := self.planned_ms) is not None:
            self._ring_by(at_ms)

    async def plan(self, actor: Actor | None = None, *, account: bool = False) -> int:
        """Have it begin in some days; returns when. Asked again, it stays as it was planned, but that the
        account may be added.

        Raises where it is not in the record, or `last_owner`: then nothing is planned.
        """
        async with self._planning:
            if (at_ms := self.planned_ms) is not None and (self.takes_account or not account):
                return at_ms
            self._check_undoable()
            if account:
                await self._estate.may_leave()
            await self._estate.record(PLANNED, self._context.new_id("del"), actor, account=account)
            self._check_undoable()
            at_ms = at_ms or self._context.now_ms() + DELETION_UNDO_DAYS * DAY_MS
            self._sql.run(
                "INSERT INTO planned_deletion (one, at_ms, account) VALUES (1, ?, ?)"
                " ON CONFLICT DO UPDATE SET account = MAX(account, excluded.account)",
                at_ms,
                int(account),
            )
            self.remind()
            await self._estate.quiet()
        try:
            await self._estate.sleep()
        except BerthError as error:
            # It falls asleep by itself when what it runs has ended.
            log.warning("the computer of who is to be deleted does not sleep yet: %s", error)
        return at_ms

    async def undo(self, actor: Actor | None = None) -> None:
        """Take back what is planned. Raises `being_deleted` where it has begun, or begins meanwhile."""
        async with self._planning:
            self._check_undoable()
            if self.planned_ms is None:
                return
            await self._estate.record(UNDONE, self._context.new_id("del"), actor, account=self.takes_account)
            self._check_undoable()
            self._sql.run("DELETE FROM planned_deletion")

    def _check_undoable(self) -> None:
        """It has begun from when it is being written down: of two who ask at once one is refused."""
        if self.begun or self._work is not None:
            raise being_deleted()

    async def begin(self, actor: Actor | None = None, *, account: bool = False) -> bool:
        """Delete everything; True where nothing is left, False where the alarm has to go on.

        Asked again meanwhile, it is joined as it is. Raises where it is not in the record, or `last_owner`:
        then nothing has happened.
        """
        if self._finished:
            return True
        if self._work is None:
            self._work = asyncio.ensure_future(self._all(actor, account=account))
        work = self._work
        try:
            return await asyncio.shield(work)
        finally:
            if work.done():
                self._work = None

    async def go_on(self) -> bool:
        """The alarm's part: what was begun, from its first step, or what is planned for now."""
        at_ms = self.planned_ms
        due = at_ms is not None and self._context.now_ms() >= at_ms
        if not self.begun and not due:
            self.remind()
            return True
        self._ring_by(self._context.now_ms() + AGAIN_MS)
        try:
            return await self.begin()
        except BerthError as error:
            log.warning("a deletion does not begin: %s", error)
            if error.code == ErrorCode.LAST_OWNER:
                # Somebody has to hand a workspace over first, and sees the new day.
                self._sql.run("UPDATE planned_deletion SET at_ms = ?", self._context.now_ms() + DAY_MS)
            return False

    async def _all(self, actor: Actor | None, *, account: bool) -> bool:
        account = account or self.takes_account
        if self._id is None:
            if account:
                await self._estate.may_leave()
            deletion_id = self._context.new_id("del")
            await self._estate.record(BEGAN, deletion_id, actor, account=account)
            self._sql.transaction(lambda: self._begun(deletion_id, account=account))
            self._id = deletion_id
        self.remind()
        try:
            await self._steps(self._id, actor, account=self.takes_account)
        except BerthError as error:
            log.warning("a deletion is not finished: %s", error)
            return False
        self._finished = True
        return True

    def _begun(self, deletion_id: str, *, account: bool) -> None:
        self._sql.run("INSERT INTO deletion (one, id, account) VALUES (1, ?, ?)", deletion_id, int(account))
        self._sql.run("DELETE FROM planned_deletion")

    async def _steps(self, deletion_id: str, actor: Actor | None, *, account: bool) -> None:
        await self._estate.quiet()
        await self._estate.computer()
        await self._estate.uploads()
        await self._estate.stored()
        if account:
            await self._estate.account()
            await self._estate.record(ACCOUNT_DELETED, deletion_id, actor, account=account)
        else:
            await self._estate.credentials()
        await self._estate.record(ENDED, deletion_id, actor, account=account)
        await self._estate.tables()


def _planned(at_ms: int) -> BerthError:
    return because(ErrorCode.BEING_DELETED, "deletion_planned", details={"at_ms": at_ms})


def being_deleted() -> BerthError:
    return because(ErrorCode.BEING_DELETED, "deletion_under_way", retry_after_s=AGAIN_MS / 1000)
