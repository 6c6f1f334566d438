"""A fence for what may still come: a noop with the nonce of the action, once, and never a second order."""

import json
from typing import Any

import pytest

from contracts.limits import ACTION_MARGIN_SECONDS, ACTION_SECONDS, FENCE_AFTER_SECONDS
from contracts.states import IntentState, SwitchState
from durable_objects.bot_owner.venue.protocol import Reply
from durable_objects.bot_owner.venue.replies import fences
from tests.unit.durable_objects.bot_owner.venue.real import ACCOUNT, RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig, states
from tests.venue_server.exchange import signer_of
from tests.venue_server.server import Answer, Fault

S = IntentState
UNKNOWN = Answer(200, '{"status": "unknownOid"}')
NO_FILLS = Answer(200, "[]")


def noops(rig: RealRig) -> list[dict[str, Any]]:
    return [one for one in rig.stand_in.received if one["action"] == {"type": "noop"}]


@pytest.mark.parametrize("fault", ["drop_before", "bad_gateway_before", "stall_before", "redirect"])
async def test_what_never_arrived_is_known_as_soon_as_it_is_fenced(
    owner_at_venue: RealRig, fault: Fault
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.faults, began = [fault], rig.clock.ms
    assert states(await rig.decide(intent, 1)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.clock.ms - began == FENCE_AFTER_SECONDS * 1000
    (order,), (noop,) = rig.sent, noops(rig)
    assert (noop["nonce"], signer_of(noop)) == (order["nonce"], rig.agent)
    assert noop["expiresAfter"] == rig.clock.ms + ACTION_SECONDS * 1000


async def test_what_comes_behind_its_fence_is_refused_by_the_venue(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.faults = ["late"]
    assert states(await rig.decide(intent, 1)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    (answer,) = rig.stand_in.deliver()
    assert "duplicate nonce" in answer["response"]
    assert (rig.held(), len(rig.sent), len(noops(rig))) == ("0", 1, 1)


async def test_what_has_landed_is_not_fenced_and_is_found_out(owner_at_venue: RealRig) -> None:
    """It is there and the venue does not show it yet: the noop meets its nonce, which says nothing else."""
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.faults = ["drop_after"]
    rig.stand_in.lies = {"orderStatus": [UNKNOWN] * 6, "userFillsByTime": [NO_FILLS] * 6}
    assert states(await rig.decide(intent, 1)) == (S.EXECUTED, ["filled"])
    assert (rig.held(), len(rig.sent), len(noops(rig))) == ("0.01", 1, 1)


@pytest.mark.parametrize("fault", ["drop_before", "drop_after", "odd_after", "throttled"])
async def test_a_fence_whose_answer_is_lost_is_not_put_again_and_says_nothing(
    owner_at_venue: RealRig, fault: Fault
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.faults, began = ["drop_before", fault], rig.clock.ms
    assert states(await rig.decide(intent, 1)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.clock.ms - began > (ACTION_SECONDS + ACTION_MARGIN_SECONDS) * 1000
    assert (len(rig.sent), len(noops(rig))) == (1, 1)


async def test_an_object_that_dies_behind_its_fence_puts_no_second_one(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    send, rig.stand_in.faults = rig.stand_in.post, ["late"]

    async def dying(path: str, body: str, seconds: float) -> Reply:
        reply = await send(path, body, seconds)
        if json.loads(body).get("action") == {"type": "noop"}:
            raise KeyboardInterrupt
        return reply

    rig.stand_in.post = dying  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        await rig.decide(intent, 1)
    rig.stand_in.post = send  # type: ignore[method-assign]
    rig.reborn()
    await rig.go_on()
    assert states(rig.owner.desk.intent(intent.id)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    rig.stand_in.deliver()
    assert (rig.held(), len(rig.sent), len(noops(rig))) == ("0", 1, 1)


async def test_a_cancel_is_fenced_too(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    resting = await rig.decide(await rig.buy(price="59000", tif="Gtc"), 1)
    await rig.call("hl__cancel_orders", {"order_ids": [resting.lines[0].order_id]})
    rig.stand_in.faults = ["late"]
    done = await rig.decide(rig.pending(), 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["not_placed"])
    rig.stand_in.deliver()
    assert [one.status for one in rig.stand_in.state.orders] == ["open"]


@pytest.mark.parametrize("seconds", [FENCE_AFTER_SECONDS - 1, FENCE_AFTER_SECONDS, ACTION_SECONDS + 1])
async def test_a_fence_has_its_time(owner_at_venue: RealRig, seconds: int) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.dies_in_sending = True
    with pytest.raises(KeyboardInterrupt):
        await rig.decide(intent, 1)
    rig.clock.pass_seconds(seconds)
    await rig.owner.trading.desk._submission.look(rig.owner.desk.intent(intent.id))
    assert len(noops(rig)) == (1 if seconds == FENCE_AFTER_SECONDS else 0)


async def test_another_agent_puts_no_fence_whose_nonces_are_its_own(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.dies_in_sending = True
    with pytest.raises(KeyboardInterrupt):
        await rig.decide(intent, 1)
    second = "5d" * 32
    rig.stand_in.account(ACCOUNT, f"0x{rig.curve.address(bytes.fromhex(second)).hex()}", name="two")
    await rig.connect(key=second)
    rig.reborn()
    await rig.go_on()
    assert states(rig.owner.desk.intent(intent.id)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert noops(rig) == []


async def test_a_fence_is_put_while_trading_is_halted(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.dies_in_sending = True
    with pytest.raises(KeyboardInterrupt):
        await rig.decide(intent, 1)
    rig.owner.trading.settings.set_switch(SwitchState.HALTED)
    rig.reborn()
    await rig.go_on()
    assert (len(noops(rig)), rig.owner.desk.intent(intent.id).state) == (1, S.REJECTED_BY_VENUE)


@pytest.mark.parametrize(("fault", "state"), [("lost_before", "not_placed"), ("lost_after", "filled")])
async def test_on_paper_too(trader: TradingRig, fault: Any, state: str) -> None:
    intent = await trader.buy()
    trader.faults, trader.looks_fail = [fault], 5
    assert states(await trader.decide(intent, 1))[1] == [state]
    assert (len(trader.bodies), len(trader.fences)) == (1, 1)
    assert trader.fences[0]["nonce"] == trader.bodies[0]["nonce"]


@pytest.mark.parametrize(
    ("status", "text", "holds"),
    [
        (200, '{"status": "ok", "response": {"type": "default"}}', True),
        (200, '{"status": "err", "response": "Invalid nonce: duplicate nonce 1"}', False),
        (200, '{"status": "err", "response": "Invalid nonce: nonce too low"}', False),
        (200, '{"status": "ok", "response": {"type": "order", "data": {"statuses": []}}}', False),
        (200, '{"status": "ok"}', False),
        (200, "null", False),
        (200, "[]", False),
        (200, "<html>", False),
        (202, '{"status": "ok", "response": {"type": "default"}}', False),
        (429, "null", False),
        (500, '{"status": "ok", "response": {"type": "default"}}', False),
    ],
)
def test_only_a_plain_yes_is_a_fence(status: int, text: str, *, holds: bool) -> None:
    assert fences(Reply(status, text)) is holds
