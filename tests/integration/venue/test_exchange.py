"""Orders at a stand-in of the exchange, from workerd and back: whoever clicks, none or one arrives."""

import asyncio
import os

import pytest

from contracts.limits import FENCE_AFTER_SECONDS, VENUE_ANSWER_BYTES_MAX
from local.stack import LocalStack
from tests.integration.chat.person import Person, ended, of
from tests.integration.faults import Faults
from tests.integration.nemesis.client import Client
from tests.integration.venue.trader import ORDER, Trader, states, waiting
from tests.integration.waiting import until
from tests.venue_server.exchange import signer_of
from tests.venue_server.server import HTML, Answer, Gate

# Kill workerd at each write of an approval, which takes many minutes, and not only where it matters most. On
# CPython the object dies at each statement.
EACH_KILLS = os.environ.get("BERTH_KILL_AT_EACH_WRITE") == "1"
# It has a nonce and no body yet; its body is stored and nothing has left; its outcome is written down.
PLACES = (
    ("evict", "INTO nonces", 1),
    ("kill_after", "UPDATE intents SET sent", 1),
    ("evict", "UPDATE intents SET state", 3),
)
DEATHS_MAX = 60
LATER_MS = 90_000


async def test_accounts_are_connected_chosen_and_removed(trader: Trader) -> None:
    person = trader.person
    assert trader.account == {
        "id": trader.account["id"], "network": "testnet", "address": trader.address,
        "agent_address": trader.agent, "watch_only": False,
        "agent_expires_ms": trader.venue.state.agents[trader.agent].valid_until,
        "connected_ms": trader.account["connected_ms"],
    }  # fmt: skip
    assert (await person.get("/api/trading/accounts"))["items"] == [trader.account]
    shown = await person.get("/api/trading")
    assert (shown["venue"], shown["network"], shown["account"]) == ("hyperliquid", "testnet", trader.address)
    assert shown["account_id"] == trader.account["id"]
    wrong = {"address": trader.address, "agent_key": "4d" * 32}
    refused = await person.post("/api/trading/accounts", wrong, expect=422)
    assert (refused["code"], refused["details"]) == ("invalid_request", {"reason": "unknown_agent"})
    thread = await person.thread()
    async with thread.watched() as watch:
        run_id, intent = await trader.proposed(thread, watch)
        await person.ask("DELETE", f"/api/trading/accounts/{trader.account['id']}", expect=204)
        await watch.until(ended(run_id))
    gone = await person.get(f"/api/approvals/{intent['id']}")
    assert (states(gone), gone["reason"]) == (("withdrawn", ["not_sent"]), "account_removed")
    assert trader.arrived(intent) == 0
    shown = await person.get("/api/trading")
    assert (shown["venue"], shown["account_id"]) == ("paper", None)
    kinds = [one["kind"] for one in (await person.get("/api/audit"))["items"]]
    of_trading = sorted(kind for kind in kinds if kind.startswith("trading"))
    assert of_trading == ["trading_account_connected", "trading_account_removed", "trading_venue"]
    await person.ask("PUT", "/api/trading/venue", expect=422, json={"venue": "hyperliquid"})


async def test_clicks_replays_and_strangers_send_one_order_that_the_agent_signed(
    trader: Trader, venue_stack: LocalStack
) -> None:
    thread = await trader.person.thread()
    async with thread.watched() as watch:
        run_id, intent = await trader.proposed(thread, watch)
        async with Person.at(venue_stack) as stranger:
            assert (await trader.decide(intent, 1, expect=404, by=stranger))["code"] == "not_found"
        stale = await trader.decide(intent | {"digest": "0" * 64}, 1, expect=409)
        assert stale["code"] == "approval_changed"
        assert trader.arrived(intent) == 0
        clicks = [trader.decide(intent, 1) for _ in range(4)]
        results = await asyncio.gather(*clicks, return_exceptions=True)
        await watch.until(ended(run_id))
    refused = [str(one) for one in results if isinstance(one, AssertionError)]
    assert (len(refused), all("already_decided" in one for one in refused)) == (3, True)
    for lines in ((1,), ()):
        assert (await trader.decide(intent, *lines, expect=409))["code"] == "already_decided"
    done = await trader.person.get(f"/api/approvals/{intent['id']}")
    assert states(done) == ("executed", ["filled"])
    assert (trader.arrived(intent), trader.held()) == (1, "0.01")
    (body,) = [one for one in trader.venue.received if signer_of(one) == trader.agent]
    assert body["action"]["orders"][0]["p"] == "70000"


