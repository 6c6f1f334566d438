"""What reads may weigh: at the limit, past it, and while the venue wants to rest."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import VENUE_WEIGHT_A_MINUTE
from durable_objects.bot_owner.venue.weights import REST_SECONDS, Budget
from tests.unit.durable_objects.conftest import Clock


def refused(budget: Budget, weight: int) -> float:
    """How long to wait."""
    with pytest.raises(BerthError) as caught:
        budget.take(weight)
    assert caught.value.code == ErrorCode.VENUE_THROTTLED
    assert caught.value.retry_after_s
    return caught.value.retry_after_s


def test_a_minutes_weight_goes_through_at_once_and_not_one_more(clock: Clock) -> None:
    budget = Budget(clock)
    budget.take(VENUE_WEIGHT_A_MINUTE)
    assert refused(budget, 1) == 1
    assert refused(budget, VENUE_WEIGHT_A_MINUTE // 2) == 30
    # What was refused has taken nothing.
    clock.pass_seconds(1)
    budget.take(VENUE_WEIGHT_A_MINUTE // 60)
    refused(budget, 1)
    clock.pass_seconds(600)
    budget.take(VENUE_WEIGHT_A_MINUTE)
    refused(budget, 1)


def test_a_question_that_is_heavier_than_a_minute_is_never_let_through(clock: Clock) -> None:
    budget = Budget(clock)
    refused(budget, VENUE_WEIGHT_A_MINUTE + 1)


def test_what_is_needed_goes_through_and_the_others_wait_for_it_a_minute_at_most(clock: Clock) -> None:
    budget = Budget(clock)
    for _ in range(5):
        budget.take(VENUE_WEIGHT_A_MINUTE, needed=True)
    assert refused(budget, 1) <= 61
    clock.pass_seconds(61)
    budget.take(1)


def test_the_venues_own_refusal_closes_the_door_for_a_while(clock: Clock) -> None:
    budget = Budget(clock)
    assert budget.rest().retry_after_s == REST_SECONDS
    assert refused(budget, 1) == REST_SECONDS
    with pytest.raises(BerthError):
        budget.take(1, needed=True)
    clock.pass_seconds(REST_SECONDS)
    budget.take(1)


def test_a_clock_that_goes_back_locks_nobody_out_for_longer_than_it_went(clock: Clock) -> None:
    budget = Budget(clock)
    budget.take(VENUE_WEIGHT_A_MINUTE)
    clock.pass_seconds(-5)
    assert refused(budget, 1) <= 6


def test_a_clock_that_goes_back_far_begins_anew(clock: Clock) -> None:
    budget = Budget(clock)
    budget.take(VENUE_WEIGHT_A_MINUTE)
    clock.pass_seconds(-600)
    budget.take(VENUE_WEIGHT_A_MINUTE)
    refused(budget, 1)
