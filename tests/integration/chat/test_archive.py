"""The archive of everything on real workerd, and a deletion that is taken back."""

import hashlib
import io
import json
import tarfile
from typing import Any

import aiohttp

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, is_type
from tests.integration.chat.r2 import objects
from tests.integration.chat.test_deletion import lived_in
from tests.integration.waiting import until

KEY = "sk-a-key-that-goes-nowhere"


async def archived(person: Person) -> dict[str, Any]:
    """Until the archive that was asked for is ready."""

    async def look() -> dict[str, Any] | None:
        try:
            shown = await person.get("/api/me/archive")
        except aiohttp.ClientError:
            # Where a test has it die.
            return None
        return shown if shown["state"] == "ready" else None

    return await until("the archive", look)


async def unpacked(person: Person, size: int) -> dict[str, bytes]:
    async with person.session.get("/api/me/archive/content", headers=person.headers) as response:
        assert response.status == 200
        assert response.headers["content-length"] == str(size)
        assert response.headers["content-disposition"].startswith("attachment")
        content = await response.read()
    assert len(content) == size
    files = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive.getmembers():
            opened = archive.extractfile(member)
            files[member.name.removeprefix("berth/")] = opened.read() if opened else b""
    return files


async def with_things(person: Person) -> Thread:
    model = {"provider": "openai", "base_url": "https://models.example.com/v1", "model": "m", "api_key": KEY}
    await person.bot(model=model)
    return await lived_in(person)


async def test_everything_is_in_the_archive_and_no_key(person: Person, stack: LocalStack) -> None:
    thread = await with_things(person)
    await person.get("/api/me/archive/content", expect=404)
    begun = await person.post("/api/me/archive", expect=202)
    assert begun["state"] in {"building", "ready"}
    ready = await archived(person)
    assert (ready["made"], ready["missing"]) == (ready["files"], 0)
    files = await unpacked(person, ready["size"])
    listed = json.loads(files.pop("contents.json"))
    assert {one["name"]: one["sha256"] for one in listed["files"]} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items()
    }
    record = files[f"threads/{thread.id}.json"]
    assert json.loads(record)["thread"]["id"] == thread.id
    assert {content for name, content in files.items() if name.startswith(("artifacts/", "uploads/"))} == {
        b"secret\n", b"one\n", b"two\n",
    }  # fmt: skip
    assert json.loads(files["ledger.jsonl"].splitlines()[0])["kind"] == "month"
    assert "computer_running" in files["record.jsonl"].decode()
    assert not any(KEY.encode() in content for content in files.values())
    await person.ask("DELETE", "/api/me/archive", expect=204, json={})
    assert objects(stack, f"owners/local-{person.name}/archive/") == []
    await person.get("/api/me/archive/content", expect=404)


async def test_another_owner_has_none(person: Person, stack: LocalStack) -> None:
    await with_things(person)
    await person.post("/api/me/archive", expect=202)
    await archived(person)
    async with Person.at(stack) as other:
        assert (await other.get("/api/me/archive"))["state"] == "none"
        await other.get(f"/api/owners/local-{person.name}/me/archive", expect=404)
        await other.get(f"/api/owners/local-{person.name}/me/archive/content", expect=404)


async def test_a_deletion_is_taken_back_and_everything_goes_on(person: Person) -> None:
    thread = await with_things(person)
    confirm = {"confirm": f"local-{person.name}"}
    planned = await person.post("/api/me/delete", confirm)
    assert not planned["finished"]
    assert (await person.get("/api/me"))["deletion_ms"] == planned["at_ms"]
    for path in ("/api/threads", "/api/computer", f"/api/threads/{thread.id}/export"):
        assert (await person.get(path, expect=409))["code"] == "being_deleted"
    await person.post("/api/me/archive", expect=202)
    assert (await unpacked(person, (await archived(person))["size"]))[f"threads/{thread.id}.md"]
    assert (await person.post("/api/me/undelete"))["deletion_ms"] is None
    assert "one" in (await thread.exec("cat uploads/first.csv"))["output"]


async def test_what_runs_ends_when_it_is_planned_and_the_thread_goes_on_afterwards(person: Person) -> None:
    thread = await person.thread()
    await thread.exec("echo kept > keep.txt")
    async with thread.watched(await thread.head()) as watch:
        await thread.send("$ echo up; sleep 300; echo too late > late.txt")
        await watch.until(is_type("tool.output"))
        await person.post("/api/me/delete", {"confirm": f"local-{person.name}"})
    for method, path in (("PUT", "/api/files/content?path=a"), ("DELETE", "/api/files?path=keep.txt")):
        headers = {"content-type": "text/plain" if method == "PUT" else "application/json"}
        refused = await person.ask(method, path, expect=409, data=b"x", headers=headers)
        assert refused["code"] == "being_deleted"
    await person.post("/api/egress/rules", {"host": "example.com", "understood": True}, expect=409)
    await person.post("/api/me/undelete")

    async def look() -> bool:
        run = (await person.get(f"/api/threads/{thread.id}"))["run"]
        return bool(run["state"] in {"done", "failed"})

    await until("the end of the run", look)
    listed = await thread.exec("ls; cat keep.txt")
    assert "kept" in listed["output"]
    assert "late.txt" not in listed["output"]