async def test_too_late_or_changed_since_it_was_shown_sends_nothing(trader: Trader, faults: Faults) -> None:
    thread = await trader.person.thread()
    async with thread.watched() as watch:
        _, late = await trader.proposed(thread, watch)
        await faults.clock(16 * 60_000)
        assert (await trader.decide(late, 1, expect=409))["code"] == "approval_expired"
        await watch.until(lambda event: event["type"] == "run.status" and event["data"]["state"] == "done")
        await faults.clock(0)
        run_id, shown = await trader.proposed(thread, watch)
        eth = trader.venue.state.coins["BTC"]
        before, eth.mid = eth.mid, eth.mid * 103 / 100
        # What was read a moment ago is not read again for two seconds.
        await faults.clock(10_000)
        moved = await trader.decide(shown, 1, expect=409)
        eth.mid = before
        assert moved["code"] == "approval_changed"
        assert (await trader.decide(shown, 1, expect=409))["code"] == "already_decided"
        fresh = await trader.person.get(f"/api/approvals/{moved['details']['intent_id']}")
        assert (fresh["replaces"], fresh["state"]) == (shown["id"], "pending")
        await trader.decide(fresh)
        await watch.until(ended(run_id))
    assert [trader.arrived(one) for one in (late, shown, fresh)] == [0, 0, 0]


async def test_what_is_taken_back_while_it_is_made_ready_is_not_sent(trader: Trader) -> None:
    person, thread = trader.person, await trader.person.thread()

    async def halt() -> None:
        await person.ask("PUT", "/api/trading/switch", expect=200, json={"state": "halted"})

    async def remove() -> None:
        await person.ask("DELETE", f"/api/trading/accounts/{trader.account['id']}", expect=204)

    for happens, reason in ((halt, "halted"), (remove, "account_removed")):
        async with thread.watched(await thread.head()) as watch:
            run_id, intent = await trader.proposed(thread, watch)
            # The last question before the signature.
            gate = trader.venue.gates["meta"] = Gate()
            await trader.decide(intent, 1)
            await gate.reached.wait()
            await happens()
            del trader.venue.gates["meta"]
            gate.opened.set()
            await watch.until(ended(run_id))
        gone = await person.get(f"/api/approvals/{intent['id']}")
        assert (states(gone), gone["reason"]) == (("withdrawn", ["not_sent"]), reason)
        assert trader.arrived(intent) == 0
        await person.ask("PUT", "/api/trading/switch", expect=200, json={"state": "active"})


async def test_a_rule_that_is_narrowed_while_it_is_made_ready_asks_its_owner(trader: Trader) -> None:
    rules = {
        "enabled": True, "venues": ["testnet"], "symbols": ["BTC"], "sides": ["buy"],
        "notional_an_order": "1000", "notional_a_day": "1000",
    }  # fmt: skip
    person, thread = trader.person, await trader.person.thread()
    await person.ask("PUT", "/api/trading/rules", expect=200, json=rules)
    await thread.run("/markets BTC")
    async with thread.watched(await thread.head()) as watch:
        # The markets are known from before, so it is asked for right before the signature.
        gate = trader.venue.gates["meta"] = Gate()
        run_id = str((await thread.send(ORDER))["run"]["id"])
        await gate.reached.wait()
        await person.ask("PUT", "/api/trading/rules", expect=200, json=rules | {"symbols": ["ETH"]})
        del trader.venue.gates["meta"]
        gate.opened.set()
        await watch.until(waiting(run_id))
        (asked,) = (await person.get("/api/approvals"))["items"]
        assert asked["asked_again"] == "rules_changed"
        let_go = await person.get(f"/api/approvals/{asked['replaces']}")
        assert (states(let_go), let_go["reason"]) == (("withdrawn", ["not_sent"]), "rules_changed")
        assert trader.arrived(let_go) == trader.arrived(asked) == 0
        await trader.decide(asked, 1)
        await watch.until(ended(run_id))
    assert (trader.arrived(asked), trader.held()) == (1, "0.01")


async def test_what_arrives_behind_its_fence_is_refused(trader: Trader, faults: Faults) -> None:
    thread = await trader.person.thread()
    async with thread.watched() as watch:
        run_id, intent = await trader.proposed(thread, watch)
        trader.venue.faults[:] = ["late"]
        await trader.decide(intent, 1)
        await watch.until(
            lambda event: event["type"] == "intent.updated" and event["data"]["state"] == "unknown"
        )
        await faults.clock(FENCE_AFTER_SECONDS * 1000)
        await watch.until(ended(run_id))
    done = await trader.person.get(f"/api/approvals/{intent['id']}")
    assert states(done) == ("rejected_by_venue", ["not_placed"])
    (noop,) = [one for one in trader.venue.received if one["action"]["type"] == "noop"]
    assert signer_of(noop) == trader.agent
    (answer,) = trader.venue.deliver()
    assert "duplicate nonce" in answer["response"]
    assert (trader.arrived(intent), trader.held()) == (1, "0")


