"""Routines: what a bot does by itself, when, under which conditions and within which limits.

Money is counted in micro-dollars. Every switch is off until the owner turns it on.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from contracts.limits import (
    MESSAGE_CHARACTERS_MAX,
    ROUNDS_A_RUN_MAX,
    ROUTINE_CHECKS_MAX,
    ROUTINE_CRON_CHARACTERS_MAX,
    ROUTINE_EVERY_MINUTES_MAX,
    ROUTINE_FAILURES,
    ROUTINE_FAILURES_MAX,
    ROUTINE_HISTORY_A_PAGE,
    ROUTINE_MICRODOLLARS_MAX,
    ROUTINE_MINUTES,
    ROUTINE_MINUTES_MAX,
    ROUTINE_MONTH_MICRODOLLARS,
    ROUTINE_NAME_CHARACTERS_MAX,
    ROUTINE_ONCE_MS_MAX,
    ROUTINE_PREVIEW_TIMES,
    ROUTINE_ROUNDS,
    ROUTINE_RUN_MICRODOLLARS,
    ROUTINE_URL_CHARACTERS_MAX,
    ROUTINES_MAX,
)
from contracts.records import Record, Run
from contracts.states import RoutineOutcome, RoutineState
from contracts.trading import Amount, Entry, TradingRules

ClientId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Zone = Annotated[str, Field(min_length=1, max_length=64)]
Microdollars = Annotated[int, Field(ge=1, le=ROUTINE_MICRODOLLARS_MAX)]
ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class CronSchedule(Record):
    """Five fields, as cron reads them on the clock of the routine's time zone."""

    kind: Literal["cron"] = "cron"
    expression: str = Field(min_length=1, max_length=ROUTINE_CRON_CHARACTERS_MAX)


class EverySchedule(Record):
    """Every so many minutes, counted from when the routine was made or its schedule changed."""

    kind: Literal["every"] = "every"
    minutes: int = Field(ge=1, le=ROUTINE_EVERY_MINUTES_MAX)


class OnceSchedule(Record):
    kind: Literal["once"] = "once"
    at_ms: int = Field(ge=0, le=ROUTINE_ONCE_MS_MAX)


Schedule = Annotated[CronSchedule | EverySchedule | OnceSchedule, Field(discriminator="kind")]


class WindowCheck(Record):
    """Starts only from `first` (inclusive) to `end` (exclusive) on these days, in the routine's time zone.

    Days count from Monday, 0. Where `end` is not after `first`, the window goes over midnight and belongs to
    the day on which it begins.
    """

    kind: Literal["window"] = "window"
    days: list[Annotated[int, Field(ge=0, le=6)]] = Field(min_length=1, max_length=7)
    first: ClockTime
    end: ClockTime


class PriceCheck(Record):
    """Starts when the venue's mid has come to the other side of `price` since the look before."""

    kind: Literal["price"] = "price"
    symbol: Entry
    crosses: Literal["above", "below"]
    price: Amount


class HttpCheck(Record):
    """Starts by a value of the JSON that `url` answers with.

    `path` is a JSON path that names one value: `$.items[0].price`. `changed` compares with the look before
    and does not use `value`.
    """

    kind: Literal["http"] = "http"
    url: str = Field(min_length=1, max_length=ROUTINE_URL_CHARACTERS_MAX)
    path: str = Field(min_length=1, max_length=200)
    compare: Literal["equals", "differs", "above", "below", "changed"]
    value: str = Field(default="", max_length=200)


Check = Annotated[WindowCheck | PriceCheck | HttpCheck, Field(discriminator="kind")]


class RoutineLimits(Record):
    """What one run, and a month of them, may take. `minutes` are of work: waiting for a person is none."""

    rounds: int = Field(default=ROUTINE_ROUNDS, ge=1, le=ROUNDS_A_RUN_MAX)
    minutes: int = Field(default=ROUTINE_MINUTES, ge=1, le=ROUTINE_MINUTES_MAX)
    run_microdollars: Microdollars = ROUTINE_RUN_MICRODOLLARS
    month_microdollars: Microdollars = ROUTINE_MONTH_MICRODOLLARS
    failures: int = Field(default=ROUTINE_FAILURES, ge=1, le=ROUTINE_FAILURES_MAX)
    """So many in a row pause the routine."""


class RoutineSettings(Record):
    """`orders` is what the routine may order by itself; it is not the owner's rules for the chat.

    `overlap` says what becomes of a run that falls due while the one before it has not ended.
    """

    name: str = Field(min_length=1, max_length=ROUTINE_NAME_CHARACTERS_MAX)
    prompt: str = Field(min_length=1, max_length=MESSAGE_CHARACTERS_MAX)
    schedule: Schedule
    zone: Zone = "UTC"
    checks: list[Check] = Field(default=[], max_length=ROUTINE_CHECKS_MAX)
    """All of them have to hold."""
    overlap: Literal["skip", "queue"] = "skip"
    computer: bool = False
    browser: bool = False
    orders: TradingRules = TradingRules()
    limits: RoutineLimits = RoutineLimits()


class RoutineCreate(RoutineSettings):
    """`client_id` is chosen by the client once; sending it again answers with the first result."""

    client_id: ClientId
    bot_id: str = Field(min_length=1, max_length=64)


class RoutineRunNow(Record):
    """`client_id` does what it does for a message."""

    client_id: ClientId


class RoutineFiring(Record):
    """A time at which the routine was due, and what came of it.

    `count` of them in a row had the same outcome, the last at `at_ms`. `microdollars` is what the run costs.
    `note` is the kind of the check that did not hold, or says why one could not be made; that has its reason
    and facts in `details`, as a problem has.
    """

    id: int
    due_ms: int
    at_ms: int
    by: Literal["schedule", "person"]
    outcome: RoutineOutcome
    count: int = 1
    note: str = ""
    details: dict[str, Any] | None = None
    run: Run | None = None
    microdollars: int = 0


class Routine(Record):
    id: str
    bot_id: str
    thread_id: str
    settings: RoutineSettings
    state: RoutineState
    paused_by: Literal["person", "failures"] | None = None
    next_ms: int | None = None
    failures: int = 0
    """In a row, since the last success or the last time it was resumed."""
    month_microdollars: int = 0
    """What its runs cost since the month began, in its time zone."""
    last: RoutineFiring | None = None
    created_ms: int
    updated_ms: int


class RoutineList(Record):
    items: list[Routine] = Field(max_length=ROUTINES_MAX)


class RoutineHistory(Record):
    """Newest first; `more` says that there are older ones behind the last."""

    items: list[RoutineFiring] = Field(max_length=ROUTINE_HISTORY_A_PAGE)
    more: bool


class RoutineDraft(Record):
    """A schedule that somebody is about to choose."""

    schedule: Schedule
    zone: Zone = "UTC"


class RoutineTimes(Record):
    """When it would run next; fewer where it ends before."""

    times: list[int] = Field(max_length=ROUTINE_PREVIEW_TIMES)


class RoutineNotice(Record):
    """What the owner has to be told of a routine that went on without them."""

    kind: Literal["paused", "month_used"]
    routine_id: str
    thread_id: str
    name: str
    failures: int = 0
    at_ms: int
