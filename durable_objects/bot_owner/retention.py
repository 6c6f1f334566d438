"""What an owner keeps for a time only: full results, pictures, and threads nobody wrote in.

The alarm calls `sweep`, which does a small batch of each and rings again while there is more. How far results
and pictures have been looked at is a mark in the order of their age, written with what it stands for, so that
a sweep that dies is taken up where it was. A picture is first deleted in R2 and then left out of its event.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from contracts.errors import BerthError
from contracts.limits import AGED_RESULT_CHARACTERS
from contracts.records import Retained, Retention, ToolFinish
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

BATCH = 100
AGAIN_MS = 1_000
# Where R2 did not answer.
LATER_MS = 60_000
DAY_MS = 24 * 3_600_000
SETTING, COUNTS = "retention", "retained"
MARKS = {"results": "retention_results", "pictures": "retention_pictures"}

RemovePictures = Callable[[list[str]], Awaitable[None]]
"""Delete these keys in R2, also those that are not there. Raises BerthError."""


@dataclass(frozen=True)
class Mark:
    """The finished call that was looked at last."""

    at_ms: int = 0
    thread_id: str = ""
    seq: int = 0


class Keeping:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        *,
        catalog: Catalog,
        record: ThreadRecord,
        picture_key: Callable[[str], str],
        remove_pictures: RemovePictures,
        closed: Callable[[str], None],
        ring_by: Callable[[int], None],
        ring_removals_by: Callable[[int], None],
    ) -> None:
        """`closed` is told of a thread that is gone, and `removals.py` takes away what is hidden and due."""
        self._context = context
        self._sql = context.sql
        self._catalog = catalog
        self._record = record
        self._picture_key = picture_key
        self._remove_pictures = remove_pictures
        self._closed = closed
        self._ring_by = ring_by
        self._ring_removals_by = ring_removals_by

    @property
    def days(self) -> Retention:
        return Retention.model_validate_json(self._catalog.setting(SETTING, "{}"))

    def keep(self, days: Retention) -> None:
        """From now on; what is gone does not come back."""
        self._catalog.set_setting(SETTING, days.model_dump_json())
        self.remind()

    def counts(self) -> Retained:
        """What has been removed by age, ever."""
        return Retained.model_validate_json(self._catalog.setting(COUNTS, "{}"))

    async def sweep(self) -> Retained:
        """Remove a batch of what is too old; returns how much that was."""
        before = self.counts()
        self._results()
        try:
            if await self._pictures():
                self._threads()
            self.remind()
        except BerthError as error:
            log.warning("pictures could not be removed: %s", error)
            self.remind(LATER_MS)
        now = self.counts().model_dump()
        return Retained(**{name: now[name] - count for name, count in before.model_dump().items()})

    def _results(self) -> None:
        rows = self._due("results")
        if rows:
            self._record.write(lambda: self._shorten(rows))

    def _shorten(self, rows: list[Row]) -> None:
        count = 0
        for row in rows:
            finish = self._finish(row) if row["characters"] > AGED_RESULT_CHARACTERS else None
            if finish and len(finish.text) > AGED_RESULT_CHARACTERS:
                count += 1
                self._rewrite(row, shortened(finish, self._limit("results") or 0))
        self._passed("results", rows, count)

    async def _pictures(self) -> bool:
        """Whether none is left that is too old. Raises where R2 did not answer."""
        rows = self._due("pictures")
        shown = [row for row in rows if row["picture"]]
        keys = [self._picture_key(row["call_id"]) for row in shown]
        if keys:
            await self._remove_pictures(keys)
        if rows:
            self._record.write(lambda: self._blank(rows, shown))
        return len(rows) < BATCH

    def _blank(self, rows: list[Row], shown: list[Row]) -> None:
        for row in shown:
            # As it is by now: its text may have been shortened meanwhile.
            self._rewrite(row, without_picture(self._finish(row), self._limit("pictures") or 0))
        self._passed("pictures", rows, len(shown))

    def _threads(self) -> None:
        for row in self._old_threads():
            self._record.write(lambda row=row: self._hide(row["id"]))  # type: ignore[misc]
            self._closed(row["id"])
            self._ring_removals_by(self._context.now_ms())

    def _old_threads(self) -> list[Row]:
        """Threads in which nothing has happened for so long; one whose run waits for its owner stays."""
        return self._sql.execute(
            "SELECT id, updated_ms FROM threads WHERE deleted = 0 AND updated_ms <= ?"
            " AND id NOT IN (SELECT thread_id FROM unfinished_runs) ORDER BY updated_ms LIMIT ?",
            self._until("threads"),
            BATCH,
        )

    def _hide(self, thread_id: str) -> None:
        self._record.hide(thread_id, self._context.now_ms())
        self._count("threads", 1)

    def _due(self, kind: str, limit: int = BATCH) -> list[Row]:
        """The next finished calls that are too old, oldest first: what they are, without their texts."""
        mark = self._mark(kind)
        return self._sql.execute(
            "SELECT thread_id, seq, at_ms, data ->> '$.tool_call_id' AS call_id,"
            " LENGTH(data) AS characters, data ->> '$.picture' AS picture"
            " FROM events WHERE type = 'tool.finished'"
            " AND (at_ms, thread_id, seq) > (?, ?, ?) AND at_ms <= ?"
            " ORDER BY at_ms, thread_id, seq LIMIT ?",
            mark.at_ms,
            mark.thread_id,
            mark.seq,
            self._until(kind),
            limit,
        )

    def _passed(self, kind: str, rows: list[Row], count: int) -> None:
        last = [rows[-1][name] for name in ("at_ms", "thread_id", "seq")]
        self._catalog.set_setting(MARKS[kind], json.dumps(last))
        self._count(kind, count)

    def _mark(self, kind: str) -> Mark:
        return Mark(*json.loads(self._catalog.setting(MARKS[kind], "[]")))

    def _count(self, kind: str, more: int) -> None:
        counts = self.counts()
        raised = counts.model_copy(update={kind: getattr(counts, kind) + more})
        self._catalog.set_setting(COUNTS, raised.model_dump_json())

    def _finish(self, row: Row) -> ToolFinish:
        """One at a time: a result may have 400,000 characters."""
        return ToolFinish.model_validate(self._record.event(row["thread_id"], row["seq"]))

    def _rewrite(self, row: Row, finish: ToolFinish) -> None:
        self._sql.run(
            "UPDATE events SET data = ? WHERE thread_id = ? AND seq = ?",
            finish.model_dump_json(),
            row["thread_id"],
            row["seq"],
        )

    def _limit(self, kind: str) -> int | None:
        """Days. What is in a thread is not kept longer than threads are."""
        days = self.days
        limits = [limit for limit in (getattr(days, kind), days.threads) if limit is not None]
        return min(limits, default=None)

    def _until(self, kind: str) -> int:
        """What happened by then, in milliseconds, is too old; -1 where nothing ever is."""
        limit = self._limit(kind)
        return -1 if limit is None else self._context.now_ms() - limit * DAY_MS

    def remind(self, pause_ms: int = AGAIN_MS) -> None:
        """See that the alarm rings when the next one is too old."""
        now = self._context.now_ms()
        times: list[int] = []
        for kind in MARKS:
            if limit := self._limit(kind):
                times += [at_ms + limit * DAY_MS for at_ms in self._next_call(kind)]
        if limit := self._limit("threads"):
            rows = self._sql.execute(
                "SELECT MIN(updated_ms) AS at_ms FROM threads WHERE deleted = 0"
                " AND id NOT IN (SELECT thread_id FROM unfinished_runs)"
            )
            times += [row["at_ms"] + limit * DAY_MS for row in rows if row["at_ms"] is not None]
        if times:
            self._ring_by(max(min(times), now + pause_ms))

    def _next_call(self, kind: str) -> list[int]:
        mark = self._mark(kind)
        rows = self._sql.execute(
            "SELECT at_ms FROM events WHERE type = 'tool.finished' AND (at_ms, thread_id, seq) > (?, ?, ?)"
            " ORDER BY at_ms, thread_id, seq LIMIT 1",
            mark.at_ms,
            mark.thread_id,
            mark.seq,
        )
        return [row["at_ms"] for row in rows]


def shortened(finish: ToolFinish, days: int) -> ToolFinish:
    """The result with the beginning of its text only, and a word on why."""
    kept = finish.text[:AGED_RESULT_CHARACTERS]
    note = f"[Berth: {len(finish.text) - len(kept)} more characters were removed by age, after {days} days.]"
    command = finish.command and finish.command.model_copy(
        update={"output": finish.command.output[:AGED_RESULT_CHARACTERS]}
    )
    return finish.model_copy(update={"text": f"{kept}\n{note}", "command": command})


def without_picture(finish: ToolFinish, days: int) -> ToolFinish:
    note = f"[Berth: the picture was removed by age, after {days} days.]"
    return finish.model_copy(update={"text": f"{finish.text}\n{note}", "picture": None})
