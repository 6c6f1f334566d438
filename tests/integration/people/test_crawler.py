"""Two owners with the same names for everything: each tries every id of the other, on every route.

Nothing but `not found`, whatever is asked and by whichever address; and nothing of the one in what the other
reads, watches or gets as a header.
"""

import asyncio
import itertools
import json
import re
import uuid
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from api.rights import OF_OWNER
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, is_type, of

ID = re.compile(r"[a-z]+_[0-9A-Z]{26}")
PARAMETER = re.compile(r"\{([^}]+)\}")
AT_ONCE = 12
# Bodies with which a route would do what it is for, were the thing its caller's.
BODIES: dict[str, Any] = {
    "PATCH /api/threads/{thread_id}": {"title": "taken"},
    "POST /api/threads/{thread_id}/messages": {"client_id": "0123456789", "text": "taken"},
    "POST /api/threads/{thread_id}/branches": {"client_id": "0123456789", "seq": 1},
    "POST /api/threads/{thread_id}/uploads/begin": {"name": "a.bin", "size": 6_000_000},
    "PATCH /api/artifacts/{artifact_id}": {"name": "taken.txt"},
    "PATCH /api/bots/{bot_id}": {"name": "taken"},
    "PATCH /api/members/{person_id}": {"role": "viewer"},
    "POST /api/approvals/{intent_id}/decision": {"digest": "0" * 64, "approve": [1], "reason": ""},
}
# They take a body that names no thing of ours: what is missing of it is said before anything is looked for.
MAY_SAY_WHAT_IS_MISSING = {"PUT /api/routines/{routine_id}", "POST /api/routines/{routine_id}/runs"}


class Owner:
    """Somebody with one of everything, all of it called as the other's; only what is in it is marked."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.mark = f"marked{uuid.uuid4().hex}"
        self.ids: set[str] = set()
        self.id = f"local-{person.name}"
        self.thread: Thread

    async def live(self) -> None:
        person = self.person
        bot = await person.bot(instructions=self.mark)
        self.thread = await person.thread(bot)
        upload = await person.upload(self.thread, "data.csv", self.mark.encode())
        await self.thread.run("$ cat uploads/data.csv | tee out.txt", upload)
        await self.thread.run("/export out.txt")
        # It waits for its owner, in a thread of its own: what is said there would wait with it.
        orders = await person.thread(bot)
        async with orders.watched() as watch:
            await orders.send("/orders\nbuy 0.01 BTC 70000 Ioc")
            await watch.until(is_type("approval.requested"))
        about = {"name": "large.bin", "size": 6_000_000}
        begun = await person.post(f"/api/threads/{self.thread.id}/uploads/begin", about, expect=201)
        await person.post("/api/egress/rules", {"host": "data.example.com", "understood": True}, expect=201)
        routine = {"client_id": uuid.uuid4().hex, "bot_id": bot["id"], "name": "Often", "prompt": self.mark}
        every = {"kind": "every", "minutes": 10_000}
        await person.post("/api/routines", {**routine, "schedule": every}, expect=201)
        self.ids = set(ID.findall(json.dumps([await self.everything(), await self.thread.record(), begun])))

    async def everything(self) -> list[Any]:
        """What every list of theirs says."""
        lists = (route.split(" ")[1] for route in OF_OWNER if route.startswith("GET ") and "{" not in route)
        return [await self.read(path) for path in lists]

    async def opened(self) -> set[str]:
        """The routes that lead their owner to something by one of these ids."""
        found = set()
        for route, method, path in tries(self.ids):
            if method == "GET" and not path.endswith("/stream"):
                async with self.person.session.get(path, headers=self.person.headers) as response:
                    found |= {route} if response.ok else set()
        return found

    async def read(self, path: str) -> str:
        async with self.person.session.get(path, headers=self.person.headers) as response:
            return f"{dict(response.headers)} {(await response.read()).decode('utf-8', 'replace')}"


def tries(ids: Iterable[str]) -> list[tuple[str, str, str]]:
    """(route, method, path) of every route that names a thing, with every id in every place."""
    return [
        (route, route.split(" ")[0], PARAMETER.sub(one, route.split(" ")[1]))
        for route, one in itertools.product(OF_OWNER, sorted(ids))
        if "{" in route
    ]


async def crawl(one: Owner, other: Owner) -> list[str]:
    """What the one gets of the other's by trying; nothing, if all is well."""
    turns, found = asyncio.Semaphore(AT_ONCE), []

    async def attempt(route: str, method: str, path: str) -> None:
        headers = one.person.headers
        body = {"json": BODIES.get(route, {})} if method not in {"GET", "DELETE"} else {}
        if method == "DELETE":
            headers = {**headers, "content-type": "application/json"}
        async with turns, one.person.session.request(method, path, headers=headers, **body) as response:
            said = f"{dict(response.headers)} {await response.text()}"
            expected = {404, 422} if route in MAY_SAY_WHAT_IS_MISSING else {404}
            if "/parts/" in path or path.endswith("/uploads"):
                # Their bytes are looked at first: how many there are, and of what kind.
                expected = {404, 400, 411, 415, 422}
            if response.status not in expected or other.mark in said:
                found.append(f"{method} {path}: {response.status} {said[:300]}")

    async with asyncio.TaskGroup() as group:
        for route, method, path in tries(other.ids):
            group.create_task(attempt(route, method, path))
            through = path.replace("/api/", f"/api/owners/{other.id}/", 1)
            group.create_task(attempt(route, method, through))
    return found


@pytest.fixture
async def owners(stack: LocalStack) -> AsyncIterator[tuple[Owner, Owner]]:
    async with Person.at(stack) as first, Person.at(stack) as second:
        both = Owner(first), Owner(second)
        await asyncio.gather(*(owner.live() for owner in both))
        yield both


@pytest.mark.timeout(900)
async def test_no_id_of_the_one_opens_anything_for_the_other(owners: tuple[Owner, Owner]) -> None:
    one, other = owners
    assert not one.ids & other.ids
    assert min(len(one.ids), len(other.ids)) > 8
    # What is not found by the other is found by whose it is.
    assert len(await one.opened()) > 8
    before = await asyncio.gather(one.thread.record(), other.thread.record())
    assert [
        line for found in await asyncio.gather(crawl(one, other), crawl(other, one)) for line in found
    ] == []
    assert await asyncio.gather(one.thread.record(), other.thread.record()) == before


async def test_nothing_of_the_one_is_in_what_the_other_reads_or_watches(owners: tuple[Owner, Owner]) -> None:
    one, other = owners
    async with one.thread.watched() as watch:
        await asyncio.gather(
            one.thread.run(f"$ echo {one.mark}; sleep 1; echo again"),
            other.thread.run(f"$ for i in 1 2 3; do echo {other.mark}; sleep 0.3; done"),
        )
        assert other.mark not in json.dumps(watch.seen)
    for reader, writer in ((one, other), (other, one)):
        read = json.dumps(await reader.everything())
        assert reader.mark in json.dumps(await reader.thread.record())
        assert writer.mark not in read
        assert not any(found in read for found in writer.ids)
    assert len(of(await one.thread.record(), "tool.finished")) >= 3
