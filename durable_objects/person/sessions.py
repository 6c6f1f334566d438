"""A person's sessions: one a device, known by a secret that changes once a day.

A browser may never see the answer that carries its new secret. So the old one stays good until the new one
has been used, and 60 seconds more for requests under way; until then a new one is offered again, not more
often than that.
"""

from contracts.errors import ErrorCode
from contracts.limits import SESSION_DAYS, SESSION_OVERLAP_SECONDS, SESSION_ROTATION_SECONDS, SESSIONS_MAX
from contracts.people import OWNER_RIGHTS, Credential, Session
from contracts.reasons import because
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, new_secret
from durable_objects.shared.sql import Row

LASTS_MS = SESSION_DAYS * 24 * 3_600_000
ROTATION_MS = SESSION_ROTATION_SECONDS * 1000
OVERLAP_MS = SESSION_OVERLAP_SECONDS * 1000
# How exactly it is known when a device was seen: each note of it is a write.
SEEN_MS = 600_000


class Sessions:
    def __init__(self, context: Context, person_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._person_id = person_id

    def begin(self, device: str, *, operator: bool) -> str:
        """A new session; returns its secret. Where there are too many, the one unused for longest ends."""
        now_ms, secret = self._context.now_ms(), self._new_secret()

        def write() -> None:
            self._forget_old(now_ms)
            self._sql.run(
                "DELETE FROM sessions WHERE id NOT IN"
                " (SELECT id FROM sessions ORDER BY seen_ms DESC, id DESC LIMIT ?)",
                SESSIONS_MAX - 1,
            )
            self._sql.run(
                "INSERT INTO sessions (id, hash, rotated_ms, device, operator, created_ms, seen_ms)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                self._context.new_id("ses"),
                hashed(secret),
                now_ms,
                device,
                int(operator),
                now_ms,
                now_ms,
            )

        self._sql.transaction(write)
        return secret

    def known(self, secret_hash: str, *, may_offer: bool) -> Credential | None:
        """The session of a secret, if it holds. `may_offer`: whether the answer can carry a new secret."""
        rows = self._sql.execute(
            "SELECT * FROM sessions WHERE hash = ? OR next_hash = ? OR before_hash = ?",
            secret_hash,
            secret_hash,
            secret_hash,
        )
        row, now_ms = (rows[0] if rows else None), self._context.now_ms()
        if row is None or row["seen_ms"] + LASTS_MS <= now_ms:
            return None
        if secret_hash == row["before_hash"] and row["before_until_ms"] <= now_ms:
            return None
        if secret_hash == row["next_hash"]:
            self._take_over(row, now_ms)
        elif row["seen_ms"] + SEEN_MS <= now_ms:
            self._sql.run("UPDATE sessions SET seen_ms = ? WHERE id = ?", now_ms, row["id"])
        offered = self._offer(row, now_ms) if may_offer and secret_hash == row["hash"] else None
        return Credential(id=row["id"], rights=OWNER_RIGHTS, operator=bool(row["operator"]), secret=offered)

    def _take_over(self, row: Row, now_ms: int) -> None:
        self._sql.run(
            "UPDATE sessions SET hash = next_hash, next_hash = NULL, before_hash = hash, before_until_ms = ?,"
            " rotated_ms = ?, offered_ms = 0, seen_ms = ? WHERE id = ?",
            now_ms + OVERLAP_MS,
            now_ms,
            now_ms,
            row["id"],
        )

    def _offer(self, row: Row, now_ms: int) -> str | None:
        if now_ms < row["rotated_ms"] + ROTATION_MS or now_ms < row["offered_ms"] + OVERLAP_MS:
            return None
        secret = self._new_secret()
        self._sql.run(
            "UPDATE sessions SET next_hash = ?, offered_ms = ? WHERE id = ?",
            hashed(secret),
            now_ms,
            row["id"],
        )
        return secret

    def all(self, current_id: str) -> list[Session]:
        """Those that have not ended, the one used last first."""
        self._forget_old(self._context.now_ms())
        rows = self._sql.execute(
            "SELECT id, device, created_ms, seen_ms FROM sessions ORDER BY seen_ms DESC, id DESC"
        )
        return [Session(**row, current=row["id"] == current_id) for row in rows]

    def end(self, session_id: str) -> None:
        """Raises `not_found` for one that is not there."""
        if not self._sql.execute("DELETE FROM sessions WHERE id = ? RETURNING id", session_id):
            raise because(ErrorCode.NOT_FOUND, "session_gone")

    def end_others(self, current_id: str) -> list[str]:
        """The ids of those that have ended."""
        ended = self._sql.execute("DELETE FROM sessions WHERE id != ? RETURNING id", current_id)
        return [row["id"] for row in ended]

    def _forget_old(self, now_ms: int) -> None:
        self._sql.run("DELETE FROM sessions WHERE seen_ms <= ?", now_ms - LASTS_MS)

    def _new_secret(self) -> str:
        return new_secret("s", self._person_id, self._context.entropy)
