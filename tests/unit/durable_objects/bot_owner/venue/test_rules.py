import itertools
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.limits import (
    APPROVAL_SECONDS,
    APPROVAL_SECONDS_MAX,
    APPROVAL_SECONDS_MIN,
    PRICE_MOVE_PERCENT,
    PRICE_MOVE_PERCENT_MAX,
    RULE_ENTRIES_MAX,
)
from contracts.states import Effect, Origin, SwitchState
from contracts.trading import ApprovalSettings, IntentDecision, IntentLine, TradingRules
from durable_objects.bot_owner.venue.approval import needs_approval
from durable_objects.bot_owner.venue.rules import allows, switched_off

FULL: dict[str, Any] = {
    "enabled": True, "venues": ["paper"], "symbols": ["BTC"], "sides": ["buy"],
    "notional_an_order": "100", "notional_a_day": "150", "hours": (8, 20), "sizes": {"BTC": "2"},
}  # fmt: skip


def line(**fields: Any) -> IntentLine:
    known = {
        "n": 1, "order_id": "0x1", "symbol": "BTC", "asset": 0, "side": "buy", "size": "1", "price": "100",
        "tif": "Gtc", "reduce_only": False, "notional": "100", "fee": "0", "margin": "0", "mid": "100",
        "distance": "0", "position": "0", "position_after": "1",
    }  # fmt: skip
    return IntentLine.model_validate(known | fields)


def allowed(rules: dict[str, Any], *lines: IntentLine, spent: str = "0", hour: int = 8, **more: Any) -> bool:
    fields = {"network": "paper", "cancels": False, **more}
    return allows(
        TradingRules(**FULL | rules),
        fields["network"],
        lines,
        Decimal(spent),
        hour,
        cancels=fields["cancels"],
    )


def test_nothing_is_allowed_unless_it_was_switched_on() -> None:
    assert not allows(TradingRules(), "paper", [line()], Decimal(0), 12, cancels=False)
    assert not allows(TradingRules(enabled=True), "paper", [line()], Decimal(0), 12, cancels=True)


@pytest.mark.parametrize(
    ("rules", "fields", "more", "right"),
    [
        ({}, {}, {}, True),
        ({"enabled": False}, {}, {}, False),
        ({}, {}, {"network": "mainnet"}, False),
        ({"venues": ["testnet"]}, {}, {"network": "mainnet"}, False),
        ({"venues": ["testnet", "mainnet"]}, {}, {"network": "mainnet"}, True),
        ({}, {"symbol": "ETH"}, {}, False),
        ({}, {"side": "sell"}, {}, False),
        ({}, {"notional": "100.01"}, {}, False),
        ({}, {"size": "2"}, {}, True),
        ({}, {"size": "2.00001"}, {}, False),
        ({"sizes": {}}, {"size": "900"}, {}, True),
        ({"sizes": {"ETH": "1"}}, {"size": "900"}, {}, True),
        ({"sizes": {"BTC": "0"}}, {}, {}, False),
        ({}, {}, {"spent": "50"}, True),
        ({}, {}, {"spent": "50.01"}, False),
        ({}, {}, {"hour": 7}, False),
        ({}, {}, {"hour": 19}, True),
        ({}, {}, {"hour": 20}, False),
        ({"hours": (22, 6)}, {}, {"hour": 22}, True),
        ({"hours": (22, 6)}, {}, {"hour": 5}, True),
        ({"hours": (22, 6)}, {}, {"hour": 6}, False),
        ({"hours": (22, 6)}, {}, {"hour": 21}, False),
        ({"hours": (0, 24)}, {}, {"hour": 23}, True),
        ({"hours": (8, 8)}, {}, {"hour": 8}, False),
        ({}, {"notional": "900", "reduce_only": True}, {}, False),
        ({"reduce_only_exempt": True}, {"notional": "900", "reduce_only": True}, {}, True),
        ({"reduce_only_exempt": True}, {"notional": "900"}, {}, False),
        ({"reduce_only_exempt": True}, {"size": "3", "reduce_only": True}, {"spent": "150"}, True),
        ({"reduce_only_exempt": True}, {"symbol": "ETH", "reduce_only": True}, {}, False),
        ({}, {"notional": "900"}, {"cancels": True}, True),
        ({}, {"symbol": "ETH"}, {"cancels": True}, False),
        # The day's amount was made smaller than what the day has used.
        ({}, {}, {"cancels": True, "spent": "150.01"}, True),
        ({"reduce_only_exempt": True}, {"reduce_only": True}, {"spent": "150.01"}, True),
        ({"reduce_only_exempt": True}, {}, {"spent": "150.01"}, False),
    ],
)  # fmt: skip
def test_a_rule_allows_what_it_names_and_no_more(
    rules: dict[str, Any], fields: dict[str, Any], more: dict[str, Any], *, right: bool
) -> None:
    assert allowed(rules, line(**fields), **more) is right


