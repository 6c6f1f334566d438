"""An object's changes, of an owner or a person, on their way into the deployment's record.

An entry is written here together with the change that it tells of, so that neither is without the other. Then
it is told to Platform: at once where that answers, else by the alarm until it has. Each has its id from the
start.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping

from contracts.audit import Actor, AuditEntry, Detail
from contracts.limits import AUDIT_TELL_SECONDS
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

AUDIT_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE audit_outbox (
        n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL, at_ms INTEGER NOT NULL,
        details TEXT NOT NULL, actor TEXT)""",
)
AGAIN_MS = 10_000
AT_ONCE = 100
SWEEP_SECONDS = 60.0


class RecordError(Exception):
    """The record did not answer."""


TellRecord = Callable[[AuditEntry], Awaitable[None]]
"""Into the record, once however often it is told. Raises RecordError."""


class AuditDesk:
    def __init__(
        self, context: Context, owner_id: str, tell: TellRecord, ring_by: Callable[[int], None]
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id
        self.tell = tell
        self._ring_by = ring_by

    def note(self, kind: str, details: Mapping[str, Detail], actor: Actor | None = None) -> None:
        """Write an entry down; belongs into the same write as what it tells of."""
        self._sql.run(
            "INSERT INTO audit_outbox (id, kind, at_ms, details, actor) VALUES (?, ?, ?, ?, ?)",
            self._context.new_id("aud"),
            kind,
            self._context.now_ms(),
            json.dumps(details),
            actor.model_dump_json() if actor else None,
        )
        self._ring_by(self._context.now_ms() + AGAIN_MS)

    async def soon(self) -> None:
        """Tell what waits now. Nobody is held up by a record that does not answer: then the alarm tells."""
        try:
            async with asyncio.timeout(AUDIT_TELL_SECONDS):
                await self.all()
        except (RecordError, TimeoutError) as error:
            log.warning("the record is told later: %s", error)

    async def sweep(self) -> None:
        """What the alarm does, which is not to wait for long: what is left is told when it rings again."""
        try:
            async with asyncio.timeout(SWEEP_SECONDS):
                await self.all()
        except (RecordError, TimeoutError) as error:
            log.warning("the record is told later: %s", error)
            self._ring_by(self._context.now_ms() + AGAIN_MS)

    async def all(self) -> None:
        """Tell everything, in its order. Raises RecordError."""
        while rows := self._sql.execute("SELECT * FROM audit_outbox ORDER BY n LIMIT ?", AT_ONCE):
            for row in rows:
                await self.tell(self._entry(row))
                self._sql.run("DELETE FROM audit_outbox WHERE n = ?", row["n"])

    def _entry(self, row: Row) -> AuditEntry:
        return AuditEntry(
            id=row["id"],
            owner_id=self._owner_id,
            kind=row["kind"],
            at_ms=row["at_ms"],
            details=json.loads(row["details"]),
            actor=Actor.model_validate_json(row["actor"]) if row["actor"] else None,
        )
