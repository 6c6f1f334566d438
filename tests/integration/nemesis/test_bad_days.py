"""What may happen to a computer: a true state soon, commands that end, and a clean start after it."""

import signal
from typing import Any

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, is_type, of
from tests.integration.faults import Faults
from tests.integration.nemesis.engine_events import engine_events
from tests.integration.nemesis.sandboxes import Sandbox, sandbox_of, until_gone
from tests.integration.waiting import until

HOUR_MS = 3_600_000
IDLE_MS = 301_000
CLS = "BotComputer"


def running(stack: LocalStack, owner: str) -> Sandbox:
    found = sandbox_of(stack, owner)
    assert found is not None
    return found


async def computer(person: Person) -> dict[str, Any]:
    return await person.get("/api/computer")


async def in_standby(person: Person) -> dict[str, Any]:
    return await person.until_computer(lambda view: view["state"] == "standby", "standby")


async def test_one_that_dies_while_idle_is_in_standby_soon_and_the_next_command_finds_what_was_saved(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack
) -> None:
    await thread.exec("echo saved > a.txt")
    await person.post("/api/computer/standby")
    await thread.exec("echo later > b.txt")
    running(faulty_stack, owner).kill()
    assert (await in_standby(person))["reason"] == "stopped_unexpectedly"
    events = await thread.run("$ cat a.txt; ls b.txt 2>/dev/null")
    assert of(events, "tool.finished")[0]["text"] == "saved\n"
    assert [notice["code"] for notice in of(events, "notice")] == ["computer_restored"]


async def test_one_that_dies_during_a_command_leaves_it_lost_and_every_saved_file(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack
) -> None:
    await thread.exec("echo saved > a.txt")
    await person.post("/api/computer/standby")
    async with thread.watched(await thread.head()) as watch:
        await thread.send("$ echo up; sleep 300")
        await watch.until(is_type("tool.output"))
        running(faulty_stack, owner).kill()
        finished = await watch.until(is_type("tool.finished"))
    assert (finished["data"]["command"]["state"], finished["data"]["text"]) == ("lost", "up\n")
    assert (await thread.exec("cat a.txt"))["output"] == "saved\n"


async def test_one_that_ends_without_a_word_of_the_platform_is_found_out_by_the_next_call(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack, faults: Faults
) -> None:
    await person.post("/api/computer/standby")
    await faults.arm("container.monitor", "hang", cls=CLS, owner=owner)
    await thread.exec("true")
    sandbox = running(faulty_stack, owner)
    sandbox.kill()
    await until_gone(sandbox)
    assert (await computer(person))["state"] == "running"
    assert (await thread.exec("echo anew"))["output"] == "anew\n"
    states = [event["data"] for event in await thread.record() if event["type"] == "computer.status"]
    assert [state["reason"] for state in states if state["state"] == "standby"] == [
        None,
        "stopped_unexpectedly",
    ]


async def test_one_that_ended_without_a_word_does_not_stay_awake_past_its_idle_time(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack, faults: Faults
) -> None:
    await person.post("/api/computer/standby")
    await faults.arm("container.monitor", "hang", cls=CLS, owner=owner)
    await thread.exec("true")
    sandbox = running(faulty_stack, owner)
    sandbox.kill()
    await until_gone(sandbox)
    await faults.clock(IDLE_MS)
    await faults.ring(CLS, owner)
    assert (await computer(person))["reason"] == "stopped_unexpectedly"


async def test_one_that_is_said_not_to_run_goes_on(
    thread: Thread, owner: str, faulty_stack: LocalStack, faults: Faults
) -> None:
    before = running(faulty_stack, owner)
    await thread.exec("echo kept > a.txt")
    await faults.arm("container.running", "false", cls=CLS, owner=owner)
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"
    await faults.evict(CLS, owner)
    await faults.arm("container.running", "false", cls=CLS, owner=owner)
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"
    assert running(faulty_stack, owner) == before
    assert len(await faults.fired()) == 2


async def test_one_that_hangs_ends_what_waits_for_it_and_the_next_call_starts_clean(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack
) -> None:
    await thread.exec("echo saved > a.txt")
    await person.post("/api/computer/standby")
    other = await person.thread()
    await thread.exec("true")
    await person.get("/api/files?path=&sort=name&order=asc&offset=0&limit=100")
    async with thread.watched(await thread.head()) as command, other.watched() as call:
        await thread.send("$ echo up; sleep 300")
        await command.until(is_type("tool.output"))
        sandbox = running(faulty_stack, owner)
        async with sandbox.stopped():
            await other.send("/read a.txt")
            listing = await person.get("/api/files?path=&sort=name&order=asc&offset=0&limit=100")
            url = "/api/files/content?path=a.txt"
            async with person.session.get(url, headers=person.headers) as download:
                assert download.status == 503
            lost = await command.until(is_type("tool.finished"))
            refused = await call.until(is_type("tool.finished"))
            await until_gone(sandbox)
    assert (lost["data"]["command"]["state"], lost["data"]["text"]) == ("lost", "up\n")
    # Looking shows what was last seen.
    assert (listing["live"], [entry["name"] for entry in listing["entries"]].count("a.txt")) == (False, 1)
    # It did not answer, or it was gone already when the other call looked; then it was started anew.
    assert refused["data"]["ok"] or refused["data"]["error"]["code"] == "computer_unavailable"
    assert (await thread.exec("cat a.txt"))["output"] == "saved\n"


