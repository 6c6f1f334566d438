"""What an owner sets for trading, and what it does to the next approval."""

from decimal import Decimal

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import APPROVAL_SECONDS
from contracts.states import IntentState, SwitchState
from contracts.trading import ApprovalSettings, IntentDecision, TradingRules
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, TradingRig

S = IntentState
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
RULES = TradingRules(
    enabled=True, venues=["paper"], symbols=["BTC"], sides=["buy", "sell"],
    notional_an_order="1000", notional_a_day="1000",
)  # fmt: skip


async def test_the_time_of_an_approval_is_the_one_that_was_set_when_it_was_proposed(
    trader: TradingRig,
) -> None:
    first = await trader.buy()
    assert first.expires_ms == first.created_ms + APPROVAL_SECONDS * 1000
    trader.owner.trading.settings.set_approvals(ApprovalSettings(expires_seconds=60))
    await trader.decide(first)
    second = await trader.buy()
    assert second.expires_ms == second.created_ms + 60_000
    trader.clock.pass_seconds(60)
    await trader.owner.desk.sweep()
    assert trader.newest().state is S.EXPIRED


@pytest.mark.parametrize(
    ("percent", "shift", "again"),
    [("0.5", 300, False), ("0.5", 301, True), ("0.5", -301, True), ("10", 6_000, False), ("10", 6_001, True)],
)
async def test_the_price_may_move_by_what_was_set(
    trader: TradingRig, percent: str, shift: int, *, again: bool
) -> None:
    trader.owner.trading.settings.set_approvals(ApprovalSettings(price_move_percent=percent))
    intent = await trader.buy(price="67000")
    trader.market.shift = shift
    if not again:
        assert (await trader.decide(intent, 1)).state is S.EXECUTED
        return
    with pytest.raises(BerthError, match=f"more than {percent} %") as caught:
        await trader.decide(intent, 1)
    assert caught.value.code is ErrorCode.APPROVAL_CHANGED
    assert trader.bodies == []


async def test_settings_survive_the_death_of_the_object(trader: TradingRig) -> None:
    settings = trader.owner.trading.settings
    settings.set_rules(RULES)
    settings.set_switch(SwitchState.REDUCING)
    settings.set_approvals(ApprovalSettings(price_move_percent="2", expires_seconds=120))
    trader.reborn()
    shown = trader.owner.trading.settings.shown()
    assert (shown.rules, shown.switch) == (RULES, SwitchState.REDUCING)
    assert (shown.approvals.price_move_percent, shown.approvals.expires_seconds) == ("2", 120)


async def test_stored_rules_that_are_none_of_todays_allow_nothing(trader: TradingRig) -> None:
    old = RULES.model_dump_json().replace("paper", "hyperliquid")
    trader.owner.catalog.set_setting("trading_rules", old)
    trader.owner.catalog.set_setting("trading_approvals", '{"price_move_percent": "99"}')
    assert trader.owner.trading.settings.rules == TradingRules()
    assert trader.owner.trading.settings.approvals == ApprovalSettings()
    await trader.propose(BUY)
    assert trader.pending().by is None


async def test_what_rules_let_through_today_is_counted(trader: TradingRig) -> None:
    settings = trader.owner.trading.settings
    settings.set_rules(RULES)
    assert settings.shown().ruled_today == "0"
    await trader.propose(BUY)
    assert settings.shown().ruled_today == "600.1"
    # Neither what a person approved nor what waits for one.
    await trader.decide(await trader.buy(), 1)
    await trader.propose(BUY)
    assert settings.shown().ruled_today == "600.1"
    await trader.decide(trader.pending())
    trader.clock.pass_seconds(86_400)
    assert settings.shown().ruled_today == "0"


async def test_reduce_only_orders_take_no_room_where_they_are_exempt(trader: TradingRig) -> None:
    trader.owner.trading.settings.set_rules(RULES.model_copy(update={"reduce_only_exempt": True}))
    await trader.propose(BUY)
    await trader.propose(BUY | {"side": "sell", "price": "59990", "reduce_only": True})
    assert [trader.newest().by, trader.newest().state] == ["rule", S.EXECUTED]
    assert trader.owner.trading.settings.ruled_today() == Decimal("600.1")
    trader.owner.trading.settings.set_rules(RULES)
    assert trader.owner.trading.settings.ruled_today() == Decimal(1200)


async def test_what_never_was_at_the_venue_takes_no_room(trader: TradingRig) -> None:
    trader.owner.trading.settings.set_rules(RULES)
    trader.faults, trader.looks_fail = ["lost_before"], 1
    await trader.propose(BUY)
    assert trader.newest().outcomes[0].state == "not_placed"
    assert trader.owner.trading.settings.ruled_today() == 0


async def test_whoever_never_traded_is_not_shown_as_trading(trader: TradingRig) -> None:
    settings = trader.owner.trading.settings
    assert not settings.shown().used
    settings.set_switch(SwitchState.HALTED)
    assert settings.shown().used
    settings.set_switch(SwitchState.ACTIVE)
    settings.set_rules(RULES)
    assert settings.shown().used
    settings.set_rules(TradingRules())
    assert not settings.shown().used
    intent = await trader.buy()
    await trader.owner.desk.decide(intent.id, IntentDecision(digest=intent.digest, approve=[]))
    assert settings.shown().used


async def test_rules_that_are_switched_on_approve_nothing_that_waits(trader: TradingRig) -> None:
    intent = await trader.buy()
    trader.owner.trading.settings.set_rules(RULES)
    await trader.owner.desk.sweep()
    await trader.go_on()
    assert trader.pending() == intent
    assert trader.bodies == []


async def test_the_day_and_the_hours_of_rules_are_those_of_the_owners_clock(trader: TradingRig) -> None:
    owner, settings = trader.owner, trader.owner.trading.settings
    assert settings.shown().time_zone == "UTC"
    # 22:30 UTC, which is half past six of the next morning in Shanghai.
    trader.clock.ms = trader.clock.ms // DAY_MS * DAY_MS + 22 * HOUR_MS + HOUR_MS // 2
    settings.set_rules(RULES.model_copy(update={"hours": [6, 7]}))
    await trader.propose(BUY)
    await trader.decide(trader.pending())
    owner.allowance.set_time_zone("Asia/Shanghai")
    assert (settings.shown().time_zone, settings.hour) == ("Asia/Shanghai", 6)
    await trader.propose(BUY)
    assert trader.newest().by == "rule"
    assert settings.ruled_today() == Decimal("600.1")
    # Midnight of UTC is no boundary of that day, and midnight in Shanghai is.
    trader.clock.pass_seconds(2 * 3_600)
    assert settings.ruled_today() == Decimal("600.1")
    trader.clock.pass_seconds(16 * 3_600)
    assert settings.ruled_today() == 0
