"""Uploads in parts on the real R2 binding: any order, wrong sizes, breaks, other owners, a killed Worker."""

import asyncio
import contextlib
import hashlib
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.limits import MIB, UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, of
from tests.integration.waiting import until

# No two parts of it are alike.
CONTENT = b"".join(n.to_bytes(4) for n in range((2 * UPLOAD_PART_BYTES + 1_234_568) // 4))


def part_of(content: bytes, number: int) -> bytes:
    return content[(number - 1) * UPLOAD_PART_BYTES : number * UPLOAD_PART_BYTES]


async def begin(thread: Thread, size: int = len(CONTENT), *, expect: int = 201) -> dict[str, Any]:
    body = {"name": "big.bin", "media_type": "text/csv", "size": size}
    return await thread.person.post(f"/api/threads/{thread.id}/uploads/begin", body, expect=expect)


async def put(
    person: Person, upload_id: str, number: int, content: Any = None, *, expect: int = 200
) -> dict[str, Any]:
    data = part_of(CONTENT, number) if content is None else content
    data = io.BytesIO(data) if isinstance(data, bytes) else data
    return await person.ask("PUT", f"/api/uploads/{upload_id}/parts/{number}", expect=expect, data=data)


async def state(person: Person, upload_id: str, *, expect: int = 200) -> dict[str, Any]:
    return await person.get(f"/api/uploads/{upload_id}", expect=expect)


async def finish(person: Person, upload_id: str, *, expect: int = 201) -> dict[str, Any]:
    return await person.post(f"/api/uploads/{upload_id}/finish", expect=expect)


async def content_of(person: Person, upload_id: str, **headers: str) -> bytes:
    async with person.session.get(
        f"/api/uploads/{upload_id}/content", headers={**person.headers, **headers}
    ) as response:
        assert response.headers["content-disposition"].startswith('attachment; filename="big.bin"')
        return await response.read()


async def in_pieces(content: bytes) -> AsyncIterator[bytes]:
    """A body that does not say its length."""
    for start in range(0, len(content), MIB):
        yield content[start : start + MIB]


async def test_parts_in_any_order_become_a_file_like_any_other(thread: Thread) -> None:
    person = thread.person
    begun = await begin(thread)
    assert (begun["part_bytes"], begun["parts"]) == (UPLOAD_PART_BYTES, [])
    for number, there in ((3, [3]), (1, [1, 3]), (3, [1, 3]), (2, [1, 2, 3])):
        assert (await put(person, begun["id"], number))["parts"] == there
    made = await finish(person, begun["id"])
    assert made == {
        "id": begun["id"],
        "name": "big.bin",
        "media_type": "text/csv",
        "size": len(CONTENT),
        "path": None,
    }
    assert await finish(person, begun["id"]) == made
    assert await content_of(person, made["id"]) == CONTENT
    border = f"bytes={UPLOAD_PART_BYTES - 5}-{UPLOAD_PART_BYTES + 4}"
    assert (
        await content_of(person, made["id"], range=border)
        == CONTENT[UPLOAD_PART_BYTES - 5 : UPLOAD_PART_BYTES + 5]
    )
    assert (await person.get("/api/computer"))["state"] == "standby"
    events = await thread.run("$ sha256sum < uploads/big.bin", made["id"])
    assert of(events, "notice")[0]["uploads"][0]["path"] == "/workspace/uploads/big.bin"
    assert of(events, "tool.finished")[0]["text"].split()[0] == hashlib.sha256(CONTENT).hexdigest()
    for refused in (state(person, made["id"], expect=404), put(person, made["id"], 1, expect=404)):
        assert (await refused)["code"] == "not_found"


async def test_a_part_of_another_size_is_refused_by_its_counted_bytes(thread: Thread) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    right = part_of(CONTENT, 1)
    for wrong in (right[:-1], right + b"x", b"", part_of(CONTENT, 3)):
        for body in (wrong, in_pieces(wrong)):
            answer = await put(person, upload_id, 1, body, expect=422)
            assert (answer["code"], answer["details"]) == (
                "invalid_request",
                {"reason": "part_size", "size": UPLOAD_PART_BYTES},
            )
    assert (await put(person, upload_id, 3, part_of(CONTENT, 3) + b"x", expect=422))["details"] == {
        "reason": "part_size",
        "size": len(part_of(CONTENT, 3)),
    }
    assert (await state(person, upload_id))["parts"] == []
    assert (await put(person, upload_id, 1, in_pieces(right)))["parts"] == [1]


@pytest.mark.parametrize(("number", "status"), [(0, 422), (4, 422), (9_999, 422), (99_999, 404), ("x", 404)])
async def test_a_part_that_is_none_of_the_file_is_refused(thread: Thread, number: Any, status: int) -> None:
    upload_id = (await begin(thread))["id"]
    path = f"/api/uploads/{upload_id}/parts/{number}"
    answer = await thread.person.ask("PUT", path, expect=status, data=b"x" * 100_000)
    assert answer["code"] == ("invalid_request" if status == 422 else "not_found")


async def test_a_part_that_breaks_off_is_not_there_and_can_be_sent_again(
    thread: Thread, stack: LocalStack
) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    for _ in range(3):
        await break_off(person, stack.url, upload_id)
    assert (await state(person, upload_id))["parts"] == []
    for number in (1, 2, 3):
        await put(person, upload_id, number)
    assert await content_of(person, (await finish(person, upload_id))["id"]) == CONTENT


async def break_off(person: Person, url: str, upload_id: str) -> None:
    """Send half of the first part and close the connection."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in person.headers.items())
    _, writer = await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1]))
    head = f"PUT /api/uploads/{upload_id}/parts/1 HTTP/1.1\r\n{lines}"
    writer.write(f"{head}content-length: {UPLOAD_PART_BYTES}\r\n\r\n".encode())
    writer.write(CONTENT[: UPLOAD_PART_BYTES // 2])
    await writer.drain()
    await asyncio.sleep(0.2)
    writer.transport.abort()


async def test_the_same_part_many_times_at_once_does_no_harm(thread: Thread) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    for number in (1, 2, 3):
        await asyncio.gather(*(put(person, upload_id, number) for _ in range(4)))
    async with person.session.post(
        f"/api/uploads/{upload_id}/finish", headers=person.headers, json={}
    ) as answer:
        missing = [] if answer.status == 201 else (await answer.json())["details"]["missing"]
    for number in missing:
        await put(person, upload_id, number)
    assert await content_of(person, (await finish(person, upload_id))["id"]) == CONTENT


async def test_an_unfinished_file_says_what_it_lacks(thread: Thread) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    await put(person, upload_id, 2)
    answer = await finish(person, upload_id, expect=422)
    details = {"missing": [1, 3], "reason": "upload_incomplete"}
    assert (answer["code"], answer["details"]) == ("invalid_request", details)


async def test_the_largest_file_in_parts_and_one_byte_more(thread: Thread) -> None:
    person, upload_id = thread.person, (await begin(thread, UPLOAD_BYTES_MAX))["id"]
    zeros = b"\0" * UPLOAD_PART_BYTES
    for number in range(1, UPLOAD_BYTES_MAX // UPLOAD_PART_BYTES + 1):
        await put(person, upload_id, number, zeros)
    assert (await finish(person, upload_id))["size"] == UPLOAD_BYTES_MAX
    assert (await begin(thread, UPLOAD_BYTES_MAX + 1, expect=413))["code"] == "upload_too_large"


async def test_small_files_and_strange_bodies_are_refused(thread: Thread) -> None:
    assert (await begin(thread, UPLOAD_PART_BYTES, expect=422))["code"] == "invalid_request"
    here = f"/api/threads/{thread.id}/uploads/begin"
    for body in (
        {},
        {"name": "", "size": MIB},
        {"name": "n" * 1_001, "size": 9 * MIB},
        {"name": "a", "size": "x"},
    ):
        assert (await thread.person.post(here, body, expect=422))["code"] == "invalid_request"
    body = {"name": "a", "size": len(CONTENT)}
    await thread.person.post("/api/threads/thr_x/uploads/begin", body, expect=404)


async def test_another_owner_can_do_nothing_with_it(thread: Thread, stack: LocalStack) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    await put(person, upload_id, 1)
    async with Person.at(stack) as other:
        for attempt in (
            state(other, upload_id, expect=404),
            put(other, upload_id, 1, expect=404),
            put(other, upload_id, 2, expect=404),
            finish(other, upload_id, expect=404),
            other.ask("DELETE", f"/api/uploads/{upload_id}", expect=404, json={}),
        ):
            assert (await attempt)["code"] == "not_found"
    for number in (2, 3):
        await put(person, upload_id, number)
    assert await content_of(person, (await finish(person, upload_id))["id"]) == CONTENT


async def test_what_is_given_up_is_gone(thread: Thread) -> None:
    person, upload_id = thread.person, (await begin(thread))["id"]
    await put(person, upload_id, 1)
    await person.ask("DELETE", f"/api/uploads/{upload_id}", expect=204, json={})
    for attempt in (
        state(person, upload_id, expect=404),
        put(person, upload_id, 2, expect=404),
        finish(person, upload_id, expect=404),
        person.ask("DELETE", f"/api/uploads/{upload_id}", expect=404, json={}),
    ):
        assert (await attempt)["code"] == "not_found"


async def test_a_killed_worker_costs_at_most_the_part_under_way(mortal: LocalStack) -> None:
    async with Person.at(mortal, "parts") as person:
        thread = await person.thread()
        upload_id, dropped = (await begin(thread))["id"], (await begin(thread))["id"]
        for number in (3, 1):
            await put(person, upload_id, number)
        await put(person, dropped, 1)
        half = asyncio.create_task(break_off(person, mortal.url, upload_id))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(mortal.kill_host)
        await asyncio.gather(half, return_exceptions=True)
        await asyncio.to_thread(mortal.start_host)
    async with Person.at(mortal, "parts") as person:
        assert (await state(person, upload_id))["parts"] == [1, 3]
        await put(person, upload_id, 2)
        await asyncio.to_thread(mortal.kill_host)
        await asyncio.to_thread(mortal.start_host)
    async with Person.at(mortal, "parts") as person:
        made = await finish(person, upload_id)
        found = await content_of(person, made["id"])
        assert hashlib.sha256(found).hexdigest() == hashlib.sha256(CONTENT).hexdigest()
        await person.ask("DELETE", f"/api/uploads/{dropped}", expect=204, json={})
        thread = Thread(person, thread.id)
        events = await thread.run("$ sha256sum < uploads/big.bin", made["id"])
        assert of(events, "tool.finished")[0]["text"].split()[0] == hashlib.sha256(CONTENT).hexdigest()

        async def only_what_counts() -> bool:
            return sorted(whole_parts(mortal.state / "worker")) == [1, 2]

        # R2 removes what was given up in the background.
        await until("the end of the part that was given up", only_what_counts)


def whole_parts(folder: Path) -> Iterator[int]:
    """Which of the file's whole parts lie on R2's disk, each as often as it does."""
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # removed while we looked
            if path.stat().st_size == UPLOAD_PART_BYTES:
                content = path.read_bytes()
                yield from (number for number in (1, 2) if content == part_of(CONTENT, number))
