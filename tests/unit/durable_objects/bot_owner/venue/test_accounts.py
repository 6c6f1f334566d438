"""Connecting an account: whose key it is, until when it may trade, and that it stays inside."""

from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import TRADING_ACCOUNTS_MAX
from contracts.states import IntentState
from contracts.trading import TradingAccountConnect, TradingVenue
from durable_objects.bot_owner.venue.accounts import ORDER
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.curve import NodeCurve
from tests.unit.durable_objects.bot_owner.venue.real import ACCOUNT, KEY, OTHER, RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, states
from tests.unit.durable_objects.conftest import Clock
from tests.venue_server.state import Agent

S = IntentState
DAY_MS = 86_400_000


@pytest.fixture
def rig(context: Context, clock: Clock, curve: NodeCurve) -> RealRig:
    return RealRig(context, clock, curve)


async def why_not(rig: RealRig, **wanted: Any) -> str:
    with pytest.raises(BerthError) as caught:
        await rig.connect(**wanted)
    assert caught.value.code == ErrorCode.INVALID_REQUEST
    assert rig.owner.trading.accounts.all() == []
    assert KEY not in str(caught.value)
    assert caught.value.details
    return str(caught.value.details["reason"])


async def test_an_account_with_its_agents_key_is_shown_without_it(rig: RealRig) -> None:
    until = rig.clock.ms + 90 * DAY_MS
    account = await rig.connect()
    assert account.model_dump() == {
        "id": account.id, "network": "testnet", "address": ACCOUNT, "agent_address": rig.agent,
        "agent_expires_ms": until, "watch_only": False, "connected_ms": rig.clock.ms,
    }  # fmt: skip
    assert rig.owner.trading.accounts.all() == [account]
    assert rig.owner.trading.settings.shown().account == ACCOUNT
    assert rig.owner.trading.settings.shown().account_id == account.id


@pytest.mark.parametrize("key", [f"0x{KEY}", KEY.upper(), f"0x{KEY.upper()}"])
async def test_a_key_is_the_same_however_it_is_written(rig: RealRig, key: str) -> None:
    assert (await rig.connect(key=key)).agent_address == rig.agent


async def test_an_address_is_the_same_however_it_is_written(rig: RealRig) -> None:
    assert (await rig.connect("0x" + "A1" * 20)).address == ACCOUNT
    assert len(rig.owner.trading.accounts.all()) == 1


async def test_the_key_is_sealed_at_rest(rig: RealRig) -> None:
    await rig.connect()
    tables = rig.context.sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    kept = [rig.context.sql.execute(f'SELECT * FROM "{one["name"]}"') for one in tables]  # noqa: S608
    assert KEY not in str(kept).lower()
    (row,) = rig.context.sql.execute("SELECT agent_key FROM trading_accounts")
    assert row["agent_key"].startswith("v1.k1.")


async def test_watching_needs_no_key_and_orders_nothing(rig: RealRig) -> None:
    account = await rig.connect(key=None)
    assert (account.watch_only, account.agent_address, account.agent_expires_ms) == (True, None, None)
    await rig.call("hl__get_account", {})
    assert "Value 10000 USDC" in rig.results()[-1]["text"]
    assert "watch-only" in rig.results()[-1]["text"]
    await rig.propose(BUY)
    assert rig.results()[-1]["error"]["code"] == "forbidden"
    assert "watch-only" in rig.results()[-1]["error"]["message"]
    assert rig.intents() == []


async def test_what_is_no_account_or_no_agent_of_it_is_told_apart(rig: RealRig) -> None:
    known = rig.stand_in.state
    assert await why_not(rig, address=OTHER) == "unknown_address"
    assert await why_not(rig, address=OTHER, key=None) == "unknown_address"
    assert await why_not(rig, address=rig.agent, key=None) == "agent_address"
    assert await why_not(rig, key="4d" * 32) == "unknown_agent"
    assert await why_not(rig, key="00" * 32) == "bad_key"
    assert await why_not(rig, key=f"{ORDER:064x}") == "bad_key"
    assert await why_not(rig, key="ff" * 32) == "bad_key"
    known.accounts[OTHER] = known.accounts[ACCOUNT]
    assert await why_not(rig, address=OTHER) == "other_account"


async def test_the_key_of_an_account_itself_is_refused(rig: RealRig) -> None:
    known = rig.stand_in.state
    del known.agents[rig.agent]
    assert await why_not(rig, address=rig.agent) == "account_key"
    known.accounts[rig.agent] = known.accounts[ACCOUNT]
    assert await why_not(rig) == "account_key"


async def test_sub_accounts_and_vaults_are_watched_only(rig: RealRig) -> None:
    rig.stand_in.state.roles[OTHER] = "subAccount"
    assert await why_not(rig, address=OTHER) == "sub_account"
    assert (await rig.connect(OTHER, None)).watch_only


