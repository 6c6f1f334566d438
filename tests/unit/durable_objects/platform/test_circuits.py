"""The breakers of all computers: when they open, what they let through, and when they close."""

import pytest

from contracts.allowance import CircuitChange, Spent
from contracts.audit import AuditEntry
from contracts.limits import (
    CIRCUIT_STARTS,
    CIRCUIT_STARTS_OWNERS,
    CIRCUIT_STARTS_PAUSE_SECONDS,
    CIRCUIT_STARTS_SECONDS,
    CIRCUIT_TRIAL_SECONDS,
)
from contracts.states import CircuitState
from durable_objects.platform.audit import Audit
from durable_objects.platform.circuit import DAY_MS, HOUR_MS, Budget, next_day_ms
from durable_objects.platform.circuits import ComputerCircuits
from durable_objects.platform.owners import Owners
from durable_objects.platform.standing import PLATFORM
from durable_objects.shared.context import Context
from tests.unit.durable_objects.conftest import Clock

CENT = 10_000


class Platform:
    def __init__(self, context: Context, clock: Clock, budget: Budget) -> None:
        self.context, self.clock, self.audit, self.budget = context, clock, Audit(context), budget
        self.reborn()

    def reborn(self) -> None:
        owners = Owners(self.context)
        self.circuits = ComputerCircuits(self.context, self.audit, owners, self.budget)

    def tell(self, owner: str, micro: int, *, hour: int | None = None, ledger: str = "l1") -> bool:
        """Whether computers may be used after an owner told a sum."""
        hour = self.clock.ms // HOUR_MS if hour is None else hour
        told = Spent(owner_id=owner, ledger_id=ledger, hours=[(hour, micro)])
        return not self.circuits.spent(told).open

    def state(self, name: str = "spending") -> CircuitState:
        return next(item.state for item in self.circuits.shown().items if item.name == name)

    def starts(self, *kinds: str, owner: str = "o", first: int = 0) -> None:
        for number, kind in enumerate(kinds, start=first):
            reason = "start_failed" if kind == "failed" else None
            entry = AuditEntry(
                id=f"{owner}-{number}-{self.clock.ms}",
                owner_id=owner,
                kind="computer_standby" if reason else "computer_running",
                at_ms=self.clock.ms,
                details={"reason": reason},
            )
            for _ in range(2):
                if self.audit.add(entry):
                    self.circuits.started(entry)

    def kinds(self) -> list[str]:
        return [entry.kind.removeprefix("computer_circuit_") for entry in self.audit.newest(PLATFORM).items][
            ::-1
        ]


@pytest.fixture
def platform(context: Context, clock: Clock) -> Platform:
    clock.ms = next_day_ms(clock.ms) + 5 * HOUR_MS
    return Platform(context, clock, Budget(day_micro=3 * CENT, hour_micro=2 * CENT))


def test_at_the_days_budget_it_opens_and_the_next_day_it_closes(platform: Platform, clock: Clock) -> None:
    earlier = clock.ms // HOUR_MS - 1
    assert platform.tell("o1", CENT, hour=earlier)
    assert platform.tell("o2", 2 * CENT - 1)
    assert platform.tell("o2", 2 * CENT - 1)
    assert not platform.tell("o3", 1)
    standing = platform.circuits.standing()
    assert standing.reason == "the platform's budget for the day is used up."
    assert standing.retry_after_s == (next_day_ms(clock.ms) - clock.ms) / 1000
    clock.ms = next_day_ms(clock.ms) - 1
    platform.reborn()
    assert platform.circuits.standing().open
    clock.ms += 1
    assert not platform.circuits.standing().open
    assert platform.state() == CircuitState.HALF_OPEN
    clock.pass_seconds(CIRCUIT_TRIAL_SECONDS)
    assert platform.state() == CircuitState.CLOSED
    assert platform.kinds() == ["open", "half_open", "closed"]


def test_at_the_hours_budget_it_opens_too(platform: Platform) -> None:
    assert platform.tell("o1", 2 * CENT - 1)
    assert not platform.tell("o2", 1)
    assert platform.circuits.standing().reason == "the platform's budget for the hour is used up."


def test_sums_that_are_told_again_or_late_count_once(platform: Platform, clock: Clock) -> None:
    for _ in range(5):
        assert platform.tell("o1", 2 * CENT - 1)
    assert platform.tell("o1", CENT)
    assert platform.circuits.shown().hour_micro == 2 * CENT - 1
    # Who begins anew after a deletion has another ledger.
    assert not platform.tell("o1", 1, ledger="l2")
    yesterday = clock.ms // HOUR_MS - 24
    platform.tell("o9", 100 * CENT, hour=yesterday)
    assert platform.circuits.shown().day_micro == 2 * CENT


