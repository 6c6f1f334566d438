"""An approval reaches an owner who has no page open, unless it is decided, expired or a rule's meanwhile."""

import json

import pytest

from contracts.limits import APPROVAL_SECONDS
from contracts.trading import TradingRules
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, TradingRig

RULES = TradingRules(
    enabled=True,
    venues=["paper"],
    symbols=["BTC"],
    sides=["buy"],
    notional_an_order="1000",
    notional_a_day="1000",
)


@pytest.fixture
async def hooked(trader: TradingRig) -> TradingRig:
    await trader.owner.notices.setup.set_webhook("https://hooks.example/", "https://berth.example")
    return trader


async def reasons(trader: TradingRig) -> list[str | None]:
    await trader.owner.notices.desk.sweep()
    return [one.reason for one in trader.owner.notices.desk.deliveries()]


async def test_an_approval_that_waits_is_told_of_without_what_it_orders(hooked: TradingRig) -> None:
    await hooked.propose(BUY)
    assert await reasons(hooked) == [None]
    ((_, _, body),) = hooked.post.sent
    assert json.loads(body)["data"]["event"] == f"approval:{hooked.pending().id}"
    assert not {word for word in ("BTC", "0.01", "60010") if word in body.decode()}


async def test_one_that_is_decided_meanwhile_is_not_sent(hooked: TradingRig) -> None:
    await hooked.propose(BUY)
    await hooked.decide(hooked.pending())
    assert (await reasons(hooked), hooked.post.sent) == (["answered"], [])


@pytest.mark.parametrize(("seconds", "sent"), [(APPROVAL_SECONDS - 1, 1), (APPROVAL_SECONDS, 0)])
async def test_one_that_has_expired_is_not_sent(hooked: TradingRig, seconds: int, sent: int) -> None:
    await hooked.propose(BUY)
    hooked.clock.pass_seconds(seconds)
    await reasons(hooked)
    assert len(hooked.post.sent) == sent


async def test_one_that_a_rule_lets_go_is_not_told_of(hooked: TradingRig) -> None:
    hooked.owner.trading.settings.set_rules(RULES)
    await hooked.propose(BUY)
    assert hooked.intents(pending=True) == []
    assert (await reasons(hooked), hooked.post.sent) == (["answered"], [])
