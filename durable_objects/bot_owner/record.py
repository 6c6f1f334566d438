"""The thread's record: an append-only log of events with a gapless `seq` a thread.

`write` runs a piece of work as one transaction and publishes what it appended only when it has
been committed, so that nobody is ever shown an event that was rolled back.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from contracts.errors import ErrorCode
from contracts.limits import EVENTS_A_PAGE, PAGE_CHARACTERS_MAX
from contracts.reasons import because
from contracts.records import Record
from durable_objects.bot_owner.command_history import CommandHistory
from durable_objects.bot_owner.search import MessageIndex
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

T = TypeVar("T")

# An event may have 2 MB.
READ_AT_ONCE = 8
SEQ_MAX = 2**53

Appended = Callable[[str, str, Record], None]
"""(thread id, type, data), inside the write that appends the event"""
Publish = Callable[[str, int, str], None]
"""(thread id, seq, the event as JSON text)"""


def event_text(row: Row) -> str:
    """The event as it goes over the wire; `data` is spliced in as the text it was stored as."""
    return (
        f'{{"type":{json.dumps(row["type"])},"seq":{row["seq"]},"at_ms":{row["at_ms"]},"data":{row["data"]}}}'
    )


class ThreadRecord:
    def __init__(
        self, context: Context, publish: Publish, appended: Appended = lambda _thread, _kind, _data: None
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._publish = publish
        self._appended = appended
        self._index = MessageIndex(context.sql)
        self._commands = CommandHistory(context.sql)
        self._written: list[tuple[str, Row]] = []
        # The newest seq of threads that were written to and are shown; this object is their only writer.
        self._heads: dict[str, int] = {}

    def write(self, work: Callable[[], T]) -> T:
        """Do `work` in one transaction, then publish the events it appended.

        `work` must not await: on a Durable Object no other handler can run in between.
        """
        outermost, self._written = self._written, []
        try:
            result = self._sql.transaction(work)
            written = self._written
        except BaseException:
            self._heads.clear()
            raise
        finally:
            self._written = outermost
        for thread_id, row in written:
            self._publish(thread_id, row["seq"], event_text(row))
        return result

    def append(self, thread_id: str, kind: str, data: Record) -> int:
        """Add an event inside a `write` and return its seq. Raises `not_found` for a thread that is gone.

        A thread that is deleted and may come back takes it too, unseen.
        """
        hidden = thread_id not in self._heads and not self.exists(thread_id)
        seq = (self._hidden_head(thread_id) if hidden else self.head(thread_id)) + 1
        row: Row = {
            "seq": seq,
            "type": kind,
            "at_ms": self._context.now_ms(),
            "data": data.model_dump_json(),
        }
        self._sql.run(
            "UPDATE threads SET head_seq = ?, updated_ms = ? WHERE id = ?", seq, row["at_ms"], thread_id
        )
        self._sql.run(
            "INSERT INTO events (thread_id, seq, type, at_ms, data) VALUES (?, ?, ?, ?, ?)",
            thread_id,
            row["seq"],
            row["type"],
            row["at_ms"],
            row["data"],
        )
        if kind == "message.created":
            self._index.add(thread_id, seq, str(data.model_dump(include={"text"})["text"]))
        elif kind in ("tool.started", "tool.finished"):
            self._commands.note(thread_id, seq, row["at_ms"], data)
        if not hidden:
            self._heads[thread_id] = seq
            self._appended(thread_id, kind, data)
        self._written.append((thread_id, row))
        return seq

    def page(self, thread_id: str, after: int, limit: int = EVENTS_A_PAGE) -> list[Row]:
        """Up to `limit` events with seq > after, in order; `data` is JSON text.

        They are fewer where they are long: one at least, and together `PAGE_CHARACTERS_MAX` at most.
        """
        return self._sql.execute(
            "SELECT seq, type, at_ms, data FROM events WHERE thread_id = ?1 AND seq > ?2 AND seq <= COALESCE("
            " (SELECT MAX(seq) FROM (SELECT seq, SUM(LENGTH(data)) OVER (ORDER BY seq) AS characters"
            "   FROM events WHERE thread_id = ?1 AND seq > ?2 AND seq <= ?2 + ?3) WHERE characters <= ?4),"
            " ?2 + 1) ORDER BY seq",
            thread_id,
            after,
            limit,
            PAGE_CHARACTERS_MAX,
        )

    def all(self, thread_id: str, after: int = 0, until: int = SEQ_MAX) -> Iterator[Row]:
        """Every event behind `after` and up to `until`, in order; few are in memory at once."""
        while page := self.page(thread_id, after, READ_AT_ONCE):
            for row in page:
                if row["seq"] > until:
                    return
                yield row
            after = page[-1]["seq"]

    def news(self, run_id: str, after: int, until: int = SEQ_MAX) -> list[Row]:
        """The person's messages to a run behind `after` and up to `until`, in order."""
        return self._sql.execute(
            "SELECT seq, type, at_ms, data FROM sent JOIN events USING (thread_id, seq)"
            " WHERE run_id = ? AND seq > ? AND seq <= ? ORDER BY seq",
            run_id,
            after,
            until,
        )

    def said(self, thread_id: str, run_id: str, until: int) -> list[Row]:
        """The person's messages to a run as a thread shows them, up to `until`, in order.

        A branch shows those to runs of the thread that it was made from, which may be gone.
        """
        # SQLite by itself would rather read everything up to there.
        return self._sql.execute(
            "SELECT seq, type, at_ms, data FROM events INDEXED BY messages_by_run"
            " WHERE type = 'message.created' AND thread_id = ?"
            " AND data ->> '$.run_id' = ? AND seq <= ? AND data ->> '$.role' = 'user' ORDER BY seq",
            thread_id,
            run_id,
            until,
        )

    def answers(self, thread_id: str) -> int:
        """How many answers of a model the thread shows; each has text, reasoning or calls."""
        rows = self._sql.execute(
            "SELECT COUNT(DISTINCT data ->> '$.run_id' || ' ' || (data ->> '$.round')) AS answers FROM events"
            " WHERE thread_id = ? AND type IN ('message.created', 'reasoning.created', 'tool.started')",
            thread_id,
        )
        return int(rows[0]["answers"])

    def exists(self, thread_id: str) -> bool:
        """Whether the thread is there for people to see."""
        if thread_id in self._heads:
            return True
        return bool(self._sql.execute("SELECT 1 FROM threads WHERE id = ? AND deleted = 0", thread_id))

    def head(self, thread_id: str) -> int:
        """The newest seq of a thread, 0 for an empty one. Raises `not_found`."""
        if thread_id in self._heads:
            return self._heads[thread_id]
        rows = self._sql.execute("SELECT head_seq FROM threads WHERE id = ? AND deleted = 0", thread_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "thread_gone")
        return int(rows[0]["head_seq"])

    def kept(self, thread_id: str) -> bool:
        """Whether the thread can be appended to: it is there, or is deleted and may come back."""
        return self.exists(thread_id) or bool(
            self._sql.execute("SELECT 1 FROM threads WHERE id = ? AND purge_ms IS NOT NULL", thread_id)
        )

    def _hidden_head(self, thread_id: str) -> int:
        rows = self._sql.execute(
            "SELECT head_seq FROM threads WHERE id = ? AND purge_ms IS NOT NULL", thread_id
        )
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "thread_gone")
        return int(rows[0]["head_seq"])

    def fill(self, branch_id: str, rows: Iterable[Row]) -> int:
        """Put another thread's events into a new one, inside a `write`; returns how many there were."""
        seq = 0
        for seq, row in enumerate(rows, start=1):
            self._sql.run(
                "INSERT INTO events (thread_id, seq, type, at_ms, data) VALUES (?, ?, ?, ?, ?)",
                branch_id,
                seq,
                row["type"],
                row["at_ms"],
                row["data"],
            )
        self._sql.run("UPDATE threads SET head_seq = ? WHERE id = ?", seq, branch_id)
        self._index.add_later(branch_id)
        self._heads[branch_id] = seq
        return seq

    def hide(self, thread_id: str, purge_ms: int) -> None:
        """Take a thread out of every answer, to be purged at `purge_ms`. Raises `not_found`."""
        self.head(thread_id)
        self._sql.run("UPDATE threads SET deleted = 1, purge_ms = ? WHERE id = ?", purge_ms, thread_id)
        self._heads.pop(thread_id, None)

    def show(self, thread_id: str) -> None:
        """Undo `hide`."""
        self._sql.run("UPDATE threads SET deleted = 0, purge_ms = NULL WHERE id = ?", thread_id)

    def purge(self, thread_id: str) -> None:
        """Forget a hidden thread inside a `write`: nothing can be appended to it any more.

        Its row stays, without its title: branches say by it what they belong to.
        """
        self._index.forget(thread_id)
        self._sql.run("UPDATE threads SET title = '', purge_ms = NULL WHERE id = ?", thread_id)

    def picture(self, thread_id: str, call_id: str) -> dict[str, Any]:
        """What a finished call showed. Raises `not_found`."""
        self.head(thread_id)
        start = f'{{"tool_call_id":"{call_id}"'
        rows = self._sql.execute(
            "SELECT data FROM events WHERE thread_id = ? AND type = 'tool.finished'"
            " AND substr(data, 1, ?) = ?",
            thread_id,
            len(start),
            start,
        )
        picture: dict[str, Any] | None = json.loads(rows[0]["data"]).get("picture") if rows else None
        if picture is None:
            raise because(ErrorCode.NOT_FOUND, "picture_gone")
        return picture

    def event(self, thread_id: str, seq: int) -> dict[str, Any]:
        rows = self._sql.execute("SELECT data FROM events WHERE thread_id = ? AND seq = ?", thread_id, seq)
        data: dict[str, Any] = json.loads(rows[0]["data"])
        return data