async def test_an_agent_that_has_expired_is_refused_and_one_that_expires_stops(rig: RealRig) -> None:
    agent = rig.stand_in.state.agents[rig.agent]
    agent.valid_until = rig.clock.ms
    assert await why_not(rig) == "agent_expired"
    agent.valid_until = rig.clock.ms + 60_000
    await rig.connect()
    intent = await rig.buy()
    rig.clock.pass_seconds(59)
    assert (await rig.decide(intent, 1)).state is S.EXECUTED
    rig.clock.pass_seconds(1)
    await rig.propose(BUY)
    assert "expired" in rig.results()[-1]["error"]["message"]


async def test_an_agent_that_expires_while_its_order_waits_signs_nothing(rig: RealRig) -> None:
    rig.stand_in.state.agents[rig.agent].valid_until = rig.clock.ms + 60_000
    await rig.connect()
    intent = await rig.buy()
    rig.clock.pass_seconds(60)
    with pytest.raises(BerthError, match="expired"):
        await rig.decide(intent, 1)
    assert rig.sent == []


async def test_an_agent_without_a_name_has_no_end(rig: RealRig) -> None:
    rig.stand_in.state.agents[rig.agent] = Agent(ACCOUNT)
    assert (await rig.connect()).agent_expires_ms is None


async def test_connected_again_an_account_keeps_its_id_and_has_the_newest_key(rig: RealRig) -> None:
    watched = await rig.connect(key=None)
    trading = await rig.connect()
    assert (trading.id, trading.watch_only, trading.connected_ms) == (watched.id, False, watched.connected_ms)
    assert rig.owner.trading.accounts.all() == [trading]


async def test_accounts_have_a_limit(rig: RealRig) -> None:
    for number in range(TRADING_ACCOUNTS_MAX):
        address = f"0x{number:040x}"
        rig.stand_in.state.accounts[address] = rig.stand_in.state.accounts[ACCOUNT]
        rig.clock.pass_seconds(60)
        await rig.connect(address, None)
    with pytest.raises(BerthError) as caught:
        await rig.connect()
    assert caught.value.details == {"reason": "too_many"}
    # One that is there already is not one more.
    assert (await rig.connect(f"0x{0:040x}", None)).watch_only


async def test_without_a_sandbox_no_key_is_taken(rig: RealRig) -> None:
    rig.sandboxed = False
    rig.reborn()
    with pytest.raises(BerthError, match="sandbox") as caught:
        await rig.connect()
    assert caught.value.code == ErrorCode.FORBIDDEN
    assert (await rig.connect(key=None)).watch_only


async def test_a_key_that_does_not_open_any_more_signs_nothing(rig: RealRig) -> None:
    await rig.connect()
    intent = await rig.buy()
    rig.context.sql.run("UPDATE trading_accounts SET agent_key = 'v1.k1.AAAA.AAAA'")
    done = await rig.decide(intent, 1)
    assert states(done) == (S.WITHDRAWN, ["not_sent"])
    assert done.reason == "key_unreadable"
    assert "Connect the account again" in rig.results()[-1]["text"]
    assert rig.sent == []


async def test_a_sealed_key_moved_to_another_account_opens_nothing(rig: RealRig) -> None:
    await rig.connect()
    intent = await rig.buy()
    rig.context.sql.run("UPDATE trading_accounts SET agent_address = ?", OTHER)
    assert (await rig.decide(intent, 1)).state is S.WITHDRAWN
    assert rig.sent == []


async def test_a_deployment_on_another_network_signs_nothing_for_an_account(rig: RealRig) -> None:
    await rig.connect()
    intent = await rig.buy()
    rig.context.sql.run("UPDATE trading_accounts SET network = 'mainnet'")
    assert rig.owner.desk.venues.active.refusal() == "other_network"
    with pytest.raises(BerthError, match="not connected"):
        await rig.decide(intent, 1)
    assert rig.owner.trading.accounts.addresses() == []
    assert rig.sent == []