async def test_what_the_wire_does_to_an_action_is_found_out(trader: Trader) -> None:
    thread = await trader.person.thread()
    for fault in ("drop_after", "bad_gateway_after", "odd_after"):
        async with thread.watched(await thread.head()) as watch:
            run_id, intent = await trader.proposed(thread, watch)
            trader.venue.faults[:] = [fault]
            await trader.decide(intent, 1)
            await watch.until(ended(run_id))
        shown = [states(one)[0] for one in of(watch.seen, "intent.updated")]
        assert shown == ["submitting", "unknown", "executed"], fault
        assert trader.arrived(intent) == 1, fault
    assert trader.held() == "0.03"


@pytest.mark.parametrize(
    "lie",
    [Answer(307, "", location="/elsewhere"), Answer(200, " " * (VENUE_ANSWER_BYTES_MAX + 1)),
     Answer(502, HTML), Answer(200, "", "drop"), Answer(200, '{"BTC": NaN}')],
    ids=["redirect", "huge", "gateway", "dropped", "nan"],
)  # fmt: skip
async def test_what_the_wire_does_to_a_read_is_an_error_with_a_name(trader: Trader, lie: Answer) -> None:
    trader.venue.lies["allMids"] = [lie]
    thread = await trader.person.thread()
    (finished,) = of(await thread.run("/markets BTC"), "tool.finished")
    assert finished["error"]["code"] == "venue_unavailable"
    assert trader.venue.elsewhere == []
    (again,) = of(await thread.run("/markets BTC"), "tool.finished")
    assert "hyperliquid (testnet), as of" in again["text"]


@pytest.mark.timeout(3_600 if EACH_KILLS else 600)
async def test_deaths_at_the_writes_of_an_approval_send_none_or_one(trader: Trader, faults: Faults) -> None:
    owner = str((await trader.person.get("/api/me"))["id"])
    each = [("kill_after", "", nth) for nth in range(1, DEATHS_MAX)]
    sent: set[int] = set()
    async with Client.of(trader.person) as client:
        for action, detail, nth in each if EACH_KILLS else PLACES:
            died, count = await approved_once(trader, client, faults, owner, action, nth, detail)
            sent.add(count)
            if not died:
                break
    assert 1 in sent
    assert died is not EACH_KILLS


async def approved_once(
    trader: Trader, client: Client, faults: Faults, owner: str, action: str, nth: int, detail: str = ""
) -> tuple[bool, int]:
    """Approve an order, with a death at a write; whether it came to that, and how many orders arrived."""
    start, before = len(client.seen), trader.held()
    run_id = await client.send(ORDER)
    await client.until(waiting(run_id), "the approval", start)
    intent = of([seen.event for seen in client.seen[start:]], "approval.requested")[-1]
    kills, restarts = await faults.kills(), await faults.restarts()
    await faults.arm("write", action, nth=nth, cls="BotOwner", owner=owner, detail=detail)
    body = {"digest": intent["digest"], "approve": [1], "reason": ""}
    path = f"/api/approvals/{intent['id']}"
    # Whoever hears nothing clicks again.
    status, told = await client.ask("POST", f"{path}/decision", json=body)
    assert status == 200 or (status, told["code"]) == (409, "already_decided")

    later = faults.clock_ms + LATER_MS

    async def known() -> tuple[str, list[str]] | None:
        _, now = await client.ask("GET", path)
        if now["state"] == "unknown" and faults.clock_ms < later:
            # To where the exchange can take it no more. It never goes back: what was read late would weigh on
            # the minute that comes again, and the next order would be told to wait.
            await faults.clock(later)
        return states(now) if now["state"] in {"executed", "rejected_by_venue"} else None

    shown = await until(f"the outcome after {action} at write {nth}", known)
    await client.until(ended(run_id), "the end of the run", start)
    died = await faults.kills() > kills or bool(await faults.fired())
    await faults.clear()
    if await faults.kills() > kills:
        await faults.restarted(restarts + 1)
    count, filled = trader.arrived(intent), float(trader.held()) - float(before)
    assert count <= 1
    assert (shown, round(filled, 2)) in (
        (("executed", ["filled"]), 0.01), (("rejected_by_venue", ["not_placed"]), 0),
    )  # fmt: skip
    return died, count
