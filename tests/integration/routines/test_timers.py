"""On real workerd: the timers of one owner over deaths of the server, and a routine from end to end."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person

SECONDS = 60.0
ROUTINES = 20
WINDOW_S = 8
NEVER = {"kind": "every", "minutes": 40_000}


def body(bot_id: str, **fields: Any) -> dict[str, Any]:
    named = {"name": "Watch", "prompt": "Look.", "schedule": NEVER}
    return {"client_id": uuid.uuid4().hex, "bot_id": bot_id, **named, **fields}


async def scripted(person: Person) -> dict[str, Any]:
    return await person.bot(model={"provider": "scripted", "recording": [{"text": "All is well."}]})


async def history(person: Person, routine_id: str) -> list[dict[str, Any]]:
    return list((await person.get(f"/api/routines/{routine_id}/history"))["items"])


async def ended(person: Person, routine_id: str) -> dict[str, Any]:
    """The routine's newest firing, once its run has ended."""
    async with asyncio.timeout(SECONDS):
        while True:
            items = await history(person, routine_id)
            if items and items[0]["run"] and items[0]["run"]["state"] in {"done", "failed", "stopped"}:
                return items[0]
            await asyncio.sleep(0.2)


async def used_by(person: Person, attribution: str) -> int:
    """Milliseconds of the computer that are counted to a routine, once any are."""
    async with asyncio.timeout(SECONDS):
        while True:
            rows = (await person.get("/api/usage?by=routine"))["rows"]
            found = sum(int(one["computer_ms"]) for one in rows if one["key"] == attribution)
            if found:
                return found
            await asyncio.sleep(0.2)


@pytest.fixture
async def person(stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(stack, "routines") as made:
        yield made
        await made.post("/api/computer/standby")


async def test_routines_fire_once_each_in_order_over_deaths_of_the_server(tmp_path: Path) -> None:
    with LocalStack(tmp_path / "state") as stack:
        async with Person.at(stack, "timers") as person:
            bot = await scripted(person)
            first = int(time.time() * 1000) + 3_000
            due = [first + number * WINDOW_S * 1000 // ROUTINES for number in range(ROUTINES)]
            wanted = [body(bot["id"], schedule={"kind": "once", "at_ms": at}) for at in due]
            made = [(await person.post("/api/routines", one, expect=201))["id"] for one in wanted]
            gone = await person.thread(bot)
            await person.ask("DELETE", f"/api/threads/{gone.id}", expect=204)
            await ended(person, made[ROUTINES // 4])
        for _ in range(2):
            await asyncio.to_thread(stack.kill_host)
            await asyncio.to_thread(stack.start_host)
            async with Person.at(stack, "timers") as person:
                await person.get("/api/routines")
        async with Person.at(stack, "timers") as person:
            last = [await ended(person, routine_id) for routine_id in made]
            firings = [await history(person, routine_id) for routine_id in made]
            routines = (await person.get("/api/routines"))["items"]
    assert [len(items) for items in firings] == [1] * ROUTINES
    assert [(one["outcome"], one["count"], one["run"]["state"]) for one in last] == [
        ("started", 1, "done")
    ] * ROUTINES
    assert [one["due_ms"] for one in last] == due
    assert all(one["at_ms"] >= one["due_ms"] for one in last)
    times = [one["at_ms"] for one in last]
    assert times == sorted(times)
    assert {one["state"] for one in routines} == {"finished"}


async def test_a_routine_from_its_making_to_its_end(person: Person) -> None:
    draft = {"schedule": {"kind": "cron", "expression": "30 2 * * *"}, "zone": "Europe/Berlin"}
    times = (await person.post("/api/routines/times", draft))["times"]
    assert len(times) == 5
    assert all(after - before in {23, 24, 25} for before, after in pairwise(_hours(times)))
    bot = await person.bot()
    wanted = body(bot["id"], prompt="$ echo by itself", computer=True, zone="Asia/Shanghai")
    routine = await person.post("/api/routines", wanted, expect=201)
    assert await person.post("/api/routines", wanted, expect=201) == routine
    begun = await person.post(f"/api/routines/{routine['id']}/runs", {"client_id": "run-now-01"}, expect=202)
    assert begun["run"]["routine_id"] == routine["id"]
    assert (await ended(person, routine["id"]))["run"]["state"] == "done"
    events = (await person.get(f"/api/threads/{routine['thread_id']}/events"))["items"]
    (finished,) = [one["data"] for one in events if one["type"] == "tool.finished"]
    assert finished["text"] == "by itself\n"
    assert await used_by(person, f"routine:{routine['id']}") > 0
    settings = {**routine["settings"], "computer": False}
    await person.ask("PUT", f"/api/routines/{routine['id']}", json=settings, expect=200)
    await person.post(f"/api/routines/{routine['id']}/runs", {"client_id": "run-now-02"}, expect=202)
    await ended(person, routine["id"])
    events = (await person.get(f"/api/threads/{routine['thread_id']}/events"))["items"]
    assert [one["data"]["ok"] for one in events if one["type"] == "tool.finished"] == [True, False]
    assert (await person.post(f"/api/routines/{routine['id']}/pause"))["state"] == "paused"
    assert (await person.post(f"/api/routines/{routine['id']}/resume"))["state"] == "active"
    await person.ask("DELETE", f"/api/routines/{routine['id']}", expect=204)
    await person.get(f"/api/routines/{routine['id']}", expect=404)


@pytest.mark.parametrize(
    "fields",
    [
        {"browser": True},
        {"zone": "Mars/Olympus"},
        {"schedule": {"kind": "cron", "expression": "61 * * * *"}},
        {"checks": [{"kind": "http", "url": "https://10.0.0.1/x", "path": "$", "compare": "changed"}]},
        {"checks": [{"kind": "http", "url": "http://prices.example/x", "path": "$", "compare": "changed"}]},
        {"checks": [{"kind": "http", "url": "https://intranet/x", "path": "$", "compare": "changed"}]},
    ],
)
async def test_what_is_refused(person: Person, fields: dict[str, Any]) -> None:
    bot = await person.bot()
    refused = await person.post("/api/routines", body(bot["id"], **fields), expect=422)
    assert refused["code"] == "invalid_request"


def _hours(times: list[int]) -> list[int]:
    return [at // 3_600_000 for at in times]
