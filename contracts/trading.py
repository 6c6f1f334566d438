"""Orders as people approve them: an intent with its lines, where it came from, and what became of each line.

Every number of money is a decimal string. What is shown is what is hashed into `digest` and what is sent.
"""

import re
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, SecretStr, StrictBool, StrictInt

from contracts.limits import (
    APPROVAL_SECONDS,
    APPROVAL_SECONDS_MAX,
    APPROVAL_SECONDS_MIN,
    DECLINE_REASON_CHARACTERS_MAX,
    INTENTS_A_PAGE,
    ORDERS_A_BATCH,
    PRICE_MOVE_PERCENT,
    PRICE_MOVE_PERCENT_MAX,
    RULE_ENTRIES_MAX,
)
from contracts.paper import Loses
from contracts.records import Record, TaintCause
from contracts.states import IntentState, Origin, SwitchState

LineWarning = Literal["far_from_mid", "over_balance", "over_limit", "illiquid", "would_match"]
# Why nothing is ordered, or why what was let go was not sent.
Refusal = Literal[
    "halted", "reducing", "stopped", "price_moved", "rules_changed", "account_removed", "not_connected",
    "watch_only", "agent_expired", "account_changed", "key_unreadable", "other_network", "no_exchange",
    "market_changed", "not_signed", "venue_unavailable", "venue_throttled",
]  # fmt: skip
AskedAgain = Literal["price_moved", "rules_changed"]
LineState = Literal[
    "proposed", "declined", "not_sent", "unknown", "not_placed", "resting", "filled", "partly_filled",
    "cancelled", "rejected",
]  # fmt: skip


class IntentLine(Record):
    """One order, or the cancelling of one, as it will be sent, and what it would mean.

    `position_after` is the position if it and all lines before it fill whole; `distance` is how far the price
    is from the mid, in per cent, and positive above it; `margin` is what its growth of the position takes at
    `leverage`, which is 0 where there is none, as of a cancel.
    """

    n: int
    order_id: str
    symbol: str
    asset: int
    side: Literal["buy", "sell"]
    size: str
    price: str
    tif: Literal["Gtc", "Ioc", "Alo"]
    reduce_only: bool
    notional: str
    fee: str
    margin: str
    leverage: int = 0
    mid: str
    distance: str
    position: str
    position_after: str
    warnings: list[LineWarning] = Field(default=[])


class LineOutcome(Record):
    """What became of a line; `filled` is the size so far, `price` the average of its fills."""

    n: int
    state: LineState
    filled: str = "0"
    price: str = ""
    error: str = ""


class IntentSource(Record):
    """Where an intent came from. `tainted`: text from outside had a part in it, by these causes."""

    run_id: str
    tool_call_id: str
    origin: Origin
    tainted: bool
    causes: list[TaintCause] = Field(default=[])


class IntentTotals(Record):
    notional: str
    fee: str
    margin: str
    available: str


class Intent(Record):
    """Something to be done at the venue. An approval names its digest, and holds for it alone."""

    id: str
    thread_id: str
    kind: Literal["place", "cancel"]
    venue: str
    network: str
    account: str
    lines: list[IntentLine]
    totals: IntentTotals
    source: IntentSource
    created_ms: int
    expires_ms: int
    replaces: str | None = None
    """The intent that this one takes the place of."""
    asked_again: AskedAgain | None = None
    """Why it does."""
    digest: str
    state: IntentState
    outcomes: list[LineOutcome]
    by: Literal["owner", "rule"] | None = None
    reason: str = ""
    """The owner's words; a `Refusal` where it is withdrawn."""
    updated_ms: int


class IntentList(Record):
    """Newest first; `more` says that there are older ones behind the last."""

    items: list[Intent] = Field(max_length=INTENTS_A_PAGE)
    more: bool


class TradingRefused(Record):
    """The details of a `forbidden` of trading."""

    reason: Refusal


class IntentDecision(Record):
    """Which lines go ahead; all others are declined. `reason` is told to the model."""

    digest: str = Field(min_length=64, max_length=64, pattern=r"^[0-9a-f]+$")
    approve: list[StrictInt] = Field(max_length=ORDERS_A_BATCH)
    reason: str = Field(default="", max_length=DECLINE_REASON_CHARACTERS_MAX)


