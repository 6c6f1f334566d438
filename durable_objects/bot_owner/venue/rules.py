"""The owner's rules: whether they let an intent go ahead by itself. Silence means no."""

from collections.abc import Sequence
from decimal import Decimal

from contracts.states import SwitchState
from contracts.trading import IntentLine, TradingRules
from durable_objects.bot_owner.venue.refusals import Kept


def allows(
    rules: TradingRules,
    network: str,
    lines: Sequence[IntentLine],
    spent: Decimal,
    hour: int,
    *,
    cancels: bool,
) -> bool:
    """Whether every line is allowed. `spent` is what rules let through today, `hour` is the owner's."""
    if not rules.enabled or network not in rules.venues or not _open(rules.hours, hour):
        return False
    if any(line.symbol not in rules.symbols or line.side not in rules.sides for line in lines):
        return False
    counted = [line for line in lines if not cancels and counts(rules, line)]
    if any(_too_much(rules, line) for line in counted):
        return False
    # The day may hold less than it has used: what needs no room goes ahead all the same.
    value = sum((Decimal(line.notional) for line in counted), Decimal(0))
    return not counted or spent + value <= Decimal(rules.notional_a_day)


def counts(rules: TradingRules, line: IntentLine) -> bool:
    """Whether an order needs room in the amounts of the rules."""
    return not (line.reduce_only and rules.reduce_only_exempt)


def _too_much(rules: TradingRules, line: IntentLine) -> bool:
    most = rules.sizes.get(line.symbol)
    if most is not None and Decimal(line.size) > Decimal(most):
        return True
    return Decimal(line.notional) > Decimal(rules.notional_an_order)


def _open(hours: Sequence[int], hour: int) -> bool:
    first, end = hours
    return first <= hour < end if first <= end else hour >= first or hour < end


def switched_off(switch: SwitchState, lines: Sequence[IntentLine], *, cancels: bool) -> Kept:
    """Why the kill switch keeps these lines back; empty where it does not. Cancelling is always allowed."""
    if cancels or switch is SwitchState.ACTIVE:
        return ""
    if switch is SwitchState.HALTED:
        return "halted"
    return "" if all(line.reduce_only for line in lines) else "reducing"
