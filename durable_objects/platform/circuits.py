"""The breakers of all computers (`computerCircuit`), kept: what owners tell, and what it makes of them.

Owners tell sums of whole hours, which grow and replace what was told before; starts come with the record,
each once. Every look is a step of `circuit.py` first, so nothing has to happen at midnight. A change is in
the record.
"""

import json
from dataclasses import asdict

from contracts.allowance import Circuit, CircuitChange, CircuitName, Circuits, ComputerCircuit, Spent
from contracts.audit import Actor, AuditEntry
from contracts.limits import CIRCUIT_STARTS_SECONDS
from contracts.states import CircuitState
from durable_objects.platform.audit import Audit
from durable_objects.platform.circuit import (
    DAY_MS,
    HOUR_MS,
    Breaker,
    Budget,
    Starts,
    Sums,
    forgiving,
    half_open,
    next_day_ms,
    opened,
    spending_step,
    starts_step,
)
from durable_objects.platform.owners import Owners
from durable_objects.platform.standing import PLATFORM
from durable_objects.shared.context import Context

HOURS_A_DAY = 24
HOURS_KEPT = 7 * HOURS_A_DAY
START_FAILED = "start_failed"


class ComputerCircuits:
    def __init__(self, context: Context, audit: Audit, owners: Owners, budget: Budget) -> None:
        self._context = context
        self._sql = context.sql
        self._audit = audit
        self._owners = owners
        self._budget = budget

    def spent(self, spent: Spent) -> ComputerCircuit:
        """An owner tells what the computer cost, and hears whether it may be used: always, where exempt."""

        def write() -> None:
            for hour, micro in spent.hours:
                self._sql.run(
                    "INSERT INTO spending (hour, owner_id, ledger_id, micro) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (hour, owner_id, ledger_id)"
                    " DO UPDATE SET micro = MAX(micro, excluded.micro)",
                    hour,
                    spent.owner_id,
                    spent.ledger_id,
                    micro,
                )
            if spent.hours:
                kept = self._context.now_ms() // HOUR_MS - HOURS_KEPT
                self._sql.run("DELETE FROM spending WHERE hour < ?", kept)

        self._sql.transaction(write)
        return ComputerCircuit() if self._owners.is_exempt(spent.owner_id) else self.standing()

    def started(self, entry: AuditEntry) -> None:
        """An entry of the record, at its first arrival: a start that came up or failed is counted."""
        failed = entry.kind == "computer_standby" and entry.details.get("reason") == START_FAILED
        if failed or entry.kind == "computer_running":
            now = self._context.now_ms()
            self._sql.run(
                "INSERT INTO starts (owner_id, at_ms, failed) VALUES (?, ?, ?)",
                entry.owner_id,
                now,
                int(failed),
            )
            self._sql.run("DELETE FROM starts WHERE at_ms < ?", now - CIRCUIT_STARTS_SECONDS * 1000)

    def standing(self) -> ComputerCircuit:
        """What holds for every computer now."""
        spending, starts = self._look()
        if spending.state == CircuitState.OPEN:
            return ComputerCircuit(open=True, reason=spending.reason, retry_after_s=self._wait_s(spending))
        if starts.state == CircuitState.OPEN:
            return ComputerCircuit(wakes=False, reason=starts.reason, retry_after_s=self._wait_s(starts))
        return ComputerCircuit()

    def _wait_s(self, breaker: Breaker) -> float:
        until_ms = breaker.until_ms or self._context.now_ms()
        return max(1.0, (until_ms - self._context.now_ms()) / 1000)

    def shown(self) -> Circuits:
        spending, starts = self._look()
        sums = self._sums()
        return Circuits(
            items=[_shown("spending", spending), _shown("starts", starts)],
            day_micro=sums.day_micro,
            hour_micro=sums.hour_micro,
            day_budget_micro=self._budget.day_micro,
            hour_budget_micro=self._budget.hour_micro,
        )

    def change(self, name: CircuitName, wanted: CircuitChange, actor: Actor | None = None) -> None:
        """By an operator. Open holds until the next day, or until an operator says otherwise."""
        now, before, sums = self._context.now_ms(), self._breaker(name), self._sums()
        match wanted.state:
            case CircuitState.OPEN:
                after = opened(before, now, next_day_ms(now), wanted.reason)
            case CircuitState.HALF_OPEN:
                after = half_open(before, now, sums, self._budget, wanted.reason)
            case CircuitState.CLOSED:
                after = forgiving(before, now, sums)
        self._keep(name, after, wanted.reason, actor)

    def _look(self) -> tuple[Breaker, Breaker]:
        """Both breakers as they are now."""
        now = self._context.now_ms()
        spending, starts = self._breaker("spending"), self._breaker("starts")
        next_spending = spending_step(spending, self._sums(), self._budget, now)
        next_starts = starts_step(starts, self._starts(starts.since_ms), now)
        if next_spending != spending:
            self._keep("spending", next_spending, next_spending.reason)
        if next_starts != starts:
            self._keep("starts", next_starts, next_starts.reason)
        return next_spending, next_starts

    def _sums(self) -> Sums:
        now = self._context.now_ms()
        today, hour = now // DAY_MS * HOURS_A_DAY, now // HOUR_MS
        rows = self._sql.execute(
            "SELECT COALESCE(SUM(micro), 0) AS day, COALESCE(SUM(micro * (hour = ?)), 0) AS hour"
            " FROM spending WHERE hour >= ? AND hour < ?",
            hour,
            today,
            today + HOURS_A_DAY,
        )
        return Sums(int(rows[0]["day"]), int(rows[0]["hour"]))

    def starts(self) -> Starts:
        """Of the last minutes, whatever the breaker did meanwhile."""
        return self._starts(0)

    def _starts(self, since_ms: int) -> Starts:
        rows = self._sql.execute(
            "SELECT COUNT(*) - COALESCE(SUM(failed), 0) AS good, COALESCE(SUM(failed), 0) AS failed,"
            " COUNT(DISTINCT CASE failed WHEN 1 THEN owner_id END) AS owners_failed"
            " FROM starts WHERE at_ms >= ?",
            max(since_ms, self._context.now_ms() - CIRCUIT_STARTS_SECONDS * 1000),
        )
        return Starts(**rows[0])

    def _breaker(self, name: CircuitName) -> Breaker:
        rows = self._sql.execute("SELECT state FROM circuits WHERE name = ?", name)
        if not rows:
            return Breaker()
        fields = json.loads(rows[0]["state"])
        return Breaker(**{**fields, "state": CircuitState(fields["state"])})

    def _keep(self, name: CircuitName, breaker: Breaker, reason: str, actor: Actor | None = None) -> None:
        now = self._context.now_ms()
        entry = AuditEntry(
            id=self._context.new_id("aud"),
            owner_id=PLATFORM,
            kind=f"computer_circuit_{breaker.state}",
            at_ms=now,
            details={"circuit": name, "reason": reason},
            actor=actor,
        )

        def write() -> None:
            self._sql.run(
                "INSERT OR REPLACE INTO circuits (name, state) VALUES (?, ?)",
                name,
                json.dumps(asdict(breaker)),
            )
            self._audit.add(entry)

        self._sql.transaction(write)


def _shown(name: CircuitName, breaker: Breaker) -> Circuit:
    return Circuit(
        name=name,
        state=breaker.state,
        reason=breaker.reason,
        since_ms=breaker.since_ms,
        until_ms=breaker.until_ms,
    )
