"""What the runs of routines cost, in micro-dollars: the tokens of their answers, the time of their commands.

Prices are list prices, and a bot with its owner's own key is counted by them too: a limit on a routine is
there to stop one that runs away, whoever pays for it.
"""

from typing import Protocol

from contracts.limits import (
    MICRODOLLARS_A_COMPUTER_HOUR,
    MICRODOLLARS_A_READ_TOKEN,
    MICRODOLLARS_A_WRITTEN_TOKEN,
    ROUTINE_MICRODOLLARS_MAX,
)
from contracts.records import Usage
from durable_objects.shared.sql import Row, Sql

HOUR_MS = 3_600_000
# Far over every limit, and a number that can be stored whatever a provider or a computer says of itself.
COST_MAX = 1_000 * ROUTINE_MICRODOLLARS_MAX


class Costs(Protocol):
    def of_run(self, run_id: str) -> int:
        """So far, in micro-dollars."""
        ...


class JournalCosts:
    """From the journal of runs and the record of their calls."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def of_run(self, run_id: str) -> int:
        run = self._sql.execute("SELECT * FROM runs WHERE id = ?", run_id)[0]
        tokens = _of_usage(Usage.model_validate_json(run["usage"])) if run["usage"] else 0
        busy_ms = self._busy_ms(run) if run["used_tools"] else 0
        return min(COST_MAX, tokens + -(-busy_ms * MICRODOLLARS_A_COMPUTER_HOUR // HOUR_MS))

    def _busy_ms(self, run: Row) -> int:
        rows = self._sql.execute(
            "SELECT SUM(data ->> '$.command.duration_ms') AS ms FROM events"
            " WHERE type = 'tool.finished' AND thread_id = ? AND at_ms >= ?"
            " AND data ->> '$.run_id' = ?",
            run["thread_id"],
            run["created_ms"],
            run["id"],
        )
        return int(rows[0]["ms"] or 0)


def _of_usage(usage: Usage) -> int:
    return usage.input * MICRODOLLARS_A_READ_TOKEN + usage.output * MICRODOLLARS_A_WRITTEN_TOKEN