def test_a_trial_that_costs_too_much_opens_it_again(platform: Platform, clock: Clock) -> None:
    platform.tell("o1", 3 * CENT)
    clock.ms = next_day_ms(clock.ms)
    assert platform.state() == CircuitState.HALF_OPEN
    assert platform.tell("o1", 3 * CENT // 10 - 1)
    assert not platform.tell("o1", 3 * CENT // 10)
    clock.pass_seconds(CIRCUIT_TRIAL_SECONDS)
    assert platform.circuits.standing().open
    clock.ms += DAY_MS
    assert not platform.circuits.standing().open


def test_an_operator_lets_some_through_and_it_opens_by_itself(platform: Platform, clock: Clock) -> None:
    platform.tell("o1", 3 * CENT)
    platform.circuits.change("spending", CircuitChange(state=CircuitState.HALF_OPEN, reason="look"))
    assert not platform.circuits.standing().open
    clock.pass_seconds(CIRCUIT_TRIAL_SECONDS)
    # The day's budget is used up as before.
    assert platform.circuits.standing().open


def test_an_operator_closes_it_and_the_budget_counts_anew(platform: Platform) -> None:
    platform.tell("o1", 3 * CENT)
    platform.circuits.change("spending", CircuitChange(state=CircuitState.CLOSED, reason="paid for"))
    assert not platform.circuits.standing().open
    assert platform.tell("o2", 2 * CENT - 1)
    assert not platform.tell("o2", 2 * CENT)


def test_an_operator_opens_it_until_the_next_day(platform: Platform, clock: Clock) -> None:
    platform.circuits.change("spending", CircuitChange(state=CircuitState.OPEN, reason="maintenance."))
    assert platform.circuits.standing().reason == "maintenance."
    clock.ms = next_day_ms(clock.ms)
    assert not platform.circuits.standing().open


def failing(platform: Platform, owners: int, of_each: int) -> None:
    for number in range(owners):
        platform.starts(*["failed"] * of_each, owner=f"f{number}")


def test_starts_that_fail_for_many_stop_wakes_and_nothing_else(platform: Platform, clock: Clock) -> None:
    platform.starts(*["running"] * (CIRCUIT_STARTS // 2), owner="good")
    failing(platform, CIRCUIT_STARTS_OWNERS, CIRCUIT_STARTS // 2 // CIRCUIT_STARTS_OWNERS)
    standing = platform.circuits.standing()
    assert (standing.open, standing.wakes) == (False, False)
    assert standing.retry_after_s == CIRCUIT_STARTS_PAUSE_SECONDS
    clock.pass_seconds(CIRCUIT_STARTS_PAUSE_SECONDS)
    assert platform.circuits.standing().wakes
    platform.starts("failed", "failed")
    assert platform.circuits.standing().wakes
    platform.starts("failed", first=2)
    assert not platform.circuits.standing().wakes
    clock.pass_seconds(CIRCUIT_STARTS_PAUSE_SECONDS)
    assert platform.circuits.standing().wakes
    clock.pass_seconds(1)
    platform.starts(*["running"] * 5)
    assert platform.state("starts") == CircuitState.CLOSED


@pytest.mark.parametrize(
    ("good", "owners", "of_each"),
    [
        (CIRCUIT_STARTS // 2 + 1, CIRCUIT_STARTS_OWNERS, CIRCUIT_STARTS // 2 // CIRCUIT_STARTS_OWNERS),
        (0, CIRCUIT_STARTS_OWNERS - 1, CIRCUIT_STARTS),
        (0, CIRCUIT_STARTS - 1, 1),
    ],
)
def test_fewer_failures_or_of_fewer_owners_stop_nobody(
    platform: Platform, good: int, owners: int, of_each: int
) -> None:
    platform.starts(*["running"] * good, owner="good")
    failing(platform, owners, of_each)
    assert platform.circuits.standing().wakes


def test_starts_of_long_ago_do_not_count(platform: Platform, clock: Clock) -> None:
    failing(platform, CIRCUIT_STARTS_OWNERS, CIRCUIT_STARTS)
    platform.circuits.change("starts", CircuitChange(state=CircuitState.CLOSED, reason="mended"))
    clock.pass_seconds(CIRCUIT_STARTS_SECONDS + 1)
    assert platform.circuits.standing().wakes
    assert platform.state("starts") == CircuitState.CLOSED
