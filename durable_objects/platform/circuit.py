"""The platform's two breakers, as pure steps: closed → open → half open → closed.

`spending_step` opens when the computers of all owners together cost more than the day or the hour may;
`starts_step` when too many of their starts fail. An open one lets a little through when its time is up,
which is half open: at the next day, or after some minutes. If all goes well it closes, else it opens again.
An operator may set any state at any time. The steps read no clock and do nothing; see `circuits.py`.
"""

from dataclasses import dataclass, replace

from contracts.limits import (
    CIRCUIT_STARTS,
    CIRCUIT_STARTS_OWNERS,
    CIRCUIT_STARTS_PAUSE_SECONDS,
    CIRCUIT_TRIAL_PERCENT,
    CIRCUIT_TRIAL_SECONDS,
)
from contracts.states import CircuitState

DAY_MS = 24 * 3_600_000
HOUR_MS = 3_600_000
TRIAL_FAILURES = 3
TRIAL_SUCCESSES = 5


@dataclass(frozen=True)
class Breaker:
    state: CircuitState = CircuitState.CLOSED
    since_ms: int = 0
    reason: str = ""
    until_ms: int | None = None
    ceiling_micro: int = 0
    """half open: the sum of the day at which it opens again."""
    forgiven_day: int = -1
    """Days since the epoch: for which day and hour an operator has let what was spent pass."""
    forgiven_micro: int = 0
    forgiven_hour: int = -1
    forgiven_hour_micro: int = 0


@dataclass(frozen=True)
class Budget:
    day_micro: int
    hour_micro: int


@dataclass(frozen=True)
class Sums:
    """What all computers cost in the present day and hour of UTC."""

    day_micro: int
    hour_micro: int


@dataclass(frozen=True)
class Starts:
    """Of the last minutes, and not before the breaker's state began."""

    good: int = 0
    failed: int = 0
    owners_failed: int = 0


def next_day_ms(now_ms: int) -> int:
    return (now_ms // DAY_MS + 1) * DAY_MS


def opened(breaker: Breaker, now_ms: int, until_ms: int, reason: str) -> Breaker:
    return replace(breaker, state=CircuitState.OPEN, since_ms=now_ms, until_ms=until_ms, reason=reason)


def closed(breaker: Breaker, now_ms: int) -> Breaker:
    return replace(breaker, state=CircuitState.CLOSED, since_ms=now_ms, until_ms=None, reason="")


def half_open(breaker: Breaker, now_ms: int, sums: Sums, budget: Budget, reason: str) -> Breaker:
    """Some of the day's budget more may be spent, for some minutes."""
    return replace(
        breaker,
        state=CircuitState.HALF_OPEN,
        since_ms=now_ms,
        until_ms=now_ms + CIRCUIT_TRIAL_SECONDS * 1000,
        ceiling_micro=sums.day_micro + budget.day_micro * CIRCUIT_TRIAL_PERCENT // 100,
        reason=reason,
    )


def forgiving(breaker: Breaker, now_ms: int, sums: Sums) -> Breaker:
    """Closed by an operator: what was spent until now counts no more."""
    return replace(
        closed(breaker, now_ms),
        forgiven_day=now_ms // DAY_MS,
        forgiven_micro=sums.day_micro,
        forgiven_hour=now_ms // HOUR_MS,
        forgiven_hour_micro=sums.hour_micro,
    )


def spending_step(breaker: Breaker, sums: Sums, budget: Budget, now_ms: int) -> Breaker:
    """What becomes of the breaker now."""
    due = breaker.until_ms is not None and now_ms >= breaker.until_ms
    match breaker.state:
        case CircuitState.OPEN if due:
            return half_open(breaker, now_ms, sums, budget, breaker.reason)
        case CircuitState.HALF_OPEN if sums.day_micro >= breaker.ceiling_micro and now_ms // DAY_MS == (
            breaker.since_ms // DAY_MS
        ):
            return opened(breaker, now_ms, next_day_ms(now_ms), breaker.reason)
        case CircuitState.HALF_OPEN if due:
            return spending_step(closed(breaker, now_ms), sums, budget, now_ms)
        case CircuitState.CLOSED:
            if reason := _over(breaker, sums, budget, now_ms):
                return opened(breaker, now_ms, next_day_ms(now_ms), reason)
    return breaker


def _over(breaker: Breaker, sums: Sums, budget: Budget, now_ms: int) -> str:
    day = sums.day_micro - (breaker.forgiven_micro if breaker.forgiven_day == now_ms // DAY_MS else 0)
    if day >= budget.day_micro:
        return "the platform's budget for the day is used up."
    same_hour = breaker.forgiven_hour == now_ms // HOUR_MS
    hour = sums.hour_micro - (breaker.forgiven_hour_micro if same_hour else 0)
    return "the platform's budget for the hour is used up." if hour >= budget.hour_micro else ""


def starts_step(breaker: Breaker, starts: Starts, now_ms: int) -> Breaker:
    """What becomes of the breaker of failing starts now."""
    due = breaker.until_ms is not None and now_ms >= breaker.until_ms
    pause_ms = now_ms + CIRCUIT_STARTS_PAUSE_SECONDS * 1000
    match breaker.state:
        case CircuitState.OPEN if due:
            return replace(breaker, state=CircuitState.HALF_OPEN, since_ms=now_ms, until_ms=None)
        case CircuitState.HALF_OPEN if starts.failed >= TRIAL_FAILURES:
            return opened(breaker, now_ms, pause_ms, breaker.reason)
        case CircuitState.HALF_OPEN if starts.good >= TRIAL_SUCCESSES:
            return closed(breaker, now_ms)
        case CircuitState.CLOSED if _failing(starts):
            return opened(breaker, now_ms, pause_ms, "too many computers do not start.")
    return breaker


def _failing(starts: Starts) -> bool:
    """Of many owners: a computer that does not start by its own fault stops nobody else's."""
    count = starts.good + starts.failed
    return (
        count >= CIRCUIT_STARTS
        and 2 * starts.failed >= count
        and starts.owners_failed >= CIRCUIT_STARTS_OWNERS
    )
