"""The operators' record: metadata only, append-only, each entry once by its id."""

import json

from contracts.records import REMOVED_BY_AGE, AuditEntry, Retained
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate

SCHEMA: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE audit (
            n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL,
            kind TEXT NOT NULL, at_ms INTEGER NOT NULL, details TEXT NOT NULL)""",
        "CREATE INDEX audit_by_owner ON audit (owner_id, n)",
    ),
    (
        "CREATE TABLE bans (owner_id TEXT PRIMARY KEY, reason TEXT NOT NULL, at_ms INTEGER NOT NULL)",
        "CREATE TABLE breaker (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
    ),
    # Whose computer has not heard of the newest change yet; `n` only grows.
    ("CREATE TABLE ban_news (n INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL UNIQUE)",),
    # See `circuits.py`; `hour` counts from the epoch in UTC.
    (
        """CREATE TABLE spending (
            hour INTEGER NOT NULL, owner_id TEXT NOT NULL, ledger_id TEXT NOT NULL, micro INTEGER NOT NULL,
            PRIMARY KEY (hour, owner_id, ledger_id)) WITHOUT ROWID""",
        """CREATE TABLE starts (
            n INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
            failed INTEGER NOT NULL)""",
        "CREATE INDEX starts_by_age ON starts (at_ms)",
        "CREATE TABLE circuits (name TEXT PRIMARY KEY, state TEXT NOT NULL)",
    ),
)
PAGE = 200


class Audit:
    def __init__(self, context: Context) -> None:
        self._sql = context.sql
        migrate(context.sql, SCHEMA)

    def add(self, entry: AuditEntry) -> bool:
        """Add an entry; False where it is there already."""
        rows = self._sql.execute(
            "INSERT OR IGNORE INTO audit (id, owner_id, kind, at_ms, details) VALUES (?, ?, ?, ?, ?)"
            " RETURNING n",
            entry.id,
            entry.owner_id,
            entry.kind,
            entry.at_ms,
            json.dumps(entry.details),
        )
        return bool(rows)

    def awake(self) -> list[str]:
        """Owners whose computer was last heard of as starting or running."""
        rows = self._sql.execute(
            "SELECT owner_id, kind FROM audit WHERE n IN (SELECT MAX(n) FROM audit"
            " WHERE kind IN ('computer_starting', 'computer_running', 'computer_standby') GROUP BY owner_id)"
        )
        return sorted(row["owner_id"] for row in rows if row["kind"] != "computer_standby")

    def removed_by_age(self) -> Retained:
        """Of all owners together, ever."""
        sums = ", ".join(
            f"COALESCE(SUM(details ->> '{name}'), 0) AS {name}" for name in Retained.model_fields
        )
        rows = self._sql.execute(f"SELECT {sums} FROM audit WHERE kind = ?", REMOVED_BY_AGE)  # noqa: S608 - our names
        return Retained.model_validate(rows[0])

    def newest(self, owner_id: str) -> list[AuditEntry]:
        """The newest entries of an owner, newest first, at most a page."""
        rows = self._sql.execute(
            "SELECT id, owner_id, kind, at_ms, details FROM audit WHERE owner_id = ? ORDER BY n DESC LIMIT ?",
            owner_id,
            PAGE,
        )
        return [AuditEntry.model_validate({**row, "details": json.loads(row["details"])}) for row in rows]
