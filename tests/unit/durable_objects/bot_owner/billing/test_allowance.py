"""Grants, charges and checks: what is left, and who may go on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from contracts.allowance import Account, GrantCreate, Interval
from contracts.errors import BerthError, ErrorCode
from contracts.records import Usage
from durable_objects.bot_owner.billing.allowance import Allowance, attribution_of
from durable_objects.bot_owner.billing.ledger import CHECKPOINT_ROWS, Entry, Ledger
from durable_objects.bot_owner.billing.prices import HOUR_MS, Prices, models_of
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, TextPart
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

DOLLAR = 1_000_000


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def rig(context: Context, clock: Clock) -> OwnerRig:
    clock.ms = ms("2026-11-10T12:00")
    made = OwnerRig(context)
    made.prices = Prices(computer_micro_an_hour=DOLLAR, monthly_micro=10 * DOLLAR, models=models_of(MODELS))
    made.reborn()
    return made


MODELS = '{"openai": {"*": {"input": 1, "output": 2}}}'


def hours(rig: OwnerRig, start: str, count: float, **account: str) -> None:
    begins = ms(start)
    interval = Interval(
        instance="1.5", from_ms=begins, to_ms=begins + round(count * HOUR_MS), accounts=[Account(**account)]
    )
    rig.owner.allowance.settle([interval])


def test_a_month_brings_its_grant_once_however_often_one_looks(rig: OwnerRig, clock: Clock) -> None:
    assert rig.owner.allowance.balance() == 10 * DOLLAR
    clock.ms = ms("2026-11-30T23:59:59")
    assert rig.reborn().allowance.balance() == 10 * DOLLAR
    # A clock that goes back brings no month again.
    clock.ms = ms("2026-10-01T00:00")
    assert rig.owner.allowance.balance() == 10 * DOLLAR


def test_a_month_that_was_begun_in_another_zone_is_not_promised_again(rig: OwnerRig, clock: Clock) -> None:
    clock.ms = ms("2026-11-30T20:00")
    assert rig.owner.allowance.shown().resets_ms == ms("2026-12-01T00:00")
    rig.owner.allowance.set_time_zone("Asia/Tokyo")
    assert rig.owner.allowance.shown().month == "2026-12"
    rig.owner.allowance.set_time_zone("UTC")
    assert rig.owner.allowance.shown().resets_ms == ms("2027-01-01T00:00")
    clock.ms = ms("2026-12-01T00:00")
    assert rig.owner.allowance.shown().resets_ms == ms("2027-01-01T00:00")
    assert rig.owner.allowance.balance() == 10 * DOLLAR


def test_what_is_left_of_a_month_goes_with_it_and_single_grants_stay(rig: OwnerRig, clock: Clock) -> None:
    rig.owner.allowance.grant(GrantCreate(id="gift", micro=5 * DOLLAR))
    rig.owner.allowance.grant(GrantCreate(id="gift", micro=5 * DOLLAR))
    hours(rig, "2026-11-10T10:00", 4)
    assert rig.owner.allowance.balance() == 11 * DOLLAR
    clock.ms = ms("2026-12-01T00:00")
    assert rig.owner.allowance.balance() == 15 * DOLLAR
    hours(rig, "2026-12-01T00:00", 12)
    clock.ms = ms("2027-02-01T00:00")
    assert rig.owner.allowance.balance() == 13 * DOLLAR


def test_a_debt_is_taken_from_the_next_month_and_no_other(rig: OwnerRig, clock: Clock) -> None:
    hours(rig, "2026-11-10T01:00", 11)
    assert rig.owner.allowance.balance() == -DOLLAR
    clock.ms = ms("2026-12-01T00:00")
    assert rig.owner.allowance.balance() == 9 * DOLLAR
    clock.ms = ms("2027-01-01T00:00")
    assert rig.owner.allowance.balance() == 10 * DOLLAR


def test_the_month_is_the_owners_own(rig: OwnerRig, clock: Clock) -> None:
    rig.owner.allowance.set_time_zone("Asia/Shanghai")
    hours(rig, "2026-11-10T10:00", 4)
    assert rig.owner.allowance.balance() == 6 * DOLLAR
    clock.ms = ms("2026-11-30T16:00")
    assert rig.owner.allowance.balance() == 10 * DOLLAR
    assert rig.owner.allowance.shown().resets_ms == ms("2026-12-31T16:00")


def test_the_computer_is_refused_when_nothing_is_left_and_not_before(rig: OwnerRig) -> None:
    hours(rig, "2026-11-10T00:00", 10 - 1 / 3_600)
    rig.owner.allowance.check()
    assert rig.exhausted == []
    hours(rig, "2026-11-10T09:59:59", 1 / 3_600)
    with pytest.raises(BerthError) as caught:
        rig.owner.allowance.check()
    assert caught.value.code == ErrorCode.COMPUTER_ALLOWANCE_EXHAUSTED
    assert caught.value.details == {
        "balance_micro": 0,
        "spent_micro": 10 * DOLLAR,
        "monthly_micro": 10 * DOLLAR,
        "resets_ms": ms("2026-12-01T00:00"),
        "time_zone": "UTC",
    }
    hours(rig, "2026-11-10T11:30", 1)
    assert [facts.balance_micro for facts in rig.exhausted] == [0]


def test_settling_again_costs_nothing_more_whatever_zone_it_is_by_then(rig: OwnerRig) -> None:
    hours(rig, "2026-11-10T17:15", 2.5)
    before = rig.owner.allowance.balance()
    # There it is midnight in the middle of it.
    rig.owner.allowance.set_time_zone("Asia/Kathmandu")
    hours(rig, "2026-11-10T17:15", 2.5)
    assert rig.owner.allowance.balance() == before == 10 * DOLLAR - 2_500_000


async def test_a_call_of_the_computer_is_refused_and_the_conversation_goes_on(rig: OwnerRig) -> None:
    hours(rig, "2026-11-10T00:00", 10)
    call = CallPart("computer__exec", {"command": "ls"})
    rig.model = ScriptedModel([call], [TextPart("It cannot be used.")], [TextPart("So it is.")])
    await rig.ask("look")
    (finished,) = rig.events("tool.finished")
    assert finished["error"]["code"] == "computer_allowance_exhausted"
    assert finished["error"]["details"]["resets_ms"] == ms("2026-12-01T00:00")
    assert rig.computer.executed == []
    assert rig.events("run.status")[-1]["state"] == "done"


async def test_a_call_that_was_begun_before_is_looked_up_all_the_same(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([CallPart("computer__exec", {"command": "ls"})], [TextPart("Done.")])
    run_id = rig.send("look").run.id

    async def die(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    rig.owner.loop._calls._tools.use = die  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        await rig.owner.loop.drive(run_id)
    hours(rig, "2026-11-10T00:00", 10)
    await rig.reborn().loop.drive(run_id)
    assert [command for _, command in rig.computer.executed] == ["ls"]


async def test_an_answer_is_charged_to_its_run_once(rig: OwnerRig, context: Context) -> None:
    context.sql.run("UPDATE bots SET provider = 'openai', model = 'm'")
    rig.model = ScriptedModel([TextPart("Hi."), EndPart(usage=Usage(input=100, output=50))])
    run_id = await rig.ask("hello")
    assert rig.owner.allowance.balance() == 10 * DOLLAR - 200
    assert rig.owner.allowance.ledger.has(f"model:{run_id}:1")


@pytest.mark.parametrize(
    "own", [{"api_key": "sealed", "base_url": ""}, {"api_key": "", "base_url": "https://models.example"}]
)
async def test_with_an_own_key_or_address_the_model_is_free(
    rig: OwnerRig, context: Context, own: dict[str, str]
) -> None:
    context.sql.run(
        "UPDATE bots SET provider = 'openai', model = 'm', api_key = ?, base_url = ?", *own.values()
    )
    rig.model = ScriptedModel([TextPart("Hi."), EndPart(usage=Usage(input=100, output=50))])
    await rig.ask("hello")
    assert rig.owner.allowance.balance() == 10 * DOLLAR
    (row,) = context.sql.execute("SELECT own_key, input_tokens FROM ledger WHERE kind = 'model'")
    assert row == {"own_key": 1, "input_tokens": 100}


def test_a_runs_use_is_counted_to_what_it_was_made_for(rig: OwnerRig) -> None:
    run = rig.owner.journal.create(rig.thread.id, rig.bot.id)
    assert attribution_of(run) == "chat"
    run |= {"routine_id": "r1"}
    assert attribution_of(run) == "routine:r1"
    bot = {"provider": "openai", "model": "m", "api_key": "", "base_url": ""}
    rig.owner.allowance.charge_model(run, "1", bot, Usage(input=500_000, output=250_000))
    account = {"attribution": "routine:r1", "run_id": run["id"], "thread_id": rig.thread.id}
    hours(rig, "2026-11-10T09:00", 1, **account)
    since = ms("2026-11-10T09:00")
    assert rig.owner.allowance.routine_cost("r1", since) == 2 * DOLLAR
    assert rig.owner.allowance.routine_cost("r1", since + HOUR_MS) == DOLLAR
    assert rig.owner.allowance.routine_cost("r", since) == 0


def test_the_balance_is_the_sum_with_checkpoints_and_without(context: Context, rig: OwnerRig) -> None:
    ledger: Ledger = rig.owner.allowance.ledger
    for number in range(2 * CHECKPOINT_ROWS + 7):
        ledger.add(Entry(f"k{number}", "once", number % 11 - 5, "2026-11-10"))
        ledger.add(Entry(f"k{number // 2}", "once", 10**6, "2026-11-10"))
    (row,) = context.sql.execute("SELECT SUM(micro) AS micro, COUNT(*) AS count FROM ledger")
    assert ledger.balance() == row["micro"]
    assert row["count"] >= 2 * CHECKPOINT_ROWS + 7
    assert context.sql.execute("SELECT COUNT(*) AS n FROM ledger_checkpoints")[0]["n"] >= 2


def test_a_grant_past_the_limit_is_refused() -> None:
    GrantCreate(id="g", micro=10**10)
    with pytest.raises(ValueError, match="less than or equal"):
        GrantCreate(id="g", micro=10**10 + 1)


def test_prices_of_another_day_leave_what_was_charged(rig: OwnerRig) -> None:
    hours(rig, "2026-11-10T09:00", 1)
    rig.prices = replace(rig.prices, computer_micro_an_hour=2 * DOLLAR)
    allowance: Allowance = rig.reborn().allowance
    assert allowance.balance() == 9 * DOLLAR
    hours(rig, "2026-11-10T10:00", 1)
    assert allowance.balance() == 7 * DOLLAR
