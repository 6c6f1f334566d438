"""The ledger: append-only rows with unique keys, and their sum.

A row whose key is there already adds nothing: whoever does not know whether it was written writes it again.
"""

import json
from dataclasses import asdict, dataclass, fields
from typing import Literal

from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

CHECKPOINT_ROWS = 500

Kind = Literal["month", "expired", "once", "model", "computer"]
DEBITS: tuple[Kind, ...] = ("model", "computer")


@dataclass(frozen=True)
class Entry:
    """A row to write; see `schema.py`."""

    key: str
    kind: Kind
    micro: int
    day: str
    from_ms: int | None = None
    to_ms: int | None = None
    ms: int = 0
    attribution: str = ""
    bot_id: str = ""
    thread_id: str = ""
    run_id: str = ""
    call_id: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    own_key: int = 0


COLUMNS = tuple(field.name for field in fields(Entry))


class Ledger:
    """Methods that write belong inside a transaction of their caller."""

    def __init__(self, context: Context) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        # Too high after a rollback, which only puts the next one off.
        self._checkpoint = self._one("SELECT COALESCE(MAX(n), 0) AS micro FROM ledger_checkpoints")

    def has(self, key: str) -> bool:
        return bool(self._sql.execute("SELECT 1 FROM ledger WHERE key = ?", key))

    def add(self, *entries: Entry) -> None:
        """Write rows, in one statement; those whose key is there already are left as they are."""
        rows = self._sql.execute(
            f"INSERT OR IGNORE INTO ledger (at_ms, {', '.join(COLUMNS)})"  # noqa: S608 - our names
            f" SELECT ?, {', '.join(f'value ->> {place}' for place in range(len(COLUMNS)))}"
            " FROM json_each(?) ORDER BY key RETURNING n",
            self._now_ms(),
            json.dumps([list(asdict(entry).values()) for entry in entries]),
        )
        newest = max((row["n"] for row in rows), default=0)
        if newest - self._checkpoint >= CHECKPOINT_ROWS:
            balance, self._checkpoint = self.balance(), newest
            self._sql.run("INSERT INTO ledger_checkpoints (n, micro) VALUES (?, ?)", newest, balance)

    def balance(self) -> int:
        """What is left, in micro-dollars: the newest checkpoint and what came behind it."""
        rows = self._sql.execute(
            "SELECT COALESCE((SELECT micro FROM ledger_checkpoints ORDER BY n DESC LIMIT 1), 0)"
            " + COALESCE(SUM(micro), 0) AS micro FROM ledger"
            " WHERE n > COALESCE((SELECT MAX(n) FROM ledger_checkpoints), 0)"
        )
        return int(rows[0]["micro"])

    def sum(self, kinds: tuple[Kind, ...], days: str) -> int:
        """Of the rows of these kinds whose day begins with `days`: a day, a month, or all."""
        return self._one(
            f"SELECT COALESCE(SUM(micro), 0) AS micro FROM ledger"  # noqa: S608 - marks
            f" WHERE kind IN ({', '.join('?' * len(kinds))}) AND day >= ? AND day < ?",
            *kinds,
            days,
            days + "~",
        )

    def spent(self, days: str) -> int:
        return -self.sum(DEBITS, days)

    def spent_by_routine(self, attribution: str, first_day: str, since_ms: int) -> int:
        """Of what was used since then; `first_day` is not after the day of any of it."""
        return -self._one(
            # The pattern is what the index needs to be seen to fit.
            "SELECT COALESCE(SUM(micro), 0) AS micro FROM ledger WHERE attribution = ?"
            " AND attribution LIKE 'routine:%' AND day >= ? AND COALESCE(to_ms, at_ms) > ?",
            attribution,
            first_day,
            since_ms,
        )

    def _one(self, query: str, *values: str | int) -> int:
        return int(self._sql.execute(query, *values)[0]["micro"])

    def rows(self, first_day: str, last_day: str, after: int, limit: int) -> list[Row]:
        """The debits of these days behind row `after`, in the order in which they were written."""
        return self._sql.execute(
            "SELECT * FROM ledger WHERE n > ? AND day >= ? AND day <= ? AND kind IN ('model', 'computer')"
            " ORDER BY n LIMIT ?",
            after,
            first_day,
            last_day,
            limit,
        )
