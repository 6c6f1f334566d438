"""The outbox: one row a notice and place, from `pending` to `sent`, `failed` or `dropped`.

A row is claimed before it is sent: its try is counted and its next one stands already, so that who dies in
between is followed by another try and never by a second one at the same time. A receiver may so see a notice
twice, under the same id.
"""

from contracts.limits import (
    NOTICE_RETRY_SECONDS,
    NOTICE_RETRY_SECONDS_MAX,
    NOTICE_SECONDS,
    NOTICES_A_PAGE,
    NOTICES_KEPT,
    NOTICES_WAITING_MAX,
)
from contracts.notices import NoticeDelivery, NoticeKind, NoticeReason, NoticeState
from durable_objects.bot_owner.notices.occasions import Occasion
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

HOUR_MS = 3_600_000


def pause_ms(tries: int) -> int:
    """How long after a try the next one comes, in ms; `tries` counts it."""
    longer: int = NOTICE_RETRY_SECONDS * 4 ** (tries - 1)
    return min(longer, NOTICE_RETRY_SECONDS_MAX) * 1000


def delivery(row: Row) -> NoticeDelivery:
    pending = row["state"] == NoticeState.PENDING
    return NoticeDelivery(
        id=row["id"],
        event=row["event"],
        kind=row["kind"],
        channel=row["channel"],
        thread_id=row["thread_id"],
        state=row["state"],
        reason=row["reason"],
        status=row["status"],
        tries=row["tries"],
        created_ms=row["created_ms"],
        updated_ms=row["updated_ms"],
        due_ms=row["due_ms"] if pending else None,
    )


class Outbox:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def add(self, occasion: Occasion, place: Row) -> bool:
        """Whether it is new. Over the limit of what may wait it is written down as dropped."""
        now = self._context.now_ms()
        waiting = self._sql.execute("SELECT COUNT(*) AS n FROM notices WHERE state = 'pending'")[0]["n"]
        full, latest = waiting >= NOTICES_WAITING_MAX, now + NOTICE_SECONDS * 1000
        row: Row = {
            "id": self._context.new_id("ntc"),
            "event": occasion.event,
            "kind": occasion.kind,
            "channel": place["channel"],
            "place_id": place["id"],
            "bot_id": occasion.bot_id,
            "thread_id": occasion.thread_id,
            "subject": occasion.subject,
            "mark": occasion.mark,
            "state": NoticeState.DROPPED if full else NoticeState.PENDING,
            "reason": "too_many" if full else None,
            "due_ms": now,
            "until_ms": min(occasion.until_ms or latest, latest),
            "created_ms": now,
            "updated_ms": now,
        }
        made = self._sql.execute(
            f"INSERT INTO notices ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"  # noqa: S608 - ours
            " ON CONFLICT (event, place_id) DO NOTHING RETURNING id",
            *row.values(),
        )
        return bool(made)

    def due(self, limit: int) -> list[Row]:
        return self._sql.execute(
            "SELECT * FROM notices WHERE state = 'pending' AND due_ms <= ? ORDER BY due_ms, id LIMIT ?",
            self._context.now_ms(),
            limit,
        )

    def next_ms(self) -> int | None:
        """When the next one is due."""
        at = self._sql.execute("SELECT MIN(due_ms) AS ms FROM notices WHERE state = 'pending'")[0]["ms"]
        return None if at is None else int(at)

    def hold(self, row: Row, reason: NoticeReason | None, until_ms: int) -> None:
        self._sql.run(
            "UPDATE notices SET reason = ?, due_ms = ?, updated_ms = ? WHERE id = ? AND state = 'pending'",
            reason,
            until_ms,
            self._context.now_ms(),
            row["id"],
        )

    def claim(self, row: Row) -> Row:
        """Count a try, with the next one set; returns the row as it is then."""
        now, tries = self._context.now_ms(), row["tries"] + 1
        rows = self._sql.execute(
            "UPDATE notices SET tries = ?, due_ms = ?, updated_ms = ? WHERE id = ? RETURNING *",
            tries,
            now + pause_ms(tries),
            now,
            row["id"],
        )
        return rows[0]

    def end(
        self, row: Row, state: NoticeState, *, reason: NoticeReason | None = None, status: int | None = None
    ) -> None:
        """The end of a row, unless somebody has claimed it since."""
        self._sql.run(
            "UPDATE notices SET state = ?, reason = ?, status = ?, updated_ms = ?"
            " WHERE id = ? AND state = 'pending' AND tries = ?",
            state,
            reason,
            status,
            self._context.now_ms(),
            row["id"],
            row["tries"],
        )

    def again(self, row: Row, reason: NoticeReason, status: int | None, not_before_ms: int) -> None:
        """What was tried in vain waits for its next try."""
        self._sql.run(
            "UPDATE notices SET reason = ?, status = ?, due_ms = MAX(due_ms, ?), updated_ms = ?"
            " WHERE id = ? AND state = 'pending' AND tries = ?",
            reason,
            status,
            not_before_ms,
            self._context.now_ms(),
            row["id"],
            row["tries"],
        )

    def drop_of_place(self, place_id: str) -> None:
        self._sql.run(
            "UPDATE notices SET state = 'dropped', reason = 'place_gone', updated_ms = ?"
            " WHERE place_id = ? AND state = 'pending'",
            self._context.now_ms(),
            place_id,
        )

    def look_soon(self, reason: NoticeReason | None, at_ms: int) -> None:
        """Look again at what is held for a reason, or at all that is held by the settings, at `at_ms`."""
        reasons = [reason] if reason else ["page_open", "quiet_hours", "email_limit"]
        self._sql.run(
            f"UPDATE notices SET due_ms = MIN(due_ms, ?) WHERE state = 'pending'"  # noqa: S608 - question marks
            f" AND reason IN ({', '.join('?' * len(reasons))})",
            at_ms,
            *reasons,
        )

    def of_event(self, event: str) -> list[Row]:
        return self._sql.execute("SELECT * FROM notices WHERE event = ? ORDER BY id", event)

    def newest(self) -> list[Row]:
        return self._sql.execute(
            "SELECT * FROM notices ORDER BY created_ms DESC, id DESC LIMIT ?", NOTICES_A_PAGE
        )

    def tests_in_an_hour(self) -> int:
        rows = self._sql.execute(
            "SELECT COUNT(DISTINCT event) AS n FROM notices WHERE kind = ? AND created_ms > ?",
            NoticeKind.TEST,
            self._context.now_ms() - HOUR_MS,
        )
        return int(rows[0]["n"])

    def forget(self) -> None:
        """What has ended and is not among the newest. What is of the last day stays: an event counts once."""
        self._sql.run(
            "DELETE FROM notices WHERE state <> 'pending' AND created_ms < ? AND id NOT IN"
            " (SELECT id FROM notices ORDER BY created_ms DESC, id DESC LIMIT ?)",
            self._context.now_ms() - NOTICE_SECONDS * 1000,
            NOTICES_KEPT,
        )
