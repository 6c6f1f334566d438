"""What an owner's object tells operators of itself now and then: numbers and words of our own lists.

It is told by the alarm, a while after something happened, so that a busy owner tells once, not at every step.
"""

import logging
from collections.abc import Awaitable, Callable

from contracts.errors import ErrorCode
from contracts.limits import REPORT_SECONDS
from contracts.operators import OwnerReport
from contracts.states import RunState
from durable_objects.bot_owner.billing.allowance import Allowance
from durable_objects.shared.context import Context

log = logging.getLogger(__name__)

DAY_MS = 24 * 3_600_000
CALLS_LOOKED_AT = 1_000
KNOWN = frozenset(ErrorCode)


class ReportError(Exception):
    """Platform did not answer."""


TellReport = Callable[[OwnerReport], Awaitable[None]]
"""Raises ReportError."""


class Reporter:
    def __init__(
        self, context: Context, allowance: Allowance, tell: TellReport, ring_by: Callable[[int], None]
    ) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._allowance = allowance
        self._tell = tell
        self._ring_by = ring_by

    def remind(self) -> None:
        """Something has happened that a report will tell of."""
        self._ring_by(self._now_ms() + REPORT_SECONDS * 1000)

    async def sweep(self) -> None:
        try:
            await self._tell(self.report())
        except ReportError as error:
            # The next thing that happens reminds of it.
            log.warning("a report was not heard: %s", error)

    def report(self) -> OwnerReport:
        month = self._allowance.shown()
        return OwnerReport(
            at_ms=self._now_ms(),
            bots=self._count("bots WHERE deleted = 0"),
            threads=self._count("threads WHERE deleted = 0"),
            routines=self._count("routines"),
            runs=self._runs(),
            errors=self._errors(),
            calls=self._count("events WHERE type = 'tool.finished' AND at_ms >= ?", self._day_ago()),
            running_ms=self._sum("ms", "kind = 'computer'"),
            computer_micro=self._sum("-micro", "kind = 'computer' AND day LIKE ?", f"{month.month}-%"),
            model_micro=self._sum("-micro", "kind = 'model' AND day LIKE ?", f"{month.month}-%"),
            balance_micro=month.balance_micro,
        )

    def _day_ago(self) -> int:
        return self._now_ms() - DAY_MS

    def _count(self, of: str, *values: int) -> int:
        return int(self._sql.execute(f"SELECT COUNT(*) AS n FROM {of}", *values)[0]["n"])  # noqa: S608 - our texts

    def _sum(self, what: str, where: str, *values: str) -> int:
        rows = self._sql.execute(
            f"SELECT COALESCE(SUM({what}), 0) AS n FROM ledger WHERE {where}",  # noqa: S608 - our texts
            *values,
        )
        return int(rows[0]["n"])

    def _runs(self) -> dict[RunState, int]:
        rows = self._sql.execute(
            "SELECT state, COUNT(*) AS n FROM runs WHERE created_ms >= ?"
            " OR state NOT IN ('done', 'failed', 'stopped') GROUP BY state",
            self._day_ago(),
        )
        return {RunState(row["state"]): row["n"] for row in rows}

    def _errors(self) -> dict[ErrorCode, int]:
        """Of the runs of the last day and of their newest calls. A code that is none of ours is left out."""
        rows = self._sql.execute(
            "SELECT code, COUNT(*) AS n FROM ("
            " SELECT error ->> 'code' AS code FROM runs WHERE error IS NOT NULL AND updated_ms >= ?1"
            " UNION ALL SELECT * FROM (SELECT data ->> '$.error.code' FROM events"
            "  WHERE type = 'tool.finished' AND at_ms >= ?1 ORDER BY at_ms DESC LIMIT ?2))"
            " WHERE code IS NOT NULL GROUP BY code",
            self._day_ago(),
            CALLS_LOOKED_AT,
        )
        return {ErrorCode(row["code"]): row["n"] for row in rows if row["code"] in KNOWN}
