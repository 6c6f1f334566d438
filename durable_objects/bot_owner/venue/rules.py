"""The owner's rules: whether they let an intent go ahead by itself. Silence means no."""

from collections.abc import Sequence
from decimal import Decimal

from contracts.states import SwitchState
from contracts.trading import IntentLine, TradingRules


def allows(
    rules: TradingRules, venue: str, lines: Sequence[IntentLine], spent: Decimal, hour: int, *, cancels: bool
) -> bool:
    """Whether every line is allowed. `spent` is what rules let through today, `hour` the hour in UTC."""
    first, end = rules.hours
    if not rules.enabled or venue not in rules.venues or not first <= hour < end:
        return False
    if any(line.symbol not in rules.symbols or line.side not in rules.sides for line in lines):
        return False
    exempt = [cancels or (line.reduce_only and rules.reduce_only_exempt) for line in lines]
    counted = [Decimal(line.notional) for line, free in zip(lines, exempt, strict=True) if not free]
    if any(value > Decimal(rules.notional_an_order) for value in counted):
        return False
    return spent + sum(counted) <= Decimal(rules.notional_a_day)


def switched_off(switch: SwitchState, lines: Sequence[IntentLine], *, cancels: bool) -> str:
    """Why the kill switch keeps these lines back; empty where it does not. Cancelling is always allowed."""
    if cancels or switch is SwitchState.ACTIVE:
        return ""
    if switch is SwitchState.HALTED:
        return "Trading is halted: only cancelling is possible. The owner can switch it on again."
    if all(line.reduce_only for line in lines):
        return ""
    return "Trading is reducing only: every order has to be reduce_only."
