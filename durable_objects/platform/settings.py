"""What all computers together may cost, read from the Worker's variables: `BERTH_COMPUTER_BUDGET_A_DAY` and
`BERTH_COMPUTER_BUDGET_AN_HOUR`, in dollars."""

import logging
from collections.abc import Callable

from contracts.limits import COMPUTERS_MICRO_A_DAY, COMPUTERS_MICRO_AN_HOUR
from durable_objects.platform.circuit import Budget
from durable_objects.shared.money import amount_setting

log = logging.getLogger(__name__)


def budget_of(told: Callable[[str], str]) -> Budget:
    """`told` gives a variable's text. One that cannot be read is the usual one, and in the log."""
    try:
        return Budget(
            amount_setting(told, "BERTH_COMPUTER_BUDGET_A_DAY", COMPUTERS_MICRO_A_DAY),
            amount_setting(told, "BERTH_COMPUTER_BUDGET_AN_HOUR", COMPUTERS_MICRO_AN_HOUR),
        )
    except ValueError:
        log.exception("the budget of the computers cannot be read, so the usual one is taken")
        return Budget(COMPUTERS_MICRO_A_DAY, COMPUTERS_MICRO_AN_HOUR)