# What each condition of a rule asks of an order, and one past it; as (rules, line, more).
CONDITIONS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "enabled": ({"enabled": False}, {}, {}),
    "venue": ({}, {}, {"network": "testnet"}),
    "symbol": ({}, {"symbol": "ETH"}, {}),
    "side": ({}, {"side": "sell"}, {}),
    "size": ({"sizes": {"BTC": "0.9"}}, {}, {}),
    "value": ({"notional_an_order": "99"}, {}, {}),
    "day": ({}, {}, {"spent": "51"}),
    "hours": ({}, {}, {"hour": 20}),
}
BROKEN = [
    broken for n in range(len(CONDITIONS) + 1) for broken in itertools.combinations(CONDITIONS, n)
]  # fmt: skip


@pytest.mark.parametrize("origin", Origin)
@pytest.mark.parametrize("tainted", [False, True])
@pytest.mark.parametrize("effect", Effect)
def test_only_what_keeps_every_condition_of_a_rule_goes_ahead(
    effect: Effect, origin: Origin, *, tainted: bool
) -> None:
    """Every effect, taint, origin, and every set of conditions that are not kept."""
    free = {Effect.READ, Effect.COMPUTER_LOCAL}
    for broken in BROKEN:
        rules, fields, more = (
            dict(pair for name in broken for pair in CONDITIONS[name][part].items()) for part in range(3)
        )
        match = allowed(rules, line(**fields), **more)
        assert match is (broken == ()), broken
        asked = needs_approval(effect, tainted=tainted, origin=origin, allowed=match)
        kept = effect is Effect.VENUE_WRITE and match and not tainted
        assert asked is not (effect in free or kept), (effect, tainted, broken)


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
    sizes = {f"X{n}": "1" for n in range(RULE_ENTRIES_MAX)}
    assert TradingRules(sizes=sizes, hours=[0, 24]).sizes == sizes
    for fields in (
        {"symbols": ["X"] * (RULE_ENTRIES_MAX + 1)},
        {"sizes": sizes | {"Y": "1"}},
        {"sizes": {"X": "-1"}},
        {"venues": ["hyperliquid"]},
        {"notional_a_day": "-1"},
        {"notional_a_day": "1e3"},
        {"hours": [0, 25]},
        {"hours": [-1, 24]},
        # A word or a number that only looks like it switches nothing on.
        {"enabled": "yes"},
        {"enabled": 1},
        {"reduce_only_exempt": "on"},
        {"hours": ["0", True]},
    ):
        with pytest.raises(ValidationError):
            TradingRules.model_validate(fields)


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({"price_move_percent": "0.01"}, True),
        ({"price_move_percent": "0"}, False),
        ({"price_move_percent": "0.00"}, False),
        ({"price_move_percent": "0.001"}, False),
        ({"price_move_percent": str(PRICE_MOVE_PERCENT_MAX)}, True),
        ({"price_move_percent": f"{PRICE_MOVE_PERCENT_MAX}.01"}, False),
        ({"price_move_percent": "-1"}, False),
        ({"price_move_percent": "NaN"}, False),
        ({"price_move_percent": 1}, False),
        ({"expires_seconds": APPROVAL_SECONDS_MIN}, True),
        ({"expires_seconds": APPROVAL_SECONDS_MIN - 1}, False),
        ({"expires_seconds": APPROVAL_SECONDS_MAX}, True),
        ({"expires_seconds": APPROVAL_SECONDS_MAX + 1}, False),
        ({"expires_seconds": str(APPROVAL_SECONDS)}, False),
    ],
)
def test_the_settings_of_approvals_have_limits(fields: dict[str, Any], *, right: bool) -> None:
    if right:
        assert ApprovalSettings.model_validate(fields).model_dump().items() >= fields.items()
        return
    with pytest.raises(ValidationError):
        ApprovalSettings.model_validate(fields)


@pytest.mark.parametrize("number", [True, "1", 1.0, None])
def test_a_line_is_approved_by_its_number_and_by_nothing_that_resembles_it(number: Any) -> None:
    assert IntentDecision.model_validate({"digest": "a" * 64, "approve": [1]}).approve == [1]
    with pytest.raises(ValidationError):
        IntentDecision.model_validate({"digest": "a" * 64, "approve": [number]})


def test_approvals_are_asked_for_as_said_where_nothing_was_set() -> None:
    unset = ApprovalSettings()
    assert (unset.price_move_percent, unset.expires_seconds) == (str(PRICE_MOVE_PERCENT), APPROVAL_SECONDS)
    assert ApprovalSettings.model_validate(unset.model_dump()) == unset
