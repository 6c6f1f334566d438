"""An operator bans a computer and lets it run again, on real workerd."""

import os
from collections.abc import AsyncIterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, is_standby, is_type, of


@pytest.fixture
async def operator(stack: LocalStack) -> AsyncIterator[Person]:
    """The person at this machine, who may do what operators do."""
    async with Person.at(stack, operator=True) as made:
        yield made


async def test_a_ban_ends_what_runs_and_after_it_all_is_as_before(operator: Person, thread: Thread) -> None:
    person = thread.person
    path = f"/api/operator/owners/local-{person.name}/ban"
    await thread.exec("echo kept > a.txt")
    (artifact,) = of(await thread.run("/export a.txt"), "artifact.created")
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send(f"$ echo more >> a.txt; echo up; sleep 300.{os.getpid()}"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        await operator.ask("PUT", path, expect=200, json={"reason": "mining"})
        finished = await watch.until(is_type("tool.finished"))
        await watch.until_each(ended(run_id), is_standby)
    assert finished["data"]["command"]["state"] == "stopped"
    assert finished["data"]["command"]["banned"] is True
    computer = await person.get("/api/computer")
    assert (computer["state"], computer["ban"]["reason"]) == ("standby", "mining")

    for call in ("$ cat a.txt", "/read a.txt", "/write b.txt\nx", "/export a.txt"):
        (refused,) = of(await thread.run(call), "tool.finished")
        assert refused["error"]["code"] == "computer_banned"
        assert "mining" in refused["error"]["message"]
    await person.post("/api/computer/reset", expect=403)
    assert (await person.get("/api/computer"))["state"] == "standby"
    async with person.session.get(
        f"/api/artifacts/{artifact['id']}/content", headers=person.headers
    ) as response:
        assert await response.read() == b"kept\n"

    await operator.ask("DELETE", path, expect=200)
    assert (await person.get("/api/computer"))["ban"] is None
    assert (await thread.exec("cat a.txt"))["output"] == "kept\nmore\n"
    kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
    assert kinds.count("computer_banned") == kinds.count("computer_ban_lifted") == 1
    bans = [bool(data.get("ban")) for data in of(await thread.record(), "computer.status")]
    assert (bans[0], bans[-1], True in bans) == (False, False, True)


async def test_who_was_banned_before_the_first_call_does_not_begin(operator: Person, thread: Thread) -> None:
    path = f"/api/operator/owners/local-{thread.person.name}/ban"
    await operator.ask("PUT", path, expect=200, json={"reason": "no"})
    (refused,) = of(await thread.run("$ true"), "tool.finished")
    assert refused["error"]["code"] == "computer_banned"
    assert of(await thread.record(), "computer.status") == []
    await operator.ask("DELETE", path, expect=200)
    assert (await thread.exec("echo up"))["output"] == "up\n"
