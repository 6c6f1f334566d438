"""What was used, by day, bot, thread, routine, command or model: the ledger's debits, added up.

Every view is a sum over the same rows, so all of them have the same total, and that is the ledger's.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from contracts.allowance import CHAT, UsageBy, UsageReport, UsageRow
from contracts.errors import ErrorCode
from contracts.limits import USAGE_DAYS_MAX, USAGE_ROWS_MAX
from contracts.reasons import because
from durable_objects.bot_owner.billing.allowance import Allowance
from durable_objects.shared.money import dollars_of
from durable_objects.shared.sql import Row, Sql

LABEL_CHARACTERS = 100
ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class View:
    """How rows are put together: a column, the name of what it says, and which come first."""

    column: str
    label: str
    order: str = "micro DESC, key"


# `l` is the sum of a group of the ledger's rows; what was deleted has no name any more.
VIEWS: dict[UsageBy, View] = {
    "day": View("day", "''", "key DESC"),
    "bot": View("bot_id", "(SELECT name FROM bots WHERE id = l.key)"),
    "thread": View("thread_id", "(SELECT title FROM threads WHERE id = l.key)"),
    "routine": View("attribution", "''"),
    "command": View("call_id", "(SELECT tool || ' ' || arguments FROM steps WHERE call_id = l.key)"),
    "model": View("model", "''"),
}
SUMS = (
    "COALESCE(SUM(-micro), 0) AS micro,"
    " COALESCE(SUM(CASE kind WHEN 'computer' THEN -micro ELSE 0 END), 0) AS computer_micro,"
    " COALESCE(SUM(ms), 0) AS computer_ms,"
    " COALESCE(SUM(CASE kind WHEN 'model' THEN -micro ELSE 0 END), 0) AS model_micro,"
    " COALESCE(SUM(input_tokens), 0) AS input_tokens, COALESCE(SUM(output_tokens), 0) AS output_tokens"
)
DEBITS = "FROM ledger WHERE kind IN ('model', 'computer') AND day >= ? AND day <= ?"
COLUMNS = (
    "day", "kind", "dollars", "from_ms", "to_ms", "computer_seconds", "counted_to", "bot", "thread", "run",
    "command", "model", "input_tokens", "output_tokens", "own_key", "entry",
)  # fmt: skip


class UsageBook:
    def __init__(self, sql: Sql, allowance: Allowance) -> None:
        self._sql = sql
        self._allowance = allowance

    def days(self, first_day: str | None, last_day: str | None) -> tuple[str, str]:
        """The days that are meant: up to today and from the first of that month, if they are not named."""
        last_day = last_day or self._allowance.today
        return first_day or f"{last_day[:7]}-01", last_day

    def sums(self, by: UsageBy, first_day: str, last_day: str) -> UsageReport:
        """Both days included. Raises `invalid_request` for days that cannot be asked for."""
        _check(first_day, last_day)
        view, days = VIEWS[by], (first_day, last_day)
        grouped = f"SELECT {view.column} AS key, {SUMS} {DEBITS} GROUP BY {view.column}"
        shown = self._sql.execute(
            f"SELECT l.*, {view.label} AS label FROM ({grouped}) AS l"  # noqa: S608 - our names
            f" ORDER BY {view.order} LIMIT {USAGE_ROWS_MAX}",
            *days,
        )
        rows = [UsageRow(**{**row, "label": _label(by, row)}) for row in shown]
        total = UsageRow(key="", **self._sql.execute(f"SELECT {SUMS} {DEBITS}", *days)[0])
        return UsageReport(
            by=by,
            first_day=first_day,
            last_day=last_day,
            time_zone=self._allowance.time_zone,
            rows=rows,
            others=_rest(total, rows) if len(rows) == USAGE_ROWS_MAX else None,
            total=total,
            prices=self._allowance.prices.table(),
        )

    def table(self, first_day: str, last_day: str) -> Iterator[str]:
        """Every debit of these days as CSV, a piece at a time. Raises `invalid_request` before the first."""
        _check(first_day, last_day)
        return self._table(first_day, last_day)

    def _table(self, first_day: str, last_day: str) -> Iterator[str]:
        yield _csv([COLUMNS])
        after = 0
        while page := self._allowance.ledger.rows(first_day, last_day, after, ROWS_AT_ONCE):
            yield _csv([_line(row) for row in page])
            after = page[-1]["n"]


def _rest(total: UsageRow, rows: list[UsageRow]) -> UsageRow:
    names = ("micro", "computer_micro", "computer_ms", "model_micro", "input_tokens", "output_tokens")
    left = {name: getattr(total, name) - sum(getattr(row, name) for row in rows) for name in names}
    return UsageRow(key="", **left)


def _check(first_day: str, last_day: str) -> None:
    try:
        days = (date.fromisoformat(last_day) - date.fromisoformat(first_day)).days
    except ValueError as error:
        raise because(ErrorCode.INVALID_REQUEST, "day_wrong") from error
    if not 0 <= days < USAGE_DAYS_MAX:
        raise because(ErrorCode.INVALID_REQUEST, "days_wrong", most=USAGE_DAYS_MAX)


def _label(by: UsageBy, row: Row) -> str:
    label = str(row["label"] or "")
    if by == "command" and label:
        tool, _, arguments = label.partition(" ")
        label = _what(tool, json.loads(arguments))
    return label if len(label) <= LABEL_CHARACTERS else label[: LABEL_CHARACTERS - 1] + "…"


def _what(tool: str, arguments: dict[str, Any]) -> str:
    what = str(arguments.get("command") or arguments.get("path") or "").strip()
    return what.partition("\n")[0] or tool


def _line(row: Row) -> list[str | int]:
    return [
        row["day"],
        row["kind"],
        dollars_of(-row["micro"]),
        row["from_ms"] or "",
        row["to_ms"] or "",
        f"{row['ms'] / 1000:.3f}" if row["kind"] == "computer" else "",
        row["attribution"] or CHAT,
        row["bot_id"],
        row["thread_id"],
        row["run_id"],
        row["call_id"],
        _plain(row["model"]),
        row["input_tokens"],
        row["output_tokens"],
        row["own_key"],
        _plain(row["key"]),
    ]


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def _csv(lines: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue()