Entry = Annotated[str, Field(min_length=1, max_length=40)]
Amount = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,8})?$")]


Hour = Annotated[StrictInt, Field(ge=0, le=24)]
Network = Literal["paper", "testnet", "mainnet"]


def _bound(percent: str) -> str:
    if not 0 < Decimal(percent) <= PRICE_MOVE_PERCENT_MAX:
        raise ValueError(f"over 0 and at most {PRICE_MOVE_PERCENT_MAX} per cent")
    return percent


class TradingRules(Record):
    """What may go ahead without asking, where nothing from outside had a part in it. Off unless switched on.

    Empty lists allow nothing. `venues` are named by their networks, so that what is allowed on one is not
    allowed on another. `notional_a_day` bounds what rules let through since midnight; both it and `hours`
    go by the owner's time zone.
    """

    enabled: StrictBool = False
    venues: list[Network] = Field(default=[], max_length=RULE_ENTRIES_MAX)
    symbols: list[Entry] = Field(default=[], max_length=RULE_ENTRIES_MAX)
    sides: list[Literal["buy", "sell"]] = Field(default=[], max_length=RULE_ENTRIES_MAX)
    sizes: dict[Entry, Amount] = Field(default={}, max_length=RULE_ENTRIES_MAX)
    """By symbol: the largest size of an order, beside its value. What is not named has no such bound."""
    notional_an_order: Amount = "0"
    notional_a_day: Amount = "0"
    reduce_only_exempt: StrictBool = False
    """Reduce-only orders need no room in the amounts, like cancels. All the rest holds for them."""
    hours: list[Hour] = Field(default=[0, 24], min_length=2, max_length=2)
    """From (inclusive) to (exclusive). Over midnight where the first is the later one."""


class ApprovalSettings(Record):
    """How approvals are asked for: anew where a mid moved by more since it was shown, and for how long."""

    price_move_percent: Annotated[
        str, Field(pattern=r"^(0|[1-9][0-9]?)(\.[0-9]{1,2})?$"), AfterValidator(_bound)
    ] = str(PRICE_MOVE_PERCENT)
    expires_seconds: StrictInt = Field(
        default=APPROVAL_SECONDS, ge=APPROVAL_SECONDS_MIN, le=APPROVAL_SECONDS_MAX
    )


class TradingSwitch(Record):
    state: SwitchState


class Trading(Record):
    """`account` is the address (or `paper`), and `account_id` that of the connected account."""

    venue: str
    network: str
    account: str
    account_id: str | None = None
    switch: SwitchState
    rules: TradingRules
    approvals: ApprovalSettings
    ruled_today: str
    """USDC of the orders that rules let through since midnight."""
    paper_replays: bool = False
    """Whether the paper market plays recorded candles."""
    paper_loses: Loses = "nothing"
    time_zone: str
    """The owner's, whose midnight and hours the rules go by; UTC until they have named one."""
    used: bool
    """Whether this owner trades at all: something was proposed once, or the settings are not as at first."""


def _agent_key(key: SecretStr) -> SecretStr:
    if not re.fullmatch(r"(0x)?[0-9a-fA-F]{64}", key.get_secret_value()):
        raise ValueError("an agent key is 64 hexadecimal digits, with or without 0x before them")
    return key


class TradingAccountConnect(Record):
    """An account by its address, to look at; with the key of an agent of it also to trade.

    The key goes in and never comes out. Connected again, an account has the key that was given last.
    """

    # A key that is refused is not to be read in the refusal.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    address: str = Field(pattern=r"^0x[0-9a-fA-F]{40}$")
    agent_key: Annotated[SecretStr, AfterValidator(_agent_key)] | None = None


class TradingAccount(Record):
    """`agent_expires_ms` is empty where the venue names no end, as of an agent without a name."""

    id: str
    network: Literal["mainnet", "testnet"]
    address: str
    agent_address: str | None
    agent_expires_ms: int | None
    watch_only: bool
    connected_ms: int


class TradingAccountList(Record):
    items: list[TradingAccount]


class TradingVenue(Record):
    """Where what is proposed from now on goes. What was proposed before stays with its own account."""

    venue: Literal["paper", "hyperliquid"]
    account_id: str | None = Field(default=None, max_length=64)