async def test_one_that_stands_still_for_a_moment_is_waited_for(
    thread: Thread, owner: str, faulty_stack: LocalStack
) -> None:
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send("$ echo up; sleep 0.2; echo end"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        sandbox = running(faulty_stack, owner)
        async with sandbox.stopped():
            assert sandbox.alive()
        finished = await watch.until(is_type("tool.finished"))
        await watch.until(ended(run_id))
    assert finished["data"]["text"] == "up\nend\n"


async def test_a_wake_outlives_a_service_that_does_not_answer_at_first(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await person.post("/api/computer/standby")
    await faults.arm("container.fetch", "hang", owner=owner, detail="GET /health")
    assert (await thread.exec("echo up"))["output"] == "up\n"
    assert len(await faults.fired()) == 1


async def test_a_start_that_is_refused_is_said_and_the_next_one_works(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await person.post("/api/computer/standby")
    # From whatever it tries to start.
    await faults.arm("container.start", "fail", owner=owner, times=20)
    (finished,) = of(await thread.run("$ echo no"), "tool.finished")
    assert finished["error"]["code"] == "computer_unavailable"
    assert (await computer(person))["reason"] == "start_failed"
    await faults.clear()
    assert (await thread.exec("echo up"))["output"] == "up\n"


async def test_an_object_that_is_evicted_at_any_of_its_writes_runs_the_command_once(
    thread: Thread, owner: str, faults: Faults
) -> None:
    for nth in range(1, 6):
        await faults.arm("write", "evict", nth=nth, cls=CLS, owner=owner)
        result = await thread.exec(f"echo {nth} >> ran; sleep 0.3; tail -n 1 ran")
        assert (result["state"], result["output"]) == ("exited", f"{nth}\n")
        await faults.clear()
    assert (await thread.exec("cat ran"))["output"] == "1\n2\n3\n4\n5\n"
    assert len(await faults.fired()) >= 3


async def test_an_alarm_that_comes_twice_saves_once_and_one_that_comes_late_still_does(
    thread: Thread, person: Person, owner: str, faults: Faults, faulty_stack: LocalStack
) -> None:
    await thread.exec("echo kept > a.txt")
    await faults.arm("alarm", "twice", cls=CLS, owner=owner)
    await faults.clock(IDLE_MS)
    await faults.ring(CLS, owner)
    assert (await computer(person))["state"] == "standby"
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"
    await faults.clock(IDLE_MS + 10 * HOUR_MS)
    await faults.arm("alarm", "drop", cls=CLS, owner=owner)
    await faults.ring(CLS, owner)
    assert (await computer(person))["state"] == "running"
    await faults.ring(CLS, owner)
    assert (await computer(person))["state"] == "standby"
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"
    assert [strike["action"] for strike in await faults.fired()] == ["twice", "drop"]


async def test_a_clock_that_jumps_during_a_command_makes_its_time_neither_negative_nor_huge(
    thread: Thread, person: Person, owner: str, faults: Faults, faulty_stack: LocalStack
) -> None:
    for jump in (2 * HOUR_MS, -HOUR_MS):
        async with thread.watched(await thread.head()) as watch:
            await thread.send("$ echo up; sleep 0.1; echo end")
            await watch.until(is_type("tool.output"))
            await faults.clock(jump)
            finished = await watch.until(is_type("tool.finished"))
        assert finished["data"]["text"] == "up\nend\n"
        assert 0 <= finished["data"]["command"]["duration_ms"] < 60_000
    async with thread.watched(await thread.head()) as watch:
        await thread.send("$ echo up; sleep 300")
        await watch.until(is_type("tool.output"))
        await faults.clock(2 * HOUR_MS)
        running(faulty_stack, owner).signal(signal.SIGKILL)
        finished = await watch.until(is_type("tool.finished"))
    assert finished["data"]["command"]["state"] == "lost"
    assert 0 <= finished["data"]["command"]["duration_ms"] < 200_000


async def test_looking_attaching_and_downloading_start_nothing(
    thread: Thread, person: Person, owner: str, faulty_stack: LocalStack, faults: Faults
) -> None:
    (artifact,) = of(await thread.run("$ echo kept > a.txt\n/export a.txt"), "artifact.created")
    await person.get("/api/files?path=&sort=name&order=asc&offset=0&limit=100")
    await person.post("/api/computer/standby")
    async with engine_events(faulty_stack) as events:
        for minute in range(10):
            await faults.clock(minute * 60_000)
            async with thread.watched():
                await thread.record()
                await person.get("/api/computer")
                await person.get("/api/threads")
                await person.get("/api/files?path=&sort=name&order=asc&offset=0&limit=100")
                await person.upload(thread, f"{minute}.csv", b"1\n")
                url = f"/api/artifacts/{artifact['id']}/content"
                async with person.session.get(url, headers=person.headers) as response:
                    assert await response.read() == b"kept\n"
            await faults.ring(CLS, owner)
        # What comes in order tells that nothing came before.
        await thread.exec("true")
        await until("the start", events.started)
        assert events.starts() == 1
