"""An owner's rules hold for what starts after them, until their date, and there is a most of them."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import EGRESS_RULES_MAX
from contracts.records import EgressRule
from durable_objects.bot_computer.egress_rules import EgressRules
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture
def rules(context: Context) -> EgressRules:
    migrate(context.sql, SCHEMA)
    return EgressRules(context)


def added(rules: EgressRules, clock: Clock, host: str = "a.invalid") -> EgressRule:
    rule = rules.propose(host, "/", clock() + 1_000)
    rules.add(rule)
    return rule


def test_a_rule_holds_for_what_starts_after_it(rules: EgressRules, clock: Clock) -> None:
    rule = added(rules, clock)
    assert rules.holding(clock()) == []
    assert rules.holding(clock() + 1) == [rule]


def test_with_nothing_running_it_holds_from_the_next_moment(rules: EgressRules, clock: Clock) -> None:
    rule = added(rules, clock)
    clock.ms += 1
    assert rules.holding(None) == [rule]


def test_a_rule_that_has_ended_is_kept_and_holds_no_more(rules: EgressRules, clock: Clock) -> None:
    rule = added(rules, clock)
    clock.ms += 1_000
    assert rules.holding(None) == []
    assert rules.all() == [rule]


def test_a_removed_rule_is_gone(rules: EgressRules, clock: Clock) -> None:
    rule = added(rules, clock)
    rules.remove(rules.find(rule.id).id)
    with pytest.raises(BerthError) as caught:
        rules.find(rule.id)
    assert caught.value.code == ErrorCode.NOT_FOUND


def test_there_is_room_for_the_most_and_no_more(rules: EgressRules, clock: Clock) -> None:
    for number in range(EGRESS_RULES_MAX):
        added(rules, clock, f"h{number}.invalid")
    with pytest.raises(BerthError):
        rules.propose("more.invalid", "/", clock() + 1)
