"""Orders at the stand-in exchange, on bad days: sent once, found out, and told as they are."""

import json
from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ACTION_MARGIN_SECONDS, ACTION_SECONDS
from contracts.states import IntentState, SwitchState
from contracts.trading import Intent
from tests.unit.durable_objects.bot_owner.venue.real import ACCOUNT, RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, states
from tests.venue_server.exchange import signer_of
from tests.venue_server.server import Answer, Fault

S = IntentState


async def test_what_was_shown_is_what_arrives_signed_and_once(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    (line,) = intent.lines
    assert (intent.venue, intent.network, intent.account) == ("hyperliquid", "testnet", ACCOUNT)
    # By the leverage that the account has set, and not by the most that the market allows.
    assert (line.notional, line.margin, line.fee) == ("600.1", "30.005", "0.270045")
    done = await rig.decide(intent, 1)
    assert states(done) == (S.EXECUTED, ["filled"])
    assert (done.outcomes[0].filled, done.outcomes[0].price) == ("0.01", "60001")
    (body,) = rig.sent
    assert body["action"]["orders"] == [
        {"a": 0, "b": True, "p": "60010", "s": "0.01", "r": False, "t": {"limit": {"tif": "Ioc"}},
         "c": line.order_id}
    ]  # fmt: skip
    assert signer_of(body) == rig.agent
    assert body["expiresAfter"] == body["nonce"] + ACTION_SECONDS * 1000


# What is lost before it took effect, and after.
LOST: list[Fault] = ["stall_before", "drop_before", "bad_gateway_before", "redirect"]
LANDED: list[Fault] = ["stall_after", "drop_after", "bad_gateway_after", "odd_after", "null_after"]


@pytest.mark.parametrize("fault", LANDED)
async def test_an_answer_that_is_lost_is_found_out(owner_at_venue: RealRig, fault: Fault) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = [fault]
    done = await rig.decide(await rig.buy(), 1)
    assert states(done) == (S.EXECUTED, ["filled"])
    assert (len(rig.sent), rig.held()) == (1, "0.01")


@pytest.mark.parametrize("fault", LOST)
async def test_an_action_that_never_arrived_is_told_when_it_can_come_no_more(
    owner_at_venue: RealRig, fault: Fault
) -> None:
    rig = owner_at_venue
    # What would have fenced it is lost as well.
    rig.stand_in.faults = [fault, fault]
    intent = await rig.buy()
    began = rig.clock.ms
    done = await rig.decide(intent, 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.clock.ms - began > (ACTION_SECONDS + ACTION_MARGIN_SECONDS) * 1000
    assert (len(rig.sent), rig.held()) == (1, "0")
    # Nobody followed the redirect.
    assert rig.stand_in.elsewhere == []


async def test_a_429_is_no_order(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = ["throttled"]
    done = await rig.decide(await rig.buy(), 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["rejected"])
    assert (len(rig.sent), rig.held()) == (1, "0")


@pytest.mark.parametrize(
    "lie",
    [Answer(502, "<html>"), Answer(200, "null"), Answer(200, ""), Answer(429, "null"),
     Answer(200, "", "stall"), Answer(200, '{"status":"order"}'), Answer(200, "x" * 100)],
)  # fmt: skip
async def test_a_look_that_fails_tells_nothing_and_is_done_again(
    owner_at_venue: RealRig, lie: Answer
) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = ["drop_after"]
    rig.stand_in.lies["orderStatus"] = [lie, lie]
    done = await rig.decide(await rig.buy(), 1)
    assert states(done) == (S.EXECUTED, ["filled"])
    assert len(rig.sent) == 1


async def test_while_it_is_unknown_nothing_is_sent_again(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = ["stall_after"]
    rig.stand_in.lies["orderStatus"] = [Answer(502, "")] * 100
    intent = await rig.buy()
    done = await rig.decide(intent, 1)
    assert states(done) == (S.UNKNOWN, ["unknown"])
    assert rig.results()[-1]["error"]["code"] == "venue_unknown"
    with pytest.raises(BerthError) as caught:
        await rig.decide(intent, 1)
    assert caught.value.code == ErrorCode.ALREADY_DECIDED
    rig.stand_in.lies.clear()
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    assert states(rig.owner.desk.intent(intent.id)) == (S.EXECUTED, ["filled"])
    assert len(rig.sent) == 1


async def test_unknown_and_not_known_to_the_venue_is_not_placed_only_when_its_fills_say_so_too(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = ["drop_after"]
    # A busy account: the venue has forgotten the order, and its fills are out of reach for a while.
    rig.stand_in.lies["orderStatus"] = [Answer(200, '{"status":"unknownOid"}')] * 100
    rig.stand_in.lies["userFillsByTime"] = [Answer(502, "")] * 6
    done = await rig.decide(await rig.buy(), 1)
    assert states(done) == (S.EXECUTED, ["filled"])
    assert done.outcomes[0].price == "60001"


async def test_a_partial_fill_of_an_ioc_order_says_its_size_and_the_rest_is_gone(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    rig.stand_in.state.coins["BTC"].depth = rig.stand_in.state.coins["BTC"].depth * 0 + 4
    done = await rig.decide(await rig.buy(size="0.01"), 1)
    assert done.state is S.EXECUTED
    big = await rig.decide(await rig.buy(size="10"), 1)
    assert states(big) == (S.PARTIALLY_EXECUTED, ["partly_filled"])
    assert big.outcomes[0].filled == "4"
    assert "partly filled, filled 4" in rig.results()[-1]["text"]


async def test_what_rests_is_followed_through_its_fills_to_its_end(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.state.coins["BTC"].depth = rig.stand_in.state.coins["BTC"].depth * 0 + 4
    done = await rig.decide(await rig.buy(size="10", tif="Gtc"), 1)
    assert states(done) == (S.EXECUTED, ["resting"])
    assert done.outcomes[0].filled == "4"
    assert rig.rings[-1] == rig.clock.ms + 60_000
    rig.stand_in.state.move("BTC", "59000")
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    (outcome,) = rig.owner.desk.intent(done.id).outcomes
    assert (outcome.state, outcome.filled, outcome.price) == ("filled", "10", "60006.4")
    shown = [one["outcomes"][0]["state"] for one in rig.events("intent.updated")]
    assert shown == ["proposed", "resting", "filled"]


async def test_what_rests_and_is_cancelled_elsewhere_says_so(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    done = await rig.decide(await rig.buy(price="59000", tif="Gtc"), 1)
    assert states(done) == (S.EXECUTED, ["resting"])
    order = rig.stand_in.state.orders[-1]
    rig.stand_in.state.end(order, "marginCanceled")
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    (outcome,) = rig.owner.desk.intent(done.id).outcomes
    assert (outcome.state, outcome.error) == ("cancelled", "marginCanceled")


async def test_a_resting_order_is_cancelled_by_its_own_id(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    placed = await rig.decide(await rig.buy(price="59000", tif="Gtc"), 1)
    rig.clock.pass_seconds(5)
    await rig.call("hl__cancel_orders", {"order_ids": [placed.lines[0].order_id]})
    done = await rig.decide(rig.pending(), 1)
    assert states(done) == (S.EXECUTED, ["cancelled"])
    assert rig.sent[-1]["action"] == {
        "type": "cancelByCloid", "cancels": [{"asset": 0, "cloid": placed.lines[0].order_id}],
    }  # fmt: skip


async def test_an_order_made_elsewhere_is_shown_and_not_cancelled_from_here(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    await rig.decide(await rig.buy(price="59000", tif="Gtc"), 1)
    rig.stand_in.state.orders[-1].cloid = None
    rig.clock.pass_seconds(5)
    await rig.call("hl__get_account", {})
    assert "Open order made elsewhere: buy 0.01 BTC at 59000" in rig.results()[-1]["text"]


async def test_an_agent_that_was_removed_at_the_venue_places_nothing(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    del rig.stand_in.state.agents[rig.agent]
    done = await rig.decide(intent, 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["rejected"])
    assert "does not exist" in done.outcomes[0].error


async def test_a_nonce_that_was_used_is_no_proof_that_it_failed(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.state.nonces[rig.agent] = {rig.clock.ms}
    done = await rig.decide(intent, 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.held() == "0"


async def test_an_action_that_comes_too_late_is_refused_by_the_venue(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    ours = rig.clock.ms
    rig.stand_in.state.now_ms = lambda: ours + (ACTION_SECONDS + 1) * 1000
    done = await rig.decide(intent, 1)
    assert states(done) == (S.REJECTED_BY_VENUE, ["rejected"])
    assert "expired" in done.outcomes[0].error


async def test_nonces_go_up_while_the_clock_stands_still(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    for _ in range(3):
        await rig.decide(await rig.buy(), 1)
    nonces = [one["nonce"] for one in rig.sent]
    assert nonces == sorted(set(nonces))
    assert rig.held() == "0.03"


async def silent(rig: RealRig, kind: str) -> Intent:
    """Approve while the venue does not answer one kind of question any more."""
    intent = await rig.buy()
    rig.stand_in.lies[kind] = [Answer(200, "", "stall")] * 50
    rig.clock.pass_seconds(1)
    return await rig.decide(intent, 1)


async def test_where_the_markets_cannot_be_read_before_sending_nothing_is_sent(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    done = await silent(rig, "meta")
    assert states(done) == (S.WITHDRAWN, ["not_sent"])
    assert done.reason == "venue_unavailable"
    assert rig.sent == []
    assert "nothing was sent" in rig.results()[-1]["text"]


async def test_a_price_that_cannot_be_read_again_approves_nothing(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.lies["allMids"] = [Answer(502, "")]
    rig.clock.pass_seconds(5)
    with pytest.raises(BerthError) as caught:
        await rig.decide(intent, 1)
    assert caught.value.code == ErrorCode.VENUE_UNAVAILABLE
    assert rig.pending() == intent
    assert (await rig.decide(intent, 1)).state is S.EXECUTED


async def test_a_market_that_is_gone_when_it_is_approved_is_not_sent(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.stand_in.state.coins["BTC"].delisted = True
    rig.clock.pass_seconds(61)
    with pytest.raises(BerthError, match="no market BTC"):
        await rig.decide(intent, 1)
    assert rig.sent == []


async def test_a_switch_that_is_thrown_while_the_body_is_made_keeps_it_back(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    answer = rig.stand_in.answer

    def halting(path: str, text: str) -> Answer:
        if '"meta"' in text:
            rig.owner.trading.settings.set_switch(SwitchState.HALTED)
        return answer(path, text)

    rig.stand_in.answer = halting  # type: ignore[method-assign]
    done = await rig.decide(intent, 1)
    assert states(done) == (S.WITHDRAWN, ["not_sent"])
    assert done.reason == "halted"
    assert rig.sent == []


async def test_an_account_that_is_removed_while_the_body_is_made_sends_nothing(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    answer = rig.stand_in.answer

    def removing(path: str, text: str) -> Answer:
        if '"meta"' in text:
            trading = rig.owner.trading
            (account,) = trading.accounts.all()
            trading.record.write(lambda: trading.desk.withdraw_account(account, "account_removed"))
        return answer(path, text)

    rig.stand_in.answer = removing  # type: ignore[method-assign]
    done = await rig.decide(intent, 1)
    assert states(done) == (S.WITHDRAWN, ["not_sent"])
    assert rig.sent == []


async def test_an_object_that_dies_in_sending_finds_out_and_sends_nothing_again(
    owner_at_venue: RealRig,
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.dies_in_sending = True
    with pytest.raises(KeyboardInterrupt):
        await rig.decide(intent, 1)
    rig.reborn()
    await rig.go_on()
    assert states(rig.owner.desk.intent(intent.id)) == (S.REJECTED_BY_VENUE, ["not_placed"])
    assert rig.sent == []


@pytest.mark.parametrize("shape", [{"filled": {"totalSz": "5", "avgPx": "60001", "oid": 1}}, "success", "x"])
async def test_an_answer_that_does_not_fit_the_order_is_looked_up(
    owner_at_venue: RealRig, shape: Any
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    answer = rig.stand_in.answer

    def lying(path: str, text: str) -> Answer:
        told = answer(path, text)
        if path != "/exchange":
            return told
        body = {"status": "ok", "response": {"type": "order", "data": {"statuses": [shape]}}}
        return Answer(200, json.dumps(body))

    rig.stand_in.answer = lying  # type: ignore[method-assign]
    done = await rig.decide(intent, 1)
    assert states(done) == (S.EXECUTED, ["filled"])
    assert done.outcomes[0].filled == "0.01"


async def test_a_batch_is_known_line_by_line(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    sell = {"symbol": "SOL", "side": "sell", "size": "2", "price": "120", "tif": "Ioc"}
    far = {**BUY, "price": "50000"}
    await rig.propose(BUY, far, sell)
    rig.stand_in.faults = ["bad_gateway_after"]
    done = await rig.decide(rig.pending(), 1, 2, 3)
    assert states(done) == (S.PARTIALLY_EXECUTED, ["filled", "rejected", "filled"])
    assert done.outcomes[1].error == "iocCancelRejected"
    assert len(rig.sent) == 1


async def test_what_rests_untouched_costs_one_list_however_many_they_are(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    await rig.propose(*({**BUY, "price": str(59_000 - n), "tif": "Gtc"} for n in range(9)))
    done = await rig.decide(rig.pending(), *range(1, 10))
    assert states(done) == (S.EXECUTED, ["resting"] * 9)
    rig.stand_in.questions.clear()
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    assert [one["type"] for one in rig.stand_in.questions] == ["frontendOpenOrders"]
    rig.stand_in.state.move("BTC", "58995")
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    found = states(rig.owner.desk.intent(done.id))
    assert found == (S.EXECUTED, ["filled"] * 5 + ["resting"] * 4)


async def test_an_approval_whose_run_broke_is_withdrawn(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    intent = await rig.buy()

    async def broken(*_: Any, **_more: Any) -> Any:
        raise ZeroDivisionError

    rig.owner.trading.accounts.sign = broken  # type: ignore[method-assign]
    with pytest.raises(ZeroDivisionError):
        await rig.decide(intent, 1)
    rig.owner.journal.ask_stop(intent.source.run_id)
    await rig.owner.desk.sweep()
    assert states(rig.owner.desk.intent(intent.id)) == (S.WITHDRAWN, ["not_sent"])
    assert rig.sent == []


async def test_after_a_429_to_an_action_nothing_is_read_for_a_while(owner_at_venue: RealRig) -> None:
    rig = owner_at_venue
    rig.stand_in.faults = ["throttled"]
    await rig.decide(await rig.buy(), 1)
    await rig.call("hl__get_account", {})
    assert rig.results()[-1]["error"]["code"] == "venue_throttled"
    rig.clock.pass_seconds(10)
    await rig.call("hl__get_account", {})
    assert "Value" in rig.results()[-1]["text"]
