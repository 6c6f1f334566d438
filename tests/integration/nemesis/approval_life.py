"""One life of an approval during which its object or workerd dies, and what must be true of it afterwards.

A person who decides and sees no answer decides again, as people do. What was sent is read from the paper
venue's own account, which is no part of the desk.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from local.worker_process import HostError
from tests.integration.chat.person import Person, Thread, of
from tests.integration.faults import Faults

Intent = dict[str, Any]
# A restart of workerd and the lease of a timer, on a machine that does much else.
SECONDS = 300.0
PAUSE_SECONDS = 0.2
# Beyond the time within which the venue may still take what was sent.
TOO_LATE_MS = 70_000
EXPIRED_MS = 16 * 60_000
RUN_ENDED = {"done", "failed", "stopped", "waiting_input"}
ENDED = {"executed", "partially_executed", "rejected_by_venue", "declined", "expired", "withdrawn"}
CARDS = {"approval.requested", "approval.decided", "intent.updated"}
POSITION = re.compile(r"Position BTC: ([\d.-]+)")


async def proposed(person: Person) -> Intent:
    """An intent that waits, and its run with it."""
    thread = await person.thread()
    await thread.send("/orders\nbuy 0.01 BTC 70000 Ioc")
    found = await until(lambda: person.get("/api/approvals"), lambda answer: answer["items"])
    intent: Intent = found["items"][0]
    await until(lambda: person.get(f"/api/threads/{thread.id}"), _waits)
    return intent


def _waits(thread: dict[str, Any]) -> bool:
    return bool(thread["run"]) and thread["run"]["state"] == "waiting_approval"


async def until(
    ask: Callable[[], Awaitable[dict[str, Any]]], wanted: Callable[[dict[str, Any]], Any]
) -> dict[str, Any]:
    """Ask until the answer is as wanted, through deaths."""
    seen: Any = None
    try:
        async with asyncio.timeout(SECONDS):
            while True:
                try:
                    seen = await ask()
                    if wanted(seen):
                        return dict(seen)
                except (aiohttp.ClientError, AssertionError, HostError) as error:
                    # Dead, or not yet whole again.
                    seen = error
                await asyncio.sleep(PAUSE_SECONDS)
    except TimeoutError:
        raise AssertionError(f"not within {SECONDS} s; the last was {seen}") from None


async def decide(person: Person, intent: Intent, approve: list[int]) -> str:
    """Decide, and again until somebody answers; returns the state or the code of the refusal."""
    body = {"digest": intent["digest"], "approve": approve, "reason": ""}
    path = f"/api/approvals/{intent['id']}/decision"

    async def ask() -> dict[str, Any]:
        async with person.session.post(path, headers=person.headers, json=body) as response:
            answer: dict[str, Any] = await response.json(content_type=None)
            return answer | {"status": response.status}

    answer = await until(ask, lambda got: got["status"] < 500)
    return str(answer.get("code") or answer["state"])


async def settled(person: Person, faults: Faults, intent: Intent, clock_ms: int) -> tuple[Intent, Intent]:
    """The intent, and its card as the thread's record has it, once nothing is under way any more.

    What nobody heard of by `clock_ms` can come no more: it need not be waited for. A clock dies with workerd.
    """
    asked = {"intent": f"/api/approvals/{intent['id']}", "thread": f"/api/threads/{intent['thread_id']}"}

    async def ask() -> dict[str, Any]:
        await faults.clock(clock_ms)
        return {name: await person.get(path) for name, path in asked.items()}

    def over(seen: dict[str, Any]) -> bool:
        return seen["intent"]["state"] in ENDED and seen["thread"]["run"]["state"] in RUN_ENDED

    shown: Intent = (await until(ask, over))["intent"]
    record = await Thread(person, intent["thread_id"]).record()
    return shown, [event["data"] for event in record if event["type"] in CARDS][-1]


async def bought(person: Person) -> str:
    """What the venue says was bought in all."""
    thread = await person.thread()
    await thread.send("/account")
    await until(lambda: person.get(f"/api/threads/{thread.id}"), _is_over)
    (finished,) = of(await thread.record(), "tool.finished")
    found = POSITION.search(finished["text"])
    return found[1] if found else "0"


def _is_over(thread: dict[str, Any]) -> bool:
    return bool(thread["run"]) and thread["run"]["state"] in RUN_ENDED


async def approve_it(person: Person, _faults: Faults, _owner: str, intent: Intent) -> None:
    await decide(person, intent, [1])


async def decline_it(person: Person, _faults: Faults, _owner: str, intent: Intent) -> None:
    await decide(person, intent, [])


async def let_it_expire(person: Person, faults: Faults, owner: str, intent: Intent) -> None:
    """Its time runs out and the alarm comes; both come again where they died with workerd."""

    async def ask() -> dict[str, Any]:
        await faults.clock(EXPIRED_MS)
        await faults.ring("BotOwner", owner)
        return await person.get(f"/api/approvals/{intent['id']}")

    await until(ask, lambda one: one["state"] == "expired")


WAYS = {"approve": approve_it, "decline": decline_it, "expire": let_it_expire}
# What may have become of it, with what was bought then.
TRUE_ENDS = {
    "approve": {("executed", "0.01"), ("rejected_by_venue", "0")},
    "decline": {("declined", "0")},
    "expire": {("expired", "0")},
}


async def lived(person: Person, faults: Faults, way: str, arm: Callable[[str], Awaitable[None]]) -> bool:
    """One life, its death armed by `arm`; returns whether it came to that.

    Raises AssertionError where something was sent twice, or the card tells what is not so.
    """
    # The life before may have left it late: what is proposed then would expire later still.
    await faults.clock(0)
    owner = str((await person.get("/api/me"))["id"])
    intent = await proposed(person)
    kills, restarts = await faults.kills(), await faults.restarts()
    await arm(owner)
    await WAYS[way](person, faults, owner, intent)
    shown, card = await settled(person, faults, intent, EXPIRED_MS if way == "expire" else TOO_LATE_MS)
    died = bool(await faults.fired())
    if await faults.kills() > kills:
        await faults.restarted(restarts + 1)
        died = True
    await faults.clear()
    assert (shown["state"], await bought(person)) in TRUE_ENDS[way], shown
    assert card == shown
    assert await decide(person, intent, [1]) in {"already_decided", "approval_expired"}
    return died