@pytest.mark.parametrize(
    "fields",
    [{"address": "0x12"}, {"address": ACCOUNT + "0"}, {"address": ACCOUNT[2:]}, {"address": f"{ACCOUNT}\n"},
     {"address": ACCOUNT, "agent_key": "4c" * 31}, {"address": ACCOUNT, "agent_key": "xy" * 32},
     {"address": ACCOUNT, "agent_key": ""}, {"address": ACCOUNT, "agent_key": "4c" * 32 + "\n"}],
)  # fmt: skip
def test_what_is_no_address_or_no_key_is_refused_without_repeating_it(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        TradingAccountConnect(**fields)
    assert "4c4c" not in str(caught.value)


def test_a_key_that_came_in_is_not_printed() -> None:
    wanted = TradingAccountConnect(address=ACCOUNT, agent_key=SecretStr(KEY))
    assert KEY not in f"{wanted!r} {wanted} {wanted.model_dump_json()}"


async def test_keys_are_sealed_anew_under_a_new_key_encryption_key(rig: RealRig) -> None:
    await rig.connect()
    rig.ring = {"k2": b"n" * 32, "k1": b"k" * 32}
    rig.reborn()
    await rig.owner.trading.accounts.seal_anew()
    (row,) = rig.context.sql.execute("SELECT agent_key FROM trading_accounts")
    assert row["agent_key"].startswith("v1.k2.")
    rig.ring = {"k2": b"n" * 32}
    rig.reborn()
    intent = await rig.buy()
    assert (await rig.decide(intent, 1)).state is S.EXECUTED


async def test_the_venue_is_chosen_and_what_was_proposed_before_stays_with_its_own(rig: RealRig) -> None:
    account = await rig.connect()
    intent = await rig.buy()
    rig.owner.trading.venues.choose(TradingVenue(venue="paper"))
    assert rig.owner.trading.settings.shown().venue == "paper"
    assert rig.owner.trading.settings.shown().account_id is None
    done = await rig.decide(intent, 1)
    assert (done.state, done.account, rig.held()) == (S.EXECUTED, ACCOUNT, "0.01")
    assert (await rig.owner.desk.venues.active.account()).positions == ()
    for wanted, code in (
        (TradingVenue(venue="hyperliquid"), ErrorCode.INVALID_REQUEST),
        (TradingVenue(venue="hyperliquid", account_id="acc_x"), ErrorCode.NOT_FOUND),
    ):
        with pytest.raises(BerthError) as caught:
            rig.owner.trading.venues.choose(wanted)
        assert caught.value.code == code
    rig.owner.trading.venues.choose(TradingVenue(venue="hyperliquid", account_id=account.id))
    assert rig.owner.trading.settings.shown().network == "testnet"


async def test_an_intent_is_signed_for_by_its_own_account_and_no_other(rig: RealRig) -> None:
    await rig.connect()
    intent = await rig.buy()
    second = "5d" * 32
    agent = f"0x{rig.curve.address(bytes.fromhex(second)).hex()}"
    rig.stand_in.account(OTHER, agent)
    await rig.connect(OTHER, second)
    assert rig.owner.trading.settings.shown().account == OTHER
    await rig.decide(intent, 1)
    assert rig.held() == "0.01"
    assert rig.stand_in.state.positions(OTHER) == {}


async def test_removing_an_account_withdraws_what_waits_for_it_and_trades_on_paper(rig: RealRig) -> None:
    account = await rig.connect()
    run_id = await rig.propose(BUY)
    intent = rig.pending()
    trading = rig.owner.trading

    def removed() -> None:
        trading.desk.withdraw_account(account, "account_removed")
        trading.venues.leave(account.id)
        trading.accounts.remove(account.id)

    trading.record.write(removed)
    await rig.go_on()
    assert states(rig.newest()) == (S.WITHDRAWN, ["not_sent"])
    assert rig.newest().reason == "account_removed"
    assert rig.run_state(run_id) == "done"
    assert trading.settings.shown().venue == "paper"
    assert trading.accounts.addresses() == []
    with pytest.raises(BerthError) as caught:
        await rig.decide(intent, 1)
    assert caught.value.code == ErrorCode.ALREADY_DECIDED
    # The same key again has no nonce that it has had.
    await rig.connect()
    again = await rig.buy()
    assert (await rig.decide(again, 1)).state is S.EXECUTED


async def test_an_order_of_an_account_that_went_is_still_followed(rig: RealRig) -> None:
    account = await rig.connect()
    intent = await rig.buy(tif="Gtc", price="59000")
    resting = await rig.decide(intent, 1)
    assert states(resting) == (S.EXECUTED, ["resting"])
    rig.owner.trading.venues.leave(account.id)
    rig.owner.trading.accounts.remove(account.id)
    rig.stand_in.state.move("BTC", "58000")
    rig.clock.pass_seconds(60)
    await rig.owner.desk.sweep()
    assert states(rig.owner.desk.intent(intent.id)) == (S.EXECUTED, ["filled"])


async def test_an_account_that_changes_while_its_key_is_opened_signs_nothing(rig: RealRig) -> None:
    await rig.connect()
    intent, accounts = await rig.buy(), rig.owner.trading.accounts
    safe = accounts._safe
    opened = safe.open

    async def slow(sealed: str, about: str) -> str:
        key = await opened(sealed, about)
        rig.context.sql.run("UPDATE trading_accounts SET agent_expires_ms = agent_expires_ms + 1")
        return key

    safe.open = slow  # type: ignore[method-assign]
    done = await rig.decide(intent, 1)
    assert (done.state, done.reason, rig.sent) == (S.WITHDRAWN, "account_changed", [])
