"""What was let go and is taken back before it has left: at every place in between, nothing is signed or sent.

The places: approved and not begun, while the markets are read, while the key is opened (both before the
signature), and between the signature and the sending.
"""

from collections.abc import Callable
from typing import Any

import pytest

from contracts.limits import APPROVAL_SECONDS
from contracts.states import IntentState, SwitchState
from contracts.trading import IntentDecision, TradingRules
from tests.unit.durable_objects.bot_owner.venue.real import RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, TradingRig, states
from tests.venue_server.server import Answer

S = IntentState
PLACES = ("approved", "markets", "key", "signed")
RULES = TradingRules(
    enabled=True,
    venues=["paper", "testnet"],
    symbols=["BTC", "ETH"],
    sides=["buy"],
    notional_an_order="1000",
    notional_a_day="1000",
)
NARROWED: dict[str, dict[str, Any]] = {
    "off": {"enabled": False},
    "venue": {"venues": ["mainnet"]},
    "symbol": {"symbols": ["ETH"]},
    "side": {"sides": ["sell"]},
    "order": {"notional_an_order": "600"},
    "day": {"notional_a_day": "600"},
    "size": {"sizes": {"BTC": "0.009"}},
    "hours": {"hours": [9, 10]},
}


class Signatures:
    """Counts what is signed; `happens` takes place once, where it is told."""

    def __init__(self, rig: RealRig, place: str, happens: Callable[[], None]) -> None:
        self.made = 0
        self._rig, self._place, self._happens = rig, place, happens
        self._armed = True
        accounts = rig.owner.trading.accounts
        sign, opened, answer = accounts.sign, accounts._safe.open, rig.stand_in.answer

        async def signing(*arguments: Any) -> Any:
            signature = await sign(*arguments)
            self.made += 1
            self._at("signed")
            return signature

        async def opening(sealed: str, about: str) -> str:
            key = await opened(sealed, about)
            self._at("key")
            return key

        def answering(path: str, text: str) -> Answer:
            if '"meta"' in text and any(one.state is S.APPROVED for one in rig.intents()):
                self._at("markets")
            return answer(path, text)

        accounts.sign = signing  # type: ignore[method-assign,assignment]
        accounts._safe.open = opening  # type: ignore[method-assign]
        rig.stand_in.answer = answering  # type: ignore[method-assign]

    def _at(self, place: str) -> None:
        if self._armed and place == self._place:
            self._armed = False
            self._happens()


def halted(rig: RealRig) -> None:
    rig.owner.trading.settings.set_switch(SwitchState.HALTED)


def reducing(rig: RealRig) -> None:
    rig.owner.trading.settings.set_switch(SwitchState.REDUCING)


def removed(rig: RealRig) -> None:
    trading = rig.owner.trading
    (account,) = trading.accounts.all()

    def write() -> None:
        trading.desk.withdraw_account(account, "account_removed")
        trading.venues.leave(account.id)
        trading.accounts.remove(account.id)

    trading.record.write(write)


def expired(rig: RealRig) -> None:
    rig.context.sql.run("UPDATE trading_accounts SET agent_expires_ms = ?", rig.clock.ms)


def another_agent(rig: RealRig) -> None:
    agent = rig.curve.address(bytes.fromhex("5d" * 32)).hex()
    rig.context.sql.run("UPDATE trading_accounts SET agent_address = ?", f"0x{agent}")


def stopped(rig: RealRig) -> None:
    rig.context.sql.run("UPDATE runs SET stop_asked = 1")


