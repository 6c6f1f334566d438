"""Every view of what was used has the same sum, and that is the ledger's."""

import csv
import random
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import get_args

import pytest

from contracts.allowance import Account, Interval, UsageBy
from contracts.api import BotCreate, ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import USAGE_DAYS_MAX, USAGE_ROWS_MAX
from contracts.records import Usage
from durable_objects.bot_owner.billing.prices import HOUR_MS, Prices, models_of
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

VIEWS = get_args(UsageBy)
FIGURES = ("micro", "computer_micro", "computer_ms", "model_micro", "input_tokens", "output_tokens")
START = round(datetime(2026, 10, 20, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def rig(context: Context, clock: Clock) -> OwnerRig:
    """Ten days of use by two bots and a routine, over a change of clocks."""
    clock.ms = START
    made = OwnerRig(context)
    made.prices = Prices(74_123, models=models_of('{"openai": {"*": {"input": 1.3, "output": 7}}}'))
    owner = made.reborn()
    owner.allowance.set_time_zone("Europe/Berlin")
    other = owner.catalog.create_bot(BotCreate(name="=2+2"))
    threads = [made.thread.id, owner.catalog.create_thread(ThreadCreate(bot_id=other.id)).id]
    chance = random.Random(7)  # noqa: S311 - the same each time
    cuts = sorted(chance.sample(range(START, START + 10 * 24 * HOUR_MS, 997), 120))
    for number, (start, end) in enumerate(pairwise(cuts)):
        users = [
            Account(
                attribution=chance.choice(["chat", "routine:r1"]),
                thread_id=chance.choice(threads),
                call_id=f"call_{number}_{which}",
            )
            for which in range(chance.randint(0, 4))
        ]
        interval = Interval(instance="1.1", from_ms=start, to_ms=end, accounts=users)
        owner.allowance.settle([interval])
    run = owner.journal.create(made.thread.id, made.bot.id)
    bot = {"provider": "openai", "model": "=m", "api_key": "", "base_url": ""}
    for number in range(30):
        clock.pass_seconds(7 * 3_600)
        owner.allowance.charge_model(run, str(number), bot, Usage(input=number * 31, output=number))
    return made


def total(context: Context) -> int:
    (row,) = context.sql.execute(
        "SELECT -SUM(micro) AS micro FROM ledger WHERE kind IN ('computer', 'model')"
    )
    return int(row["micro"])


@pytest.mark.parametrize("by", VIEWS)
def test_each_view_adds_up_to_the_ledger(rig: OwnerRig, context: Context, by: UsageBy) -> None:
    found = rig.owner.usage.sums(by, "2026-10-01", "2026-11-30")
    rows = [*found.rows, *([found.others] if found.others else [])]
    for figure in FIGURES:
        assert sum(getattr(row, figure) for row in rows) == getattr(found.total, figure)
    assert found.total.micro == total(context) == found.total.computer_micro + found.total.model_micro
    assert len({row.key for row in found.rows}) == len(found.rows) > 1


def test_what_does_not_fit_is_one_row_more(rig: OwnerRig) -> None:
    found = rig.owner.usage.sums("command", "2026-10-01", "2026-11-30")
    assert len(found.rows) == USAGE_ROWS_MAX
    assert found.others is not None
    assert found.others.micro > 0
    assert rig.owner.usage.sums("bot", "2026-10-01", "2026-11-30").others is None


def test_days_add_up_to_a_month_whatever_the_clocks_do(rig: OwnerRig) -> None:
    usage = rig.owner.usage
    days = [row.key for row in usage.sums("day", "2026-10-01", "2026-11-30").rows]
    assert days == sorted(days, reverse=True)
    parts = [usage.sums("model", day, day).total.micro for day in days]
    assert sum(parts) == usage.sums("day", days[-1], days[0]).total.micro


def test_the_table_has_the_same_sum_and_no_formula(rig: OwnerRig, context: Context) -> None:
    rows = list(csv.DictReader("".join(rig.owner.usage.table("2026-10-01", "2026-11-30")).splitlines()))
    assert sum(Decimal(row["dollars"]) for row in rows) * 10**6 == total(context)
    assert len({row["entry"] for row in rows}) == len(rows)
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())


async def test_rows_are_called_as_people_call_them(rig: OwnerRig, context: Context) -> None:
    rig.model = ScriptedModel([CallPart("computer__exec", {"command": "make all\nls"})], [TextPart("Done.")])
    await rig.ask("build it")
    (call_id, _), clock_ms = rig.computer.executed[0], context.now_ms()
    account = rig.computer.accounts[-1]
    assert (account.call_id, account.thread_id, account.attribution) == (call_id, rig.thread.id, "chat")
    later = clock_ms + 80 * HOUR_MS
    interval = Interval(instance="2.1", from_ms=later, to_ms=later + HOUR_MS, accounts=[account])
    rig.owner.allowance.settle([interval])
    days = ("2026-10-31", "2026-11-30")
    assert [row.label for row in rig.owner.usage.sums("command", *days).rows if row.key == call_id] == [
        "make all"
    ]
    assert "Data" in [row.label for row in rig.owner.usage.sums("bot", *days).rows]


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2026-10-02", "2026-10-01"),
        ("2026-02-30", "2026-03-01"),
        ("", "2026-03-01"),
        ("2026-1-1", "2026-03-01"),
    ],
)
def test_days_that_cannot_be_asked_for_are_refused(rig: OwnerRig, first: str, last: str) -> None:
    with pytest.raises(BerthError) as caught:
        rig.owner.usage.table(first, last)
    assert caught.value.code == ErrorCode.INVALID_REQUEST


def test_as_many_days_as_the_limit_says_and_not_one_more(rig: OwnerRig) -> None:
    assert USAGE_DAYS_MAX == 400
    rig.owner.usage.sums("day", "2025-01-01", "2026-02-04")
    with pytest.raises(BerthError):
        rig.owner.usage.sums("day", "2025-01-01", "2026-02-05")


def test_without_days_it_is_this_month(rig: OwnerRig, clock: Clock) -> None:
    clock.ms = round(datetime(2026, 11, 5, tzinfo=UTC).timestamp() * 1000)
    assert rig.owner.usage.days(None, None) == ("2026-11-01", "2026-11-05")
    assert rig.owner.usage.days("", "2026-10-09") == ("2026-10-01", "2026-10-09")
