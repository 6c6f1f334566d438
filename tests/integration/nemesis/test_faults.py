"""The faults themselves: each strikes where it was asked for, and what was not asked for is as it was."""

import hashlib

import httpx
import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, of
from tests.integration.egress.outside import Outside
from tests.integration.faults import Faults, killed_at_each_write
from tests.integration.nemesis.client import Client
from tests.integration.waiting import SECONDS, until

CLS = "BotComputer"
HOST = "api.kraken.com"


@pytest.mark.timeout(600)
async def test_workerd_dies_at_each_write_of_a_command_in_turn_and_it_runs_once(
    person: Person, owner: str, faults: Faults
) -> None:
    async with Client.of(person) as client:

        async def run(nth: int) -> None:
            (finished,) = of(await client.run(f"$ echo {nth} >> ran; cat ran"), "tool.finished")
            assert finished["text"].endswith(f"{nth}\n")

        await client.run("$ true")
        # That it runs, and that it has ended.
        where = {"cls": CLS, "owner": owner, "detail": "UPDATE commands"}
        assert await killed_at_each_write(faults, run, "kill_before", **where) == 2
        (finished,) = of(await client.run("$ cat ran"), "tool.finished")
    assert finished["text"] == "1\n2\n3\n"


async def test_what_an_answer_that_was_lost_had_done_is_not_done_again(
    thread: Thread, owner: str, faults: Faults
) -> None:
    await faults.arm("call", "lost_answer", cls=CLS, owner=owner, detail="exec")
    assert (await thread.exec("echo once >> ran; cat ran"))["output"] == "once\n"
    await faults.arm("call", "lost_answer", cls=CLS, owner=owner, detail="change")
    (finished,) = of(await thread.run("/edit ran\nonce\n====\nonce, changed"), "tool.finished")
    assert finished["ok"]
    assert (await thread.exec("cat ran"))["output"] == "once, changed\n"
    assert [strike["detail"] for strike in await faults.fired()] == ["exec", "change"]


@pytest.mark.parametrize("action", ["fail", "cut"])
async def test_an_export_that_r2_does_not_take_is_an_error_and_leaves_nothing(
    thread: Thread, owner: str, faults: Faults, action: str
) -> None:
    await thread.exec("head -c 3000000 /dev/zero > a.bin")
    await faults.arm("r2.put", action, detail=f"owners/{owner}/")
    events = await thread.run("/export a.bin")
    (finished,) = of(events, "tool.finished")
    assert not finished["ok"]
    assert of(events, "artifact.created") == []
    assert len(of(await thread.run("/export a.bin"), "artifact.created")) == 1
    assert len(await faults.fired()) == 1


async def test_an_upload_that_r2_does_not_give_is_said_and_comes_with_the_next_call(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    upload = await person.upload(thread, "a.csv", b"1,2\n")
    await faults.arm("r2.get", "fail", detail=f"owners/{owner}/uploads/")
    (finished,) = of(await thread.run("$ cat uploads/a.csv", upload), "tool.finished")
    assert finished["error"]["code"] == "computer_unavailable"
    assert (await thread.exec("cat uploads/a.csv"))["output"] == "1,2\n"
    assert len(await faults.fired()) == 1


async def content(person: Person, artifact_id: str) -> bytes:
    # With httpx, which does not ask again by itself where nothing was answered.
    url = f"{person.session._base_url}/api/artifacts/{artifact_id}/content"
    async with httpx.AsyncClient(timeout=SECONDS) as asking:
        return (await asking.get(url, headers=person.headers)).content


async def test_bytes_of_r2_come_late_changed_or_broken_off_as_asked(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await thread.exec("head -c 100000 /dev/zero > a.bin")
    (artifact,) = of(await thread.run("/export a.bin"), "artifact.created")
    whole = bytes(100_000)
    assert artifact["sha256"] == hashlib.sha256(whole).hexdigest()
    stored = f"owners/{owner}/"
    await faults.arm("r2.get", "slow", ms=50, detail=stored)
    assert await content(person, artifact["id"]) == whole
    await faults.arm("r2.get", "flip", detail=stored)
    assert await content(person, artifact["id"]) == whole[:50_000] + b"\x01" + whole[50_001:]
    await faults.arm("r2.get", "cut", detail=stored)
    with pytest.raises(httpx.TransportError):
        await content(person, artifact["id"])
    assert await content(person, artifact["id"]) == whole
    assert [strike["action"] for strike in await faults.fired()] == ["slow", "flip", "cut"]


async def test_an_eviction_takes_the_memory_and_leaves_the_rest(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await thread.exec("echo kept > a.txt")
    head = await thread.head()
    for cls in (CLS, "BotOwner", "Platform"):
        await faults.evict(cls, "platform" if cls == "Platform" else owner)
    assert await thread.head() >= head
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"


async def test_a_host_that_was_not_started_for_faults_takes_no_orders(stack: LocalStack) -> None:
    modules = (stack.state / "worker/host.json").read_text()
    assert '"faults": false' in modules
    stack.host.child.write_line('{"do": "kill", "number": 1}')
    async with Person.at(stack) as person:
        await person.get("/api/me")
    assert stack.host_events() == []


async def test_a_transfer_outlives_the_object_that_counts_it(
    thread: Thread, owner: str, faults: Faults, outside: Outside
) -> None:
    size = 100_000_000
    url = f"https://{HOST}/0/public/Time?answer=bytes%20{size}"
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send(f"$ curl -s -o got '{url}'; echo $?; stat -c %s got"))["run"]["id"]

        async def began() -> bool:
            return outside.sent.get(HOST, 0) >= size // 10

        await until("the transfer", began)
        await faults.evict(CLS, owner)
        await watch.until(ended(run_id))
    (finished,) = of(watch.seen, "tool.finished")
    assert finished["text"] == f"0\n{size}\n"