TAKEN_BACK: dict[Callable[[RealRig], None], set[str]] = {
    halted: {"halted"},
    reducing: {"reducing"},
    removed: {"account_removed"},
    # Whatever changes about the key while it is opened is seen by that alone.
    expired: {"agent_expired", "account_changed"},
    # A key is sealed for its own agent and opens for no other.
    another_agent: {"account_changed", "key_unreadable"},
    stopped: {"stopped"},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("happens", TAKEN_BACK, ids=lambda one: one.__name__)
async def test_what_is_taken_back_before_it_has_left_is_not_sent(
    owner_at_venue: RealRig, place: str, happens: Callable[[RealRig], None]
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    signatures = Signatures(rig, place, lambda: happens(rig))
    await rig.owner.desk.decide(intent.id, IntentDecision(digest=intent.digest, approve=[1]))
    if place == "approved":
        happens(rig)
    await rig.go_on()
    await rig.owner.desk.sweep()
    done = rig.owner.desk.intent(intent.id)
    assert states(done) == (S.WITHDRAWN, ["not_sent"])
    assert done.reason in TAKEN_BACK[happens]
    assert rig.stand_in.received == []
    assert signatures.made == (1 if place == "signed" else 0)


@pytest.mark.parametrize("happens", [halted, removed, expired], ids=lambda one: one.__name__)
async def test_what_is_taken_back_while_the_price_is_asked_for_is_not_approved(
    owner_at_venue: RealRig, happens: Callable[[RealRig], None]
) -> None:
    rig = owner_at_venue
    intent = await rig.buy()
    rig.clock.pass_seconds(5)
    answer = rig.stand_in.answer

    def answering(path: str, text: str) -> Answer:
        if '"allMids"' in text:
            happens(rig)
        return answer(path, text)

    rig.stand_in.answer = answering  # type: ignore[method-assign]
    with pytest.raises(Exception, match=r"halted|decided already|not connected|expired"):
        await rig.decide(intent, 1)
    assert rig.owner.desk.intent(intent.id).state in {S.PENDING, S.WITHDRAWN}
    assert rig.stand_in.received == []


@pytest.mark.parametrize("place", PLACES[1:])
@pytest.mark.parametrize("narrowed", NARROWED.values(), ids=NARROWED)
async def test_what_a_rule_let_go_waits_for_the_owner_where_the_rule_was_narrowed(
    owner_at_venue: RealRig, place: str, narrowed: dict[str, Any]
) -> None:
    rig, settings = owner_at_venue, owner_at_venue.owner.trading.settings
    settings.set_rules(RULES)
    narrow = RULES.model_copy(update=narrowed)
    signatures = Signatures(rig, place, lambda: settings.set_rules(narrow))
    run_id = await rig.propose(BUY)
    asked, kept = rig.intents()
    assert (states(kept), kept.reason, kept.by) == ((S.WITHDRAWN, ["not_sent"]), "rules_changed", "rule")
    assert (asked.state, asked.replaces, asked.asked_again) == (S.PENDING, kept.id, "rules_changed")
    assert (asked.digest != kept.digest, rig.run_state(run_id)) == (True, "waiting_approval")
    assert asked.expires_ms == rig.clock.ms + APPROVAL_SECONDS * 1000
    assert rig.stand_in.received == []
    assert signatures.made == (1 if place == "signed" else 0)
    done = await rig.decide(asked, 1)
    assert (states(done), done.by, rig.held()) == ((S.EXECUTED, ["filled"]), "owner", "0.01")
    assert len(rig.sent) == 1


async def test_a_rule_that_was_widened_or_changed_elsewhere_keeps_nothing_back(
    owner_at_venue: RealRig,
) -> None:
    rig, settings = owner_at_venue, owner_at_venue.owner.trading.settings
    settings.set_rules(RULES)
    # What it lets through itself is not counted against it: 600.1 of 601 a day.
    other = RULES.model_copy(update={"symbols": ["BTC"], "notional_a_day": "601"})
    Signatures(rig, "key", lambda: settings.set_rules(other))
    await rig.propose(BUY)
    assert states(rig.newest()) == (S.EXECUTED, ["filled"])


async def test_a_rule_that_is_gone_when_the_object_comes_back_asks_its_owner(trader: TradingRig) -> None:
    trader.owner.trading.settings.set_rules(RULES)
    trader.dies_before_sending = True
    with pytest.raises(KeyboardInterrupt):
        await trader.propose(BUY)
    assert trader.newest().state is S.APPROVED
    trader.owner.trading.settings.set_rules(RULES.model_copy(update={"symbols": ["ETH"]}))
    trader.reborn()
    await trader.go_on()
    asked = trader.pending()
    assert asked.asked_again == "rules_changed"
    assert trader.bodies == []
    declined = await trader.decide(asked)
    assert declined.state is S.DECLINED
    assert trader.run_state(asked.source.run_id) == "done"


async def test_a_cancel_that_a_rule_let_go_waits_for_the_owner_too(trader: TradingRig) -> None:
    settings = trader.owner.trading.settings
    resting = await trader.decide(await trader.buy(price="59000", tif="Gtc"), 1)
    settings.set_rules(RULES)
    trader.dies_before_sending = True
    arguments = {"order_ids": [resting.lines[0].order_id]}
    with pytest.raises(KeyboardInterrupt):
        await trader.call("hl__cancel_orders", arguments)
    settings.set_rules(TradingRules())
    trader.reborn()
    await trader.go_on()
    asked = trader.pending()
    assert (asked.kind, asked.lines[0].order_id) == ("cancel", resting.lines[0].order_id)
    assert states(await trader.decide(asked, 1)) == (S.EXECUTED, ["cancelled"])


async def test_where_it_cannot_be_shown_anew_the_model_is_told(owner_at_venue: RealRig) -> None:
    rig, settings = owner_at_venue, owner_at_venue.owner.trading.settings
    settings.set_rules(RULES)

    def happens() -> None:
        settings.set_rules(TradingRules())
        rig.clock.pass_seconds(61)
        rig.stand_in.lies["allMids"] = [Answer(502, "")] * 9

    Signatures(rig, "key", happens)
    run_id = await rig.propose(BUY)
    (kept,) = rig.intents()
    assert (states(kept), kept.reason) == ((S.WITHDRAWN, ["not_sent"]), "rules_changed")
    assert "does not allow it any more" in rig.results()[-1]["text"]
    assert (rig.run_state(run_id), rig.stand_in.received) == ("done", [])
