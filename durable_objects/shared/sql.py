"""A small SQL protocol: what the cores need of Durable Object SQLite, and nothing more.

`execute` returns rows as dicts, `run` is for a statement whose rows nobody wants. Statements that
run without an await between them are one transaction on Cloudflare; `transaction` says so where it
matters and rolls back on an exception.
Values are str, int (below 2**53), float or None.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

INTEGER_MAX = 2**53
Value = str | int | float | None
Row = dict[str, Any]
T = TypeVar("T")


class Sql(Protocol):
    def run(self, query: str, *values: Value) -> None: ...

    def execute(self, query: str, *values: Value) -> list[Row]: ...

    def transaction(self, work: Callable[[], T]) -> T: ...


class SqliteSql:
    """The same protocol on CPython's sqlite3, for tests and tools on a host."""

    def __init__(self, path: str = ":memory:") -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.row_factory = sqlite3.Row

    def run(self, query: str, *values: Value) -> None:
        self._connection.execute(query, _storable(values))

    def execute(self, query: str, *values: Value) -> list[Row]:
        return [dict(row) for row in self._connection.execute(query, _storable(values)).fetchall()]

    def transaction(self, work: Callable[[], T]) -> T:
        if self._connection.in_transaction:
            return work()
        self._connection.execute("BEGIN")
        try:
            result = work()
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        return result

    def close(self) -> None:
        self._connection.close()


def _storable(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Raises OverflowError for an integer that a Durable Object's SQLite does not take either."""
    for value in values:
        if isinstance(value, int) and abs(value) >= INTEGER_MAX:
            raise OverflowError(f"no integer to store: {value}")
    return values


def migrate(sql: Sql, steps: tuple[tuple[str, ...], ...]) -> None:
    """Bring the tables up to date. `steps[n]` are the statements that lead from version n to n+1.

    A step is never changed once it has shipped; a new one is added behind it.
    """
    sql.run("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    rows = sql.execute("SELECT version FROM schema_version")
    version = rows[0]["version"] if rows else 0
    if version >= len(steps):
        return

    def upgrade() -> None:
        for statements in steps[version:]:
            for statement in statements:
                sql.run(statement)
        sql.run("DELETE FROM schema_version")
        sql.run("INSERT INTO schema_version (version) VALUES (?)", len(steps))

    sql.transaction(upgrade)
