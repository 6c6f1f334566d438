"""What a routine may order by itself: nothing at first, then within limits, never after the computer."""

from typing import Any

import pytest

from contracts.states import IntentState, SwitchState
from contracts.trading import TradingRules
from durable_objects.bot_owner.models.protocol import CallPart
from durable_objects.bot_owner.venue.paper import Fault
from tests.unit.durable_objects.bot_owner.routines.routine_rig import RULES, RoutineRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY

PLACE = CallPart("hl__place_orders", {"orders": [BUY]})
EXEC = CallPart("computer__exec", {"command": "date"})


async def ordered(owner: RoutineRig, *calls: CallPart, **fields: Any) -> tuple[IntentState, str | None]:
    """What becomes of the order of a routine's run: (state, who let it go)."""
    routine = owner.routine(**fields)
    owner.owner.routines.run_now(routine.id, f"run-of-{routine.id[-20:]}")
    await owner.drive(*calls, PLACE)
    intent = owner.newest()
    return intent.state, intent.by


async def test_off_at_first_whatever_the_chat_may(owner: RoutineRig) -> None:
    owner.owner.trading.settings.set_rules(TradingRules.model_validate(RULES))
    assert await ordered(owner) == (IntentState.PENDING, None)


async def test_switched_on_within_its_limits_it_goes(owner: RoutineRig) -> None:
    assert await ordered(owner, orders=RULES) == (IntentState.EXECUTED, "rule")


async def test_when_the_computer_was_used_the_order_waits_for_a_person(owner: RoutineRig) -> None:
    assert await ordered(owner, EXEC, orders=RULES, computer=True) == (IntentState.PENDING, None)
    (intent,) = owner.intents(pending=True)
    assert intent.source.tainted
    assert [cause.tool for cause in intent.source.causes] == ["computer__exec"]


@pytest.mark.parametrize(
    "change",
    [
        {"enabled": False},
        {"venues": []},
        {"symbols": ["ETH"]},
        {"sides": ["sell"]},
        {"notional_an_order": "600"},
        {"notional_a_day": "600"},
    ],
)
async def test_outside_of_any_limit_it_waits(owner: RoutineRig, change: dict[str, Any]) -> None:
    assert await ordered(owner, orders={**RULES, **change}) == (IntentState.PENDING, None)


async def test_what_it_ordered_today_counts_for_itself_alone(owner: RoutineRig) -> None:
    # An order of BUY is 600.1 USDC; 1000 a day has room for one.
    first = owner.routine(orders=RULES)
    states = []
    for number in range(2):
        owner.owner.routines.run_now(first.id, f"run-now-{number:04}")
        await owner.drive(PLACE)
        states.append(owner.newest().state)
    assert states == [IntentState.EXECUTED, IntentState.PENDING]
    assert await ordered(owner, orders=RULES) == (IntentState.EXECUTED, "rule")


async def test_a_switch_that_is_turned_off_holds_for_the_run_under_way(owner: RoutineRig) -> None:
    routine = owner.routine(orders=RULES)
    owner.owner.routines.run_now(routine.id, "run-now-0001")
    owner.owner.routines.change(routine.id, owner.settings())
    await owner.drive(PLACE)
    assert owner.newest().state is IntentState.PENDING


async def test_what_is_not_sent_yet_when_its_limits_are_narrowed_waits_for_its_owner(
    owner: RoutineRig,
) -> None:
    routine = owner.routine(orders=RULES)
    owner.owner.routines.run_now(routine.id, "run-now-0001")
    owner.dies_before_sending = True
    with pytest.raises(KeyboardInterrupt):
        await owner.drive(PLACE)
    assert owner.newest().state is IntentState.APPROVED
    narrow = owner.settings(orders={**RULES, "notional_an_order": "600"})
    owner.owner.routines.change(routine.id, narrow)
    owner.reborn()
    await owner.go_on()
    assert (owner.newest().state, owner.newest().asked_again) == (IntentState.PENDING, "rules_changed")
    assert owner.bodies == []


async def test_what_never_came_to_be_takes_no_room(owner: RoutineRig) -> None:
    routine = owner.routine(orders=RULES)
    faults: tuple[Fault | None, ...] = ("lost_before", None)
    for number, fault in enumerate(faults):
        owner.faults = [fault]
        owner.owner.routines.run_now(routine.id, f"run-now-{number:04}")
        await owner.drive(PLACE)
    placed, never = owner.intents()
    assert (never.outcomes[0].state, placed.state) == ("not_placed", IntentState.EXECUTED)


async def test_the_kill_switch_holds_for_routines(owner: RoutineRig) -> None:
    owner.owner.trading.settings.set_switch(SwitchState.HALTED)
    routine = owner.routine(orders=RULES)
    owner.owner.routines.run_now(routine.id, "run-now-0001")
    await owner.drive(PLACE)
    assert owner.intents() == []
    assert owner.thread_events(routine, "tool.finished")[0]["error"]["code"] == "forbidden"
