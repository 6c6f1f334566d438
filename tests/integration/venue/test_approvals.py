"""Approvals over the API in workerd: shown in the thread and decided once."""

import asyncio
from typing import Any

from local.stack import LocalStack
from tests.integration.chat.person import Event, Person, Thread, Watch, ended, of

LINES = "/orders\nbuy 0.01 BTC 70000 Ioc\nbuy 0.1 ETH 3500 Ioc\nsell 2 SOL 120 Ioc"


def state(run_id: str, name: str) -> Any:
    return lambda event: (
        event["type"] == "run.status" and event["data"]["id"] == run_id and event["data"]["state"] == name
    )


async def proposed(thread: Thread, watch: Watch, text: str = LINES) -> tuple[str, dict[str, Any]]:
    """The run, and the intent that it waits with."""
    run_id = (await thread.send(text))["run"]["id"]
    await watch.until(state(run_id, "waiting_approval"))
    return run_id, of(watch.seen, "approval.requested")[-1]


async def decide(
    person: Person, intent: dict[str, Any], approve: list[int], *, expect: int = 200
) -> dict[str, Any]:
    body = {"digest": intent["digest"], "approve": approve, "reason": ""}
    return await person.post(f"/api/approvals/{intent['id']}/decision", body, expect=expect)


def fills(events: list[Event]) -> list[str]:
    return [one["state"] for one in of(events, "intent.updated")[-1]["outcomes"]]


async def position(person: Person) -> str:
    thread = await person.thread()
    (finished,) = of(await thread.run("/account"), "tool.finished")
    return str(finished["text"])


async def test_three_orders_are_shown_decided_line_by_line_and_filled(person: Person) -> None:
    thread = await person.thread()
    async with thread.watched() as watch:
        run_id, intent = await proposed(thread, watch)
        assert [line["symbol"] for line in intent["lines"]] == ["BTC", "ETH", "SOL"]
        assert intent["source"]["tainted"] is False
        listed = await person.get("/api/approvals")
        assert ([one["id"] for one in listed["items"]], listed["more"]) == ([intent["id"]], False)
        assert (await person.get(f"/api/approvals/{intent['id']}"))["digest"] == intent["digest"]
        decided = await decide(person, intent, [1, 3])
        assert decided["state"] == "approved"
        await watch.until(ended(run_id))
    assert fills(watch.seen) == ["filled", "declined", "filled"]
    assert (await person.get("/api/approvals"))["items"] == []
    again = await decide(person, intent, [2], expect=409)
    assert again["code"] == "already_decided"
    text = await position(person)
    assert "Position BTC: 0.01" in text
    assert "Position SOL: -2" in text
    assert "ETH" not in text


async def test_clicks_on_two_devices_send_one_order(person: Person) -> None:
    thread = await person.thread()
    async with thread.watched() as watch:
        run_id, intent = await proposed(thread, watch, "/orders\nbuy 0.01 BTC 70000 Ioc")
        clicks = [decide(person, intent, [1]) for _ in range(4)]
        results = await asyncio.gather(*clicks, return_exceptions=True)
        await watch.until(ended(run_id))
    refused = [str(one) for one in results if isinstance(one, AssertionError)]
    assert len(refused) == 3
    assert all(" 409 " in one and "already_decided" in one for one in refused)
    assert "Position BTC: 0.01," in await position(person)


async def test_what_is_not_the_owners_or_not_what_was_shown_is_refused(
    person: Person, stack: LocalStack
) -> None:
    thread = await person.thread()
    async with thread.watched() as watch:
        _, intent = await proposed(thread, watch)
    async with Person.at(stack) as stranger:
        assert (await decide(stranger, intent, [1], expect=404))["code"] == "not_found"
        assert (await stranger.get("/api/approvals"))["items"] == []
    other = await person.thread()
    async with other.watched() as watch:
        _, later = await proposed(other, watch, "/orders\nbuy 0.01 BTC 70000 Ioc")
    for digest in ("0" * 64, later["digest"]):
        stale = await decide(person, intent | {"digest": digest}, [1], expect=409)
        assert stale["code"] == "approval_changed"
    path = f"/api/approvals/{intent['id']}/decision"
    body = {"digest": intent["digest"], "approve": [1]}
    foreign = {"origin": "https://elsewhere.invalid"}
    assert (await person.ask("POST", path, expect=403, json=body, headers=foreign))["code"] == "forbidden"
    await person.ask("GET", path, expect=405)
    assert (await person.get(f"/api/approvals/{intent['id']}"))["state"] == "pending"


async def test_all_that_wait_are_reached_page_by_page(person: Person) -> None:
    ids = []
    for _ in range(3):
        thread = await person.thread()
        async with thread.watched() as watch:
            ids.append((await proposed(thread, watch))[1]["id"])
    found, path = [], "/api/approvals?limit=2"
    first = await person.get(path)
    found += [one["id"] for one in first["items"]]
    rest = await person.get(f"{path}&before={found[-1]}")
    found += [one["id"] for one in rest["items"]]
    assert (found, first["more"], rest["more"]) == (ids[::-1], True, False)
    await person.ask("GET", "/api/approvals?limit=51", expect=422)
    await person.ask("GET", "/api/approvals?before=int_x", expect=404)


async def test_stopping_the_run_withdraws_what_it_proposed(person: Person) -> None:
    thread = await person.thread()
    async with thread.watched() as watch:
        run_id, intent = await proposed(thread, watch)
        await person.post(f"/api/runs/{run_id}/stop", expect=202)
        await watch.until(ended(run_id))
    assert [one["state"] for one in of(watch.seen, "approval.decided")] == ["withdrawn"]
    assert (await decide(person, intent, [1], expect=409))["code"] == "already_decided"
    assert "Position" not in await position(person)


async def test_deleting_the_thread_withdraws_what_it_proposed(person: Person) -> None:
    thread = await person.thread()
    async with thread.watched() as watch:
        _, intent = await proposed(thread, watch)
    await person.ask("DELETE", f"/api/threads/{thread.id}", expect=204)
    assert (await decide(person, intent, [1], expect=409))["code"] == "already_decided"
    assert (await person.get(f"/api/approvals/{intent['id']}"))["state"] == "withdrawn"


async def test_the_switch_and_the_rules_are_the_owners(person: Person) -> None:
    assert (await person.get("/api/trading"))["switch"] == "active"
    halted = await person.ask("PUT", "/api/trading/switch", expect=200, json={"state": "halted"})
    assert halted["switch"] == "halted"
    thread = await person.thread()
    (finished,) = of(await thread.run(LINES), "tool.finished")
    assert finished["error"]["code"] == "forbidden"
    audited = (await person.get("/api/audit"))["items"]
    told = [(one["kind"], one["details"]) for one in audited if one["kind"].startswith("trading")]
    assert told == [("trading_switch", {"state": "halted"})]
    await person.ask("PUT", "/api/trading/switch", expect=422, json={"state": "off"})
    rules = {
        "enabled": True, "venues": ["paper"], "symbols": ["BTC"], "sides": ["buy"],
        "notional_an_order": "1000", "notional_a_day": "1000",
    }  # fmt: skip
    await person.ask("PUT", "/api/trading/switch", expect=200, json={"state": "active"})
    await person.ask("PUT", "/api/trading/rules", expect=200, json=rules)
    events = await thread.run("/orders\nbuy 0.01 BTC 70000 Ioc")
    assert [one["by"] for one in of(events, "approval.decided")] == ["rule"]
    assert fills(events) == ["filled"]
