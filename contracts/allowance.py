"""Money: what an owner may use of the platform, what was used, and the breakers of the whole deployment.

Amounts are whole micro-dollars (a millionth of a US dollar) and times milliseconds. Days and months are the
owner's own, in their time zone; the breakers' days are UTC.
"""

import re
from typing import Annotated, Literal

from pydantic import Field

from contracts.limits import GRANT_MICRO_MAX, USAGE_ROWS_MAX
from contracts.records import Record
from contracts.states import CircuitState

CHAT = "chat"
ROUTINE_PREFIX = "routine:"
ATTRIBUTION = re.compile(r"chat|routine:[A-Za-z0-9_]{1,64}")

Attribution = Annotated[str, Field(pattern=rf"^({ATTRIBUTION.pattern})$")]
"""What a use is counted to: `chat`, or `routine:<its id>`."""
DAY_PATTERN = r"^\d{4}-\d{2}-\d{2}$"
"""Of a day as its date in the owner's time zone."""


class Account(Record):
    """On whose behalf the computer is used: one call of one run."""

    attribution: Attribution = CHAT
    thread_id: str = ""
    run_id: str = ""
    call_id: str = ""


class Interval(Record):
    """A piece of the time for which a machine ran, and who used it: all of them, or who used it last."""

    instance: str
    from_ms: int
    to_ms: int
    accounts: list[Account] = Field(default=[])


class ModelPrice(Record):
    """Micro-dollars a token, which is the same number as dollars a million tokens."""

    provider: str
    model: str
    """`*` is every other model of the provider."""
    input: float
    output: float
    cached: float
    cache_written: float


class PriceTable(Record):
    computer_micro_an_hour: int
    models: list[ModelPrice] = Field(default=[])


class Allowance(Record):
    """What is left, and what the month has brought and taken."""

    balance_micro: int
    """Below zero where something that was running has overdrawn it."""
    month: str
    """`YYYY-MM`"""
    granted_micro: int
    """By this month's grant."""
    spent_micro: int
    """In this month."""
    once_micro: int
    """What single grants have brought, ever."""
    monthly_micro: int
    """What each month brings."""
    resets_ms: int
    """When the next month begins. What is left of a month's grant goes then; what was granted once stays."""
    time_zone: str
    exhausted: bool
    prices: PriceTable


class Exhausted(Record):
    """The details of `computer_allowance_exhausted`: facts for its card."""

    balance_micro: int
    spent_micro: int
    monthly_micro: int
    resets_ms: int
    time_zone: str


UsageBy = Literal["day", "bot", "thread", "routine", "command", "model"]


class UsageRow(Record):
    """What one day, bot, thread, routine, command or model has used. `key` is empty for what is of none."""

    key: str
    label: str = ""
    micro: int
    computer_micro: int
    computer_ms: int
    model_micro: int
    input_tokens: int
    output_tokens: int


class UsageReport(Record):
    """The sum of all rows and of `others` is `total`: what the ledger was debited in these days."""

    by: UsageBy
    first_day: str
    last_day: str
    time_zone: str
    rows: list[UsageRow] = Field(max_length=USAGE_ROWS_MAX)
    others: UsageRow | None = None
    """What did not fit, as one row."""
    total: UsageRow
    prices: PriceTable


class GrantCreate(Record):
    """A single grant by an operator. The same `id` again grants nothing more."""

    id: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    micro: int = Field(ge=1, le=GRANT_MICRO_MAX)


class Spent(Record):
    """What an owner's computer has cost in hours of UTC, each as a whole: said again, it changes nothing.

    `ledger_id` tells a ledger from the one that the same owner had before everything was deleted.
    """

    owner_id: str
    ledger_id: str
    hours: list[tuple[int, int]] = Field(default=[])
    """(hours since the epoch, micro-dollars)"""


class ComputerCircuit(Record):
    """What an owner's object hears of the breakers: whether computers may be used now."""

    open: bool = False
    wakes: bool = True
    """Whether a computer in standby may wake."""
    reason: str = ""
    retry_after_s: float = 0.0


CircuitName = Literal["spending", "starts"]


class Circuit(Record):
    """One of the platform's breakers, for operators."""

    name: CircuitName
    state: CircuitState
    reason: str = ""
    since_ms: int = 0
    until_ms: int | None = None
    """open: when it lets some through again. half_open: when it closes, if nothing goes wrong."""


class Circuits(Record):
    items: list[Circuit]
    day_micro: int
    """What all computers have cost since the day began, in UTC."""
    hour_micro: int
    day_budget_micro: int
    hour_budget_micro: int


class CircuitChange(Record):
    state: CircuitState
    reason: str = Field(min_length=1, max_length=500)
