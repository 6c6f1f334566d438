"""What wakes a computer and what keeps it awake: calls of its tools, and nothing else.

The computers of this stack sleep by their alarm a second after their last call.
"""

import asyncio
import contextlib
import io
import json
import os
import signal
import time
from collections.abc import AsyncIterator

import aiohttp
import pytest

from contracts.limits import UPLOAD_PART_BYTES
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, is_standby, is_type, of
from tests.integration.chat.test_lifetimes import sandbox_of

SILENT_SECONDS = 3
CHANCE = (
    "python3 -c 'import random, secrets, uuid; print(secrets.token_hex(), uuid.uuid4(), random.random())';"
    " cat /proc/sys/kernel/random/uuid; if command -v uuidgen > /dev/null; then uuidgen; fi"
)


@pytest.fixture
async def person(hasty: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(hasty) as made:
        yield made


async def containers(stack: LocalStack) -> list[str]:
    """The ids of all containers that the engine has."""
    connector = aiohttp.UnixConnector(str(stack.state / "engine.sock"))
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        session.get("http://engine/containers/json?all=1") as response,
    ):
        return [container["Id"] for container in json.loads(await response.text())]


async def starts(person: Person) -> int:
    kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
    return kinds.count("computer_starting")


async def body(person: Person, path: str) -> int:
    async with person.session.get(path, headers=person.headers) as response:
        await response.read()
        return response.status


async def test_a_silent_command_is_not_idle(thread: Thread) -> None:
    async with thread.watched() as watch:
        await thread.send(f"$ sleep {SILENT_SECONDS}; echo end")
        finished = await watch.until(is_type("tool.finished"))
        assert not any(map(is_standby, watch.seen))
        await watch.until(is_standby)
    assert finished["data"]["text"] == "end\n"
    assert finished["data"]["command"]["duration_ms"] >= SILENT_SECONDS * 1000


async def test_looking_and_taking_away_do_not_keep_it_awake(thread: Thread) -> None:
    person = thread.person
    await thread.exec("echo kept > a.txt")

    async def look() -> None:
        while True:
            for path in ("/api/files?path=", "/api/files/content?path=a.txt", "/api/computer"):
                await body(person, path)

    async with thread.watched() as watch:
        looking = asyncio.ensure_future(look())
        try:
            await watch.until(is_standby)
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking
    assert await starts(person) == 1


async def test_nothing_but_a_call_of_a_tool_wakes_it(thread: Thread, hasty: LocalStack) -> None:
    person = thread.person
    helper = await person.thread()
    # One command keeps it awake for what else is done with it.
    async with thread.watched() as watch:
        await thread.send("$ echo kept > a.txt; echo up; until [ -e go ]; do sleep 0.05; done")
        await watch.until(is_type("tool.output"))
        (artifact,) = of(await helper.run("/export a.txt"), "artifact.created")
        assert await body(person, "/api/files?path=") == 200
        await helper.exec("touch go")
        await watch.until(is_type("tool.finished"))
    await person.until_computer(lambda view: view["state"] == "standby", "standby")
    before = set(await containers(hasty))

    other = await person.thread()
    assert await other.record() == []
    async with thread.watched() as watch:
        await watch.until(is_type("caught_up"))
        upload = await person.upload(thread, "b.csv", b"two\n")
        about = {"name": "large.bin", "size": UPLOAD_PART_BYTES + 1}
        begun = await person.post(f"/api/threads/{thread.id}/uploads/begin", about, expect=201)
        for number, size in ((1, UPLOAD_PART_BYTES), (2, 1)):
            await person.ask(
                "PUT",
                f"/api/uploads/{begun['id']}/parts/{number}",
                expect=200,
                data=io.BytesIO(bytes(size)),
                headers={"content-type": "application/octet-stream"},
            )
        await person.post(f"/api/uploads/{begun['id']}/finish", expect=201)
        assert await body(person, f"/api/artifacts/{artifact['id']}/content") == 200
        assert await body(person, f"/api/uploads/{upload}/content") == 200
        assert await body(person, "/api/files?path=") == 200
        assert await body(person, "/api/files/content?path=a.txt") == 503
        assert await body(person, "/api/files/archive?path=") == 503
        assert await body(person, "/api/egress/rules") == 200
        run = await thread.run("hello", upload)
        assert of(run, "tool.started") == []
    assert (await person.get("/api/computer"))["state"] == "standby"
    # Computers of other tests may have gone to sleep meanwhile.
    assert set(await containers(hasty)) <= before
    assert await starts(person) == 1

    assert (await thread.exec("cat uploads/b.csv"))["output"] == "two\n"
    assert await starts(person) == 2


async def test_two_wakes_of_one_snapshot_have_the_right_time_and_no_secret_in_common(thread: Thread) -> None:
    async with thread.watched() as watch:
        await thread.exec("echo kept > a.txt")
        await watch.until(is_standby)
    drawn: list[set[str]] = []
    for wake in range(2):
        marker = f"sleep 303.{os.getpid()}{wake}"
        async with thread.watched(await thread.head()) as watch:
            began = int(time.time())
            run_id = (await thread.send(f"$ cat a.txt; date +%s; {CHANCE}; {marker}"))["run"]["id"]
            while True:
                shown = "".join(data["text"] for data in of(watch.seen, "tool.output"))
                if len(shown.splitlines()) >= 4:
                    break
                await watch.until(is_type("tool.output"))
            # Without a save, so that the next wake is of the same snapshot.
            os.kill(await sandbox_of(marker), signal.SIGKILL)
            await watch.until(ended(run_id))
        kept, clock, *chance = shown.split()
        assert kept == "kept"
        assert began <= int(clock) <= time.time()
        drawn.append(set(chance))
    assert len(drawn[0]) >= 4
    assert not drawn[0] & drawn[1]
