"""Values that count once: a challenge, the state of a login.

They carry their own end, so none is stored before it is used. Then a value is
kept as its hash until it would be refused as too old anyway, and a while longer: clocks differ.
"""

from hashlib import sha256

from durable_objects.shared.context import Context

ONCE_TABLE = "CREATE TABLE spent (hash TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID"
CLOCK_MS = 60_000


class Once:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def spend(self, value: str, until_ms: int) -> bool:
        """True the first time, False each time after it. Inside a transaction it is undone with it."""
        self._sql.run("DELETE FROM spent WHERE until_ms < ?", self._context.now_ms() - CLOCK_MS)
        rows = self._sql.execute(
            "INSERT OR IGNORE INTO spent (hash, until_ms) VALUES (?, ?) RETURNING hash",
            sha256(value.encode()).hexdigest(),
            until_ms,
        )
        return bool(rows)
