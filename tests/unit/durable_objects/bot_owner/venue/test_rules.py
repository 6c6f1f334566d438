from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.limits import RULE_ENTRIES_MAX
from contracts.states import SwitchState
from contracts.trading import IntentLine, TradingRules
from durable_objects.bot_owner.venue.rules import allows, switched_off

FULL: dict[str, Any] = {
    "enabled": True, "venues": ["paper"], "symbols": ["BTC"], "sides": ["buy"],
    "notional_an_order": "100", "notional_a_day": "150", "hours": (8, 20),
}  # fmt: skip


def line(**fields: Any) -> IntentLine:
    known = {
        "n": 1, "order_id": "0x1", "symbol": "BTC", "asset": 0, "side": "buy", "size": "1", "price": "100",
        "tif": "Gtc", "reduce_only": False, "notional": "100", "fee": "0", "margin": "0", "mid": "100",
        "distance": "0", "position": "0", "position_after": "1",
    }  # fmt: skip
    return IntentLine.model_validate(known | fields)


def allowed(rules: dict[str, Any], *lines: IntentLine, spent: str = "0", hour: int = 8, **more: Any) -> bool:
    fields = {"venue": "paper", "cancels": False, **more}
    return allows(
        TradingRules(**FULL | rules), fields["venue"], lines, Decimal(spent), hour, cancels=fields["cancels"]
    )


def test_nothing_is_allowed_unless_it_was_switched_on() -> None:
    assert not allows(TradingRules(), "paper", [line()], Decimal(0), 12, cancels=False)
    assert not allows(TradingRules(enabled=True), "paper", [line()], Decimal(0), 12, cancels=True)


@pytest.mark.parametrize(
    ("rules", "fields", "more", "right"),
    [
        ({}, {}, {}, True),
        ({"enabled": False}, {}, {}, False),
        ({}, {}, {"venue": "hyperliquid"}, False),
        ({}, {"symbol": "ETH"}, {}, False),
        ({}, {"side": "sell"}, {}, False),
        ({}, {"notional": "100.01"}, {}, False),
        ({}, {}, {"spent": "50"}, True),
        ({}, {}, {"spent": "50.01"}, False),
        ({}, {}, {"hour": 7}, False),
        ({}, {}, {"hour": 19}, True),
        ({}, {}, {"hour": 20}, False),
        ({}, {"notional": "900", "reduce_only": True}, {}, False),
        ({"reduce_only_exempt": True}, {"notional": "900", "reduce_only": True}, {}, True),
        ({"reduce_only_exempt": True}, {"notional": "900"}, {}, False),
        ({}, {"notional": "900"}, {"cancels": True}, True),
        ({}, {"symbol": "ETH"}, {"cancels": True}, False),
    ],
)  # fmt: skip
def test_a_rule_allows_what_it_names_and_no_more(
    rules: dict[str, Any], fields: dict[str, Any], more: dict[str, Any], *, right: bool
) -> None:
    assert allowed(rules, line(**fields), **more) is right


def test_a_batch_is_allowed_whole_or_not_at_all() -> None:
    assert allowed({}, line(notional="75"), line(notional="75"))
    assert not allowed({}, line(notional="75"), line(notional="75.01"))
    assert not allowed({}, line(), line(symbol="ETH"))


@pytest.mark.parametrize(
    ("switch", "reduces", "cancels", "kept"),
    [
        (SwitchState.ACTIVE, False, False, False),
        (SwitchState.REDUCING, False, False, True),
        (SwitchState.REDUCING, True, False, False),
        (SwitchState.HALTED, True, False, True),
        (SwitchState.HALTED, False, True, False),
        (SwitchState.REDUCING, False, True, False),
    ],
)
def test_the_kill_switch(switch: SwitchState, *, reduces: bool, cancels: bool, kept: bool) -> None:
    assert bool(switched_off(switch, [line(reduce_only=reduces)], cancels=cancels)) is kept


def test_one_order_that_reduces_does_not_carry_another() -> None:
    assert switched_off(SwitchState.REDUCING, [line(reduce_only=True), line()], cancels=False)


def test_rules_have_a_limit() -> None:
    assert len(TradingRules(symbols=["X"] * RULE_ENTRIES_MAX).symbols) == RULE_ENTRIES_MAX
    for fields in (
        {"symbols": ["X"] * (RULE_ENTRIES_MAX + 1)},
        {"notional_a_day": "-1"},
        {"notional_a_day": "1e3"},
    ):
        with pytest.raises(ValidationError):
            TradingRules.model_validate(fields)
