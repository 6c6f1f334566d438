"""The list of owners as operators see it: what the record says of their computers, and what they tell.

A row comes with the first entry or report of an owner and stays: after a deletion it holds the times and
nothing of what was told.
"""

from typing import Any

from contracts.audit import OWNER_DELETED, AuditEntry
from contracts.limits import OPERATOR_OWNERS_A_PAGE
from contracts.operators import (
    Exemption,
    ExemptRequest,
    OperatorOwner,
    OperatorOwners,
    OwnerReport,
    OwnersShown,
)
from contracts.records import Ban
from contracts.states import ComputerState
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

STATES = {f"computer_{state}": state for state in ComputerState}
SHOWN: dict[OwnersShown, str] = {
    "all": "1",
    "awake": "state IN ('starting', 'running')",
    "banned": "owner_id IN (SELECT owner_id FROM bans)",
    "exempt": "exempt IS NOT NULL",
    "deleted": "deleted_ms IS NOT NULL",
}
OWNERS = (
    "SELECT owners.*, bans.reason AS ban_reason, bans.at_ms AS ban_ms"
    " FROM owners LEFT JOIN bans USING (owner_id)"
)


class Owners:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def recorded(self, entry: AuditEntry) -> None:
        """An entry of the record, at its first arrival."""
        self._seen(entry.owner_id)
        if state := STATES.get(entry.kind):
            # Notices of one computer may overtake each other.
            self._sql.run(
                "UPDATE owners SET state = ?, state_ms = ?, reason = ?"
                " WHERE owner_id = ? AND COALESCE(state_ms, 0) <= ?",
                state,
                entry.at_ms,
                _word(entry.details.get("reason")),
                entry.owner_id,
                entry.at_ms,
            )
        if entry.kind == OWNER_DELETED:
            self._sql.run(
                "UPDATE owners SET deleted_ms = ?, report = NULL WHERE owner_id = ?",
                entry.at_ms,
                entry.owner_id,
            )

    def reported(self, owner_id: str, report: OwnerReport) -> None:
        """Who tells of itself is there, also where it was deleted before."""
        self._seen(owner_id)
        self._sql.run(
            "UPDATE owners SET report = ?, deleted_ms = NULL WHERE owner_id = ?",
            report.model_dump_json(),
            owner_id,
        )

    def exempt(self, owner_id: str, wanted: ExemptRequest | None) -> None:
        """The platform's breakers do not hold for them; None takes that back."""
        self._seen(owner_id)
        exemption = (
            Exemption(reason=wanted.reason, at_ms=self._context.now_ms()).model_dump_json()
            if wanted
            else None
        )
        self._sql.run("UPDATE owners SET exempt = ? WHERE owner_id = ?", exemption, owner_id)

    def is_exempt(self, owner_id: str) -> bool:
        return bool(
            self._sql.execute("SELECT 1 FROM owners WHERE owner_id = ? AND exempt IS NOT NULL", owner_id)
        )

    def _seen(self, owner_id: str) -> None:
        now = self._context.now_ms()
        self._sql.run(
            "INSERT INTO owners (owner_id, first_ms, seen_ms) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET seen_ms = MAX(seen_ms, excluded.seen_ms)",
            owner_id,
            now,
            now,
        )

    def one(self, owner_id: str) -> OperatorOwner | None:
        rows = self._sql.execute(f"{OWNERS} WHERE owner_id = ?", owner_id)
        return _owner(rows[0]) if rows else None

    def page(self, shown: OwnersShown, before: str, find: str) -> OperatorOwners:
        """The last seen first. `before` is the `next` of the page in front, `find` how an id begins."""
        seen_ms, _, owner_id = before.partition(".")
        rows = self._sql.execute(
            f"{OWNERS} WHERE {SHOWN[shown]} AND substr(owner_id, 1, ?) = ? AND (seen_ms, owner_id) < (?, ?)"
            " ORDER BY seen_ms DESC, owner_id DESC LIMIT ?",
            len(find),
            find,
            int(seen_ms) if seen_ms else 2**52,
            owner_id,
            OPERATOR_OWNERS_A_PAGE + 1,
        )
        items = [_owner(row) for row in rows[:OPERATOR_OWNERS_A_PAGE]]
        more = len(rows) > OPERATOR_OWNERS_A_PAGE
        return OperatorOwners(items=items, next=f"{items[-1].seen_ms}.{items[-1].owner_id}" if more else None)

    def sums(self) -> dict[str, Any]:
        """The part of an `Overview` that is about owners."""
        rows = self._sql.execute(
            "SELECT COUNT(*) AS owners, COUNT(deleted_ms) AS deleted,"
            " (SELECT COUNT(*) FROM bans) AS banned, COALESCE(SUM(report ->> 'running_ms'), 0) AS running_ms"
            " FROM owners"
        )
        computers = self._sql.execute(
            "SELECT state, COUNT(*) AS n FROM owners WHERE state IS NOT NULL GROUP BY state"
        )
        return {
            **rows[0],
            "computers": {row["state"]: row["n"] for row in computers},
            "runs": self._counts("runs"),
            "errors": self._counts("errors"),
        }

    def _counts(self, what: str) -> dict[str, int]:
        rows = self._sql.execute(
            "SELECT told.key AS name, SUM(told.value) AS n"
            " FROM owners, json_each(owners.report, ?) AS told"
            " WHERE owners.report IS NOT NULL GROUP BY told.key",
            f"$.{what}",
        )
        return {row["name"]: row["n"] for row in rows}


def _word(reason: object) -> str | None:
    return reason if isinstance(reason, str) else None


def _owner(row: Row) -> OperatorOwner:
    kept = {name: row[name] for name in ("owner_id", "first_ms", "seen_ms", "state", "state_ms", "reason")}
    return OperatorOwner(
        **kept,
        deleted_ms=row["deleted_ms"],
        ban=Ban(reason=row["ban_reason"], at_ms=row["ban_ms"]) if row["ban_reason"] is not None else None,
        exempt=Exemption.model_validate_json(row["exempt"]) if row["exempt"] else None,
        report=OwnerReport.model_validate_json(row["report"]) if row["report"] else None,
    )
