"""Deleting an owner on real workerd: nothing is left or comes back, and a death in between is finished."""

import asyncio
import io
import os
from typing import Any

import aiohttp

from contracts.limits import UPLOAD_PART_BYTES
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, awake, is_type, of
from tests.integration.chat.r2 import objects
from tests.integration.faults import Faults
from tests.integration.waiting import SECONDS, until


async def lived_in(person: Person) -> Thread:
    """An owner with something of every kind."""
    thread = await person.thread()
    upload = await person.upload(thread, "first.csv", b"one\n")
    await thread.run("$ echo secret > a.txt; cat uploads/first.csv", upload)
    await thread.run("/export a.txt")
    await person.upload(thread, "waiting.csv", b"two\n")
    about = {"name": "large.bin", "size": 2 * UPLOAD_PART_BYTES}
    begun = await person.post(f"/api/threads/{thread.id}/uploads/begin", about, expect=201)
    await person.ask(
        "PUT",
        f"/api/uploads/{begun['id']}/parts/1",
        expect=200,
        data=io.BytesIO(bytes(UPLOAD_PART_BYTES)),
        headers={"content-type": "application/octet-stream"},
    )
    return thread


async def delete(person: Person, *, expect: int = 200) -> dict[str, Any]:
    return await person.post(
        "/api/me/delete", {"confirm": f"local-{person.name}", "at_once": True}, expect=expect
    )


async def is_being_deleted(person: Person) -> bool:
    async with person.session.get("/api/me", headers=person.headers) as response:
        assert response.status in {200, 409}
        return response.status == 409


async def until_deleted(person: Person) -> None:
    async def look() -> bool:
        return not await is_being_deleted(person)

    await until("the end of the deletion", look)


async def test_nothing_of_an_owner_is_left_and_the_name_begins_anew(
    person: Person, stack: LocalStack
) -> None:
    thread = await lived_in(person)
    prefixes = (f"owners/local-{person.name}/", f"backups/local-{person.name}/")
    assert len(objects(stack, *prefixes)) >= 3
    await person.post("/api/me/delete", {"confirm": "local"}, expect=422)
    async with thread.watched(await thread.head()) as watch:
        await thread.send(f"$ echo up; sleep 300.{os.getpid()}")
        await watch.until(is_type("tool.output"))
        assert (await delete(person))["finished"]
        async with asyncio.timeout(SECONDS):
            while (message := await watch.socket.receive()).type == aiohttp.WSMsgType.TEXT:
                continue
        assert message.data == 4404

    assert objects(stack, *prefixes) == []
    for path in ("/api/bots", "/api/threads", "/api/artifacts"):
        assert (await person.get(path))["items"] == []
    await person.get(f"/api/threads/{thread.id}", expect=404)
    computer = await person.get("/api/computer")
    assert (computer["state"], computer["commands"], computer["reason"]) == ("standby", [], None)
    assert f"local-{person.name}" not in await awake(stack)
    entries = (await person.get("/api/audit"))["items"]
    assert [entry["kind"] for entry in entries].count("owner_deleted") == 1
    assert "secret" not in str(entries)

    again = await person.thread()
    listed = await again.exec("ls -A /workspace | grep -v .berth; ls -A ~ | grep -e txt; echo end")
    assert listed["output"] == "end\n"
    assert of(await again.record(), "notice") == []

    # The record stays and generations begin anew: what happens now is in it all the same.
    async def is_awake() -> bool:
        return f"local-{person.name}" in await awake(stack)

    await until("the record of a computer that is awake", is_awake)
    await person.post("/api/computer/reset")
    kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
    assert kinds.index("computer_reset") < kinds.index("owner_deleted")


async def test_an_upload_that_comes_too_late_stays_nowhere(person: Person, stack: LocalStack) -> None:
    thread = await person.thread()
    arrives = asyncio.Event()

    async def slowly() -> Any:
        yield b"x" * 1000
        await arrives.wait()
        yield b"x" * 1000

    async def upload() -> int:
        async with person.session.post(
            f"/api/threads/{thread.id}/uploads",
            params={"name": "late.bin"},
            data=slowly(),
            headers={**person.headers, "content-type": "text/csv", "content-length": "2000"},
        ) as response:
            return response.status

    sending = asyncio.ensure_future(upload())
    await asyncio.sleep(0.5)
    assert (await delete(person))["finished"]
    arrives.set()
    assert await sending == 404
    assert objects(stack, f"owners/local-{person.name}/") == []


async def test_a_ban_outlives_the_owner(person: Person, stack: LocalStack) -> None:
    async with Person.at(stack, operator=True) as operator:
        path = f"/api/operator/owners/local-{person.name}/ban"
        await operator.ask("PUT", path, expect=200, json={"reason": "mining"})
        assert (await delete(person))["finished"]
        (refused,) = of(await (await person.thread()).run("$ true"), "tool.finished")
        assert refused["error"]["code"] == "computer_banned"
        await operator.ask("DELETE", path, expect=200)


async def test_a_deletion_that_died_half_way_is_finished_by_the_alarm(mortal: LocalStack) -> None:
    async with Person.at(mortal, "gone") as person:
        await lived_in(person)
        # Its last step does not come to its end.
        await Faults(mortal).arm("r2.delete", "hang", times=1000)
        asking = asyncio.ensure_future(delete(person))
        await until("the deletion to begin", lambda: is_being_deleted(person))
        await person.get("/api/threads", expect=409)
        await asyncio.to_thread(mortal.kill_host)
        await asyncio.gather(asking, return_exceptions=True)
        await asyncio.to_thread(mortal.start_host)
    async with Person.at(mortal, "gone") as person:
        await until_deleted(person)
        assert objects(mortal, "owners/local-gone/") == []
        assert (await person.get("/api/threads"))["items"] == []
        assert (await person.get("/api/computer"))["state"] == "standby"
        kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
        assert kinds.count("owner_deletion_began") == kinds.count("owner_deleted") == 1
