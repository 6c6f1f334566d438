"""Taint: which runs text from outside may have reached, and by what. This is the control, not the envelope.

A run is tainted before its first call of a tool whose results come from outside, and before it is shown a
thread in which an earlier run was: its summary and its branches included. Nothing takes a taint away. Files
that are attached reach a model by such a call only, so they need no mark of their own.
"""

import json
from typing import Any

from contracts.limits import TAINT_CAUSES_KEPT
from contracts.records import EgressReceipt, TaintCause
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.shared.sql import Row, Sql

WHAT_CHARACTERS = 120
HOSTS_KEPT = 5


class TaintMarks:
    """The marks in the rows of runs and threads. Every method belongs inside a `record.write`."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def call_begins(self, run: Row, call: ToolCall) -> None:
        """The run is about to use a tool whose results come from outside."""
        what = str(call.arguments.get("command") or call.arguments.get("path") or "")
        self._add(run, TaintCause(kind="call", id=call.id, tool=call.tool, what=what[:WHAT_CHARACTERS]))

    def call_heard(self, run_id: str, call_id: str, receipts: list[EgressReceipt]) -> None:
        """The call has ended; these are the answers its requests had."""
        hosts = list(dict.fromkeys(one.host[:253] for one in receipts if one.allowed))[:HOSTS_KEPT]
        rows = self._sql.execute("SELECT taint FROM runs WHERE id = ?", run_id) if hosts else []
        for row in rows:
            causes = json.loads(row["taint"])
            told = [cause | {"hosts": hosts} if cause["id"] == call_id else cause for cause in causes]
            self._sql.run("UPDATE runs SET taint = ? WHERE id = ?", _text(told), run_id)

    def thread_read(self, run: Row) -> Row:
        """The run is about to be shown its thread; returns its row with what that makes of it."""
        rows = self._sql.execute("SELECT tainted_by FROM threads WHERE id = ?", run["thread_id"])
        by = rows[0]["tainted_by"] if rows else None
        if by is None or by == run["id"] or run["tainted"]:
            return run
        return self._add(run, TaintCause(kind="run", id=by))

    def _add(self, run: Row, cause: TaintCause) -> Row:
        causes: list[dict[str, Any]] = json.loads(run["taint"])
        if len(causes) < TAINT_CAUSES_KEPT:
            causes.append(cause.model_dump())
        marked: Row = {"tainted": 1, "taint": _text(causes)}
        self._sql.run("UPDATE runs SET tainted = 1, taint = ? WHERE id = ?", marked["taint"], run["id"])
        self._sql.run(
            "UPDATE threads SET tainted_by = ? WHERE id = ? AND tainted_by IS NULL",
            run["id"],
            run["thread_id"],
        )
        return run | marked


def _text(causes: list[dict[str, Any]]) -> str:
    return json.dumps(causes, ensure_ascii=False)
