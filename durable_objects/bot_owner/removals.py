"""Deleting a thread: it disappears at once, can come back for a while, and is then removed for good.

A deleted thread is hidden, not closed: what still runs in it is stopped, and how it ended is written into
its record, so that an undo brings back a thread that is whole. `purge_ms` is when the alarm takes it away;
from then on no undo finds it. A branch shows files and calls of the thread that it came from, so those go
with the last thread of such a family. Bytes in R2 go before their rows: after a death in between the next
sweep deletes them again.
"""

import logging
from collections.abc import Awaitable, Callable

from contracts.errors import BerthError, ErrorCode
from contracts.limits import PURGE_SECONDS
from contracts.reasons import because
from contracts.records import Thread
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.files import FileShelf
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

SWEEP_AGAIN_MS = 10_000
_FAMILY = """WITH RECURSIVE family (id) AS (
    VALUES (?) UNION SELECT threads.id FROM threads JOIN family ON threads.branch_of = family.id
    UNION SELECT threads.branch_of FROM threads JOIN family USING (id) WHERE threads.branch_of IS NOT NULL)"""
# What a thread has said, and what is kept of its runs and files.
_SAID = ("events", "shown_commands", "sent", "windows")
_KEPT = ("uploads", "artifacts", "runs")


class Removals:
    def __init__(
        self,
        context: Context,
        *,
        catalog: Catalog,
        record: ThreadRecord,
        journal: RunJournal,
        files: FileShelf,
        drop: Callable[[str], Awaitable[None]],
        ring_by: Callable[[int], None],
    ) -> None:
        """`drop` deletes what R2 has under a key, or raises BerthError; nothing there is no error."""
        self._context = context
        self._sql = context.sql
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._files = files
        self._drop = drop
        self._ring_by = ring_by

    def hide(self, thread_id: str) -> list[Row]:
        """Hide a thread; returns its unfinished runs, marked as to be stopped. Raises `not_found`."""
        at = self._context.now_ms() + PURGE_SECONDS * 1000

        def hidden() -> list[Row]:
            runs = self._journal.unfinished(thread_id)
            self._record.hide(thread_id, at)
            for run in runs:
                self._journal.ask_stop(run["id"])
            return runs

        runs = self._record.write(hidden)
        self._ring_by(at)
        return runs

    def restore(self, thread_id: str) -> Thread:
        """Bring a deleted thread back; one that is not deleted stays as it is. Raises `not_found`."""
        rows = self._sql.execute(
            "SELECT bot_id FROM threads WHERE id = ? AND deleted = 1 AND purge_ms > ?",
            thread_id,
            self._context.now_ms(),
        )
        if rows:
            try:
                self._catalog.bot_row(rows[0]["bot_id"])
            except BerthError as error:
                raise because(ErrorCode.NOT_FOUND, "bot_deleted") from error
            self._record.show(thread_id)
        return self._catalog.thread(thread_id)

    async def sweep(self) -> None:
        """Remove for good what is due; what R2 does not answer for stays until the next sweep."""
        due = self._sql.execute("SELECT id FROM threads WHERE purge_ms <= ?", self._context.now_ms())
        for row in due:
            if self._journal.unfinished(row["id"]):
                continue
            try:
                await self._purge(row["id"])
            except BerthError as error:
                log.warning("a deleted thread could not be removed: %s", error)
        self._remind()

    def _remind(self) -> None:
        if (due := self._due_ms()) is not None:
            self._ring_by(due)

    def _due_ms(self) -> int | None:
        at = self._sql.execute("SELECT MIN(purge_ms) AS ms FROM threads")[0]["ms"]
        return None if at is None else max(at, self._context.now_ms() + SWEEP_AGAIN_MS)

    async def _purge(self, thread_id: str) -> None:
        gone = self._gone_family(thread_id)
        for key in self._keys(gone):
            await self._drop(key)

        def removed() -> None:
            for one in gone:
                self._forget_files(one)
            self._record.purge(thread_id)
            for table in _SAID:
                self._sql.run(f"DELETE FROM {table} WHERE thread_id = ?", thread_id)  # noqa: S608 - our names

        self._record.write(removed)

    def _gone_family(self, thread_id: str) -> list[str]:
        """The threads whose files go with this one: its whole family, where it is the last of it."""
        kin = self._sql.execute(
            f"{_FAMILY} SELECT id, deleted, purge_ms FROM threads JOIN family USING (id)",  # noqa: S608 - ours
            thread_id,
        )
        last = all(one["id"] == thread_id or (one["deleted"] and one["purge_ms"] is None) for one in kin)
        return [one["id"] for one in kin] if last else []

    def _keys(self, threads: list[str]) -> list[str]:
        keys = []
        for thread_id in threads:
            for table in ("uploads", "artifacts"):
                rows = self._sql.execute(f"SELECT key FROM {table} WHERE thread_id = ?", thread_id)  # noqa: S608
                keys += [row["key"] for row in rows]
            shown = self._sql.execute(
                "SELECT call_id FROM steps JOIN runs ON runs.id = run_id"
                " WHERE thread_id = ? AND tool = 'computer__read_file'",
                thread_id,
            )
            keys += [self._files.picture_key(row["call_id"]) for row in shown]
        return keys

    def _forget_files(self, thread_id: str) -> None:
        of_runs = "WHERE run_id IN (SELECT id FROM runs WHERE thread_id = ?)"
        self._sql.run(
            f"DELETE FROM call_texts WHERE call_id IN (SELECT call_id FROM steps {of_runs})",  # noqa: S608
            thread_id,
        )
        self._sql.run(f"DELETE FROM steps {of_runs}", thread_id)  # noqa: S608 - our names
        for table in _KEPT:
            self._sql.run(f"DELETE FROM {table} WHERE thread_id = ?", thread_id)  # noqa: S608 - our names
