"""The paper market as its owner sets it, in workerd: recorded candles, and outcomes that get lost."""

from typing import Any

from tests.integration.chat.person import Person, ended, of
from tests.integration.venue.test_approvals import decide, position, proposed

BUY = "/orders\nbuy 0.01 BTC 50010 Ioc"
FLAT = {"interval_seconds": 60, "candles": {"BTC": [["50000", "50000", "50000", "50000"]]}}


async def bought(person: Person) -> tuple[list[str], dict[str, Any]]:
    """The states that a card went through once it was approved, and its end."""
    thread = await person.thread()
    async with thread.watched() as watch:
        run_id, intent = await proposed(thread, watch, BUY)
        assert intent["lines"][0]["mid"] == "50000"
        await decide(person, intent, [1])
        await watch.until(ended(run_id))
    updates = of(watch.seen, "intent.updated")
    return [one["state"] for one in updates], updates[-1]["outcomes"][0]


async def test_recorded_candles_are_the_market_until_they_are_taken_away(person: Person) -> None:
    assert await person.get("/api/trading/paper") == {"replay": None, "loses": "nothing"}
    kept = await person.ask("PUT", "/api/trading/paper", expect=200, json={"replay": FLAT})
    assert kept["replay"]["candles"] == FLAT["candles"]
    standing = await person.get("/api/trading")
    assert (standing["paper_replays"], standing["paper_loses"]) == (True, "nothing")
    thread = await person.thread()
    (candles,) = of(await thread.run("/candles BTC 1h"), "tool.finished")
    assert candles["text"].splitlines()[-1].endswith(" 50000 50000 50000 50000")
    shown, outcome = await bought(person)
    assert (shown, outcome["price"]) == (["submitting", "executed"], "50001")
    wrong = {"replay": FLAT | {"candles": {"DOGE": [["1", "1", "1", "1"]]}}}
    await person.ask("PUT", "/api/trading/paper", expect=422, json=wrong)
    await person.ask("PUT", "/api/trading/paper", expect=200, json={})
    (markets,) = of(await thread.run("/markets BTC"), "tool.finished")
    assert "mid 50000," not in markets["text"]
    audited = [one for one in (await person.get("/api/audit"))["items"] if one["kind"] == "trading_paper"]
    assert [one["details"]["replays"] for one in audited] == [False, True]


async def test_a_lost_answer_is_unknown_looked_up_and_known(person: Person) -> None:
    wanted = {"replay": FLAT, "loses": "answers"}
    await person.ask("PUT", "/api/trading/paper", expect=200, json=wanted)
    shown, outcome = await bought(person)
    assert (shown, outcome["state"]) == (["submitting", "unknown", "executed"], "filled")
    assert "Position BTC: 0.01," in await position(person)


async def test_a_lost_order_is_unknown_fenced_and_known_as_never_placed(person: Person) -> None:
    await person.ask("PUT", "/api/trading/paper", expect=200, json={"replay": FLAT, "loses": "orders"})
    shown, outcome = await bought(person)
    assert (shown, outcome["state"]) == (["submitting", "unknown", "rejected_by_venue"], "not_placed")
    assert "Position" not in await position(person)
