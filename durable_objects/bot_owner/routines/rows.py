"""The tables of routines, and their rows.

A routine's `due_ms` is the time its timer stands for; `anchor_ms` is what an interval is counted from. A
firing is a time at which it was due and what came of it; those in a row with one outcome are one row. What
ended runs cost in the month that began at `month_ms` is `month_spent`, in micro-dollars.
`runs.over` is the limit that ends a run of a routine, `runs.until_ms` when its minutes of work are over.
"""

import json
from collections.abc import Mapping
from typing import Any

from contracts.errors import ErrorCode
from contracts.limits import ROUTINE_HISTORY_KEPT
from contracts.reasons import because
from contracts.routines import RoutineSettings
from contracts.states import RoutineOutcome, RoutineState
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, Value

ROUTINES_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE routines (
        id TEXT PRIMARY KEY, client_id TEXT NOT NULL UNIQUE, bot_id TEXT NOT NULL, thread_id TEXT NOT NULL,
        settings TEXT NOT NULL, state TEXT NOT NULL, paused_by TEXT, due_ms INTEGER,
        anchor_ms INTEGER NOT NULL, memory TEXT NOT NULL DEFAULT '{}', failures INTEGER NOT NULL DEFAULT 0,
        month_ms INTEGER NOT NULL DEFAULT 0, month_spent INTEGER NOT NULL DEFAULT 0,
        told_month_ms INTEGER NOT NULL DEFAULT 0,
        created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL)""",
    """CREATE TABLE firings (
        id INTEGER PRIMARY KEY AUTOINCREMENT, routine_id TEXT NOT NULL, due_ms INTEGER NOT NULL,
        at_ms INTEGER NOT NULL, by TEXT NOT NULL, outcome TEXT NOT NULL, count INTEGER NOT NULL DEFAULT 1,
        note TEXT NOT NULL DEFAULT '', run_id TEXT, microdollars INTEGER)""",
    "CREATE INDEX firings_by_routine ON firings (routine_id, id)",
    "CREATE INDEX firings_by_run ON firings (run_id) WHERE run_id IS NOT NULL",
    "ALTER TABLE runs ADD COLUMN routine_id TEXT",
    "ALTER TABLE runs ADD COLUMN until_ms INTEGER",
    "ALTER TABLE runs ADD COLUMN over TEXT",
    "CREATE INDEX runs_by_routine ON runs (routine_id, created_ms) WHERE routine_id IS NOT NULL",
    "ALTER TABLE threads ADD COLUMN routine_id TEXT",
)


# SQLite of a Durable Object takes no integer near 2**53.
ID_MAX = 10**15


def settings_of(row: Row) -> RoutineSettings:
    return RoutineSettings.model_validate_json(row["settings"])


class RoutineRows:
    """Every method that changes something belongs inside a `record.write`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def find(self, routine_id: str) -> Row | None:
        rows = self._sql.execute("SELECT * FROM routines WHERE id = ?", routine_id)
        return rows[0] if rows else None

    def get(self, routine_id: str) -> Row:
        row = self.find(routine_id)
        if row is None:
            raise because(ErrorCode.NOT_FOUND, "routine_gone")
        return row

    def made_by(self, client_id: str) -> Row | None:
        rows = self._sql.execute("SELECT * FROM routines WHERE client_id = ?", client_id)
        return rows[0] if rows else None

    def all(self) -> list[Row]:
        return self._sql.execute("SELECT * FROM routines ORDER BY created_ms, id")

    def of_bot(self, bot_id: str) -> list[str]:
        return [row["id"] for row in self._sql.execute("SELECT id FROM routines WHERE bot_id = ?", bot_id)]

    def count(self) -> int:
        return int(self._sql.execute("SELECT COUNT(*) AS n FROM routines")[0]["n"])

    def add(self, routine_id: str, client_id: str, bot_id: str, settings: RoutineSettings) -> None:
        now = self._context.now_ms()
        self._sql.run(
            "INSERT INTO routines (id, client_id, bot_id, thread_id, settings, state, anchor_ms,"
            " created_ms, updated_ms) VALUES (?, ?, ?, '', ?, ?, ?, ?, ?)",
            routine_id,
            client_id,
            bot_id,
            settings.model_dump_json(),
            RoutineState.ACTIVE,
            now,
            now,
            now,
        )

    def change(self, routine_id: str, **columns: Value) -> Row:
        names = ", ".join(f"{name} = ?" for name in columns)
        rows = self._sql.execute(
            f"UPDATE routines SET {names} WHERE id = ? RETURNING *",  # noqa: S608 - our names
            *columns.values(),
            routine_id,
        )
        return rows[0]

    def remove(self, routine_id: str) -> None:
        self._sql.run("DELETE FROM routines WHERE id = ?", routine_id)
        self._sql.run("DELETE FROM firings WHERE routine_id = ?", routine_id)

    def note(
        self,
        routine_id: str,
        due_ms: int,
        by: str,
        outcome: RoutineOutcome,
        *,
        note: str = "",
        details: Mapping[str, Any] | None = None,
        run_id: str | None = None,
    ) -> int:
        """Write down what came of a time; returns the firing's id. The oldest fall out of the history."""
        now = self._context.now_ms()
        last = self.last(routine_id)
        if last and run_id is None and (last["outcome"], last["note"]) == (outcome, note):
            self._sql.run(
                "UPDATE firings SET count = count + 1, at_ms = ?, due_ms = ? WHERE id = ?",
                now,
                due_ms,
                last["id"],
            )
            return int(last["id"])
        rows = self._sql.execute(
            "INSERT INTO firings (routine_id, due_ms, at_ms, by, outcome, note, details, run_id)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            routine_id,
            due_ms,
            now,
            by,
            outcome,
            note,
            None if details is None else json.dumps(details, ensure_ascii=False),
            run_id,
        )
        self._sql.run(
            "DELETE FROM firings WHERE routine_id = ? AND id NOT IN"
            " (SELECT id FROM firings WHERE routine_id = ? ORDER BY id DESC LIMIT ?)",
            routine_id,
            routine_id,
            ROUTINE_HISTORY_KEPT,
        )
        return int(rows[0]["id"])

    def last(self, routine_id: str) -> Row | None:
        found = self.firings(routine_id, None, 1)
        return found[0] if found else None

    def firings(self, routine_id: str, before: int | None, limit: int) -> list[Row]:
        """The newest first."""
        return self._sql.execute(
            "SELECT * FROM firings WHERE routine_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
            routine_id,
            before or ID_MAX,
            limit,
        )

    def cost(self, run_id: str, microdollars: int) -> None:
        """What an ended run has cost."""
        self._sql.run("UPDATE firings SET microdollars = ? WHERE run_id = ?", microdollars, run_id)

    def of_run(self, run_id: str) -> Row | None:
        rows = self._sql.execute("SELECT * FROM firings WHERE run_id = ?", run_id)
        return rows[0] if rows else None

    def unfinished(self, routine_id: str) -> list[Row]:
        """The runs of a routine that have not ended."""
        return self._sql.execute(
            "SELECT * FROM unfinished_runs WHERE routine_id = ? ORDER BY created_ms, id", routine_id
        )

    def memory(self, row: Row) -> dict[str, object]:
        memory: dict[str, object] = json.loads(row["memory"])
        return memory
