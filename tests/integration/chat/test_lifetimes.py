"""What survives: sleep, a killed machine, a killed Worker."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, awake, ended, is_type, of
from tests.integration.waiting import until


async def test_files_survive_sleep_and_nothing_else_wakes_it(thread: Thread) -> None:
    await thread.exec("echo kept > a.txt; chmod 750 a.txt; ln -s a.txt link; echo home > ~/b.txt")
    for _ in range(2):
        assert (await thread.person.post("/api/computer/standby"))["state"] == "standby"
        await thread.record()
        assert (await thread.person.get("/api/computer"))["state"] == "standby"
        result = await thread.exec("cat link ~/b.txt; stat -c %a a.txt; ls /tmp | wc -l")
        assert result["output"] == "kept\nhome\n750\n0\n"
    kinds = [event["data"]["state"] for event in await thread.record() if event["type"] == "computer.status"]
    assert kinds.count("starting") == kinds.count("running") == 3


MANIFEST = "find . -path ./.berth -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum"


async def test_every_byte_is_there_after_each_of_five_sleeps(thread: Thread) -> None:
    for cycle in range(5):
        many = f"seq 1000 | while read n; do echo {cycle}.$n > $n; done"
        added = f"mkdir {cycle} && cd {cycle} && head -c 5M /dev/urandom > large && {many}; cd ..; {MANIFEST}"
        before = await thread.exec(added)
        assert (await thread.person.post("/api/computer/standby"))["state"] == "standby"
        assert (await thread.exec(MANIFEST))["output"] == before["output"]
    assert (await thread.exec("ls */large | wc -l; ls 4 | wc -l"))["output"] == "5\n1001\n"


async def test_a_command_that_closes_the_folders_to_their_owner_does_not_lock_the_computer(
    thread: Thread,
) -> None:
    await thread.exec("echo kept > a.txt; chmod 0 ~ .")
    assert (await thread.person.post("/api/computer/standby"))["state"] == "standby"
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"


async def test_a_computer_that_nobody_talks_to_for_a_while_is_still_the_same(thread: Thread) -> None:
    # workerd puts an object away after ten seconds without a call, and its container with it.
    first = await thread.exec("echo kept > a.txt; cat /proc/sys/kernel/random/boot_id; stat -c %Y /proc/1")
    async with thread.watched(await thread.head()) as watch:
        with contextlib.suppress(TimeoutError):
            await watch.socket.receive(timeout=15)
    second = await thread.exec(
        "cat a.txt > /dev/null && cat /proc/sys/kernel/random/boot_id; stat -c %Y /proc/1"
    )
    assert second["output"] == first["output"]


async def test_a_busy_computer_does_not_sleep(thread: Thread) -> None:
    async with thread.watched() as watch:
        await thread.send("$ echo up; until [ -e go ]; do sleep 0.05; done; echo done")
        await watch.until(is_type("tool.output"))
        assert (await thread.person.post("/api/computer/standby"))["state"] == "running"
        await (await thread.person.thread()).exec("touch go")
        finished = await watch.until(is_type("tool.finished"))
    assert finished["data"]["text"] == "up\ndone\n"


async def test_a_machine_that_is_killed_leaves_its_command_lost_and_the_next_one_runs(
    thread: Thread, stack: LocalStack
) -> None:
    await thread.exec("echo kept > a.txt")
    await thread.person.post("/api/computer/standby")
    marker = f"sleep 300.{os.getpid()}"
    async with thread.watched() as watch:
        run_id = (await thread.send(f"$ echo up; {marker}"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        os.kill(await sandbox_of(marker), signal.SIGKILL)
        finished = await watch.until(is_type("tool.finished"))
        end = await watch.until(ended(run_id))
    assert finished["data"]["command"]["state"] == "lost"
    assert finished["data"]["text"] == "up\n"
    assert end["data"]["state"] == "done"
    events = await thread.run("$ cat a.txt")
    assert of(events, "tool.finished")[0]["text"] == "kept\n"
    (notice,) = of(events, "notice")
    assert notice["code"] == "computer_restored"
    restored = notice["restored"]
    assert restored["source"] == "snapshot"
    assert 0 < restored["as_of_ms"] < restored["lost_ms"] < restored["woke_ms"]
    assert of(await thread.run("$ cat a.txt"), "notice") == []


async def test_a_machine_that_is_killed_before_it_was_ever_saved_says_that_nothing_is_left(
    thread: Thread,
) -> None:
    marker = f"sleep 301.{os.getpid()}"
    async with thread.watched() as watch:
        run_id = (await thread.send(f"$ echo new > a.txt; echo up; {marker}"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        os.kill(await sandbox_of(marker), signal.SIGKILL)
        await watch.until(ended(run_id))
    events = await thread.run("$ ls -A | grep -v .berth")
    (notice,) = of(events, "notice")
    assert (notice["restored"]["source"], notice["restored"]["as_of_ms"]) == ("fresh", None)
    assert of(events, "tool.finished")[0]["text"] == ""


async def test_attached_files_that_a_killed_machine_lost_are_brought_again(thread: Thread) -> None:
    first = await thread.person.upload(thread, "first.csv", b"one\n")
    await thread.run("$ cat uploads/first.csv", first)
    await thread.person.post("/api/computer/standby")
    second = await thread.person.upload(thread, "second.csv", b"two\n")
    marker = f"sleep 302.{os.getpid()}"
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send(f"$ cat uploads/second.csv; {marker}", second))["run"]["id"]
        await watch.until(is_type("tool.output"))
        os.kill(await sandbox_of(marker), signal.SIGKILL)
        await watch.until(ended(run_id))
    await thread.run("$ true")
    result = await thread.exec("cat uploads/*")
    assert result["output"] == "one\ntwo\n"


async def test_a_reset_takes_the_files_and_leaves_the_results(thread: Thread) -> None:
    await thread.exec("echo kept > a.txt; echo hidden > ~/b.txt")
    (artifact,) = of(await thread.run("/export a.txt"), "artifact.created")
    await thread.person.post("/api/computer/standby")
    async with thread.watched(await thread.head()) as watch:
        run_id = (await thread.send("$ echo up; sleep 300"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        reset = await thread.person.post("/api/computer/reset")
        finished = await watch.until(is_type("tool.finished"))
        await watch.until(ended(run_id))
    assert (reset["state"], reset["reason"]) == ("standby", "reset")
    assert finished["data"]["command"]["state"] == "stopped"
    await thread.person.get("/api/files?path=", expect=503)
    events = await thread.run("$ ls -A ~ /workspace | grep -e a.txt -e b.txt; echo end")
    assert of(events, "tool.finished")[0]["text"] == "end\n"
    assert of(events, "notice") == []
    url = f"/api/artifacts/{artifact['id']}/content"
    async with thread.person.session.get(url, headers=thread.person.headers) as response:
        assert await response.read() == b"kept\n"
    kinds = [entry["kind"] for entry in (await thread.person.get("/api/audit"))["items"]]
    assert kinds.count("computer_reset") == 1


async def sandbox_of(marker: str) -> int:
    """The first process of the sandbox in which a command with this marker runs, seen from the host."""

    async def look() -> list[int]:
        return [pid for pid in processes() if command_line(pid).strip() == marker]

    # What the shell printed before it can be here sooner than the command behind it.
    (pid,) = await until(marker, look)
    while namespace_pid(parent(pid)) is not None and namespace_pid(pid) != 1:
        pid = parent(pid)
    return pid


def processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def parent(pid: int) -> int:
    return int(status(pid)["PPid"])


def namespace_pid(pid: int) -> int | None:
    """The process's id in its own pid namespace, None where it is in ours."""
    ids = status(pid)["NSpid"].split()
    return int(ids[-1]) if len(ids) > 1 else None


async def test_a_killed_worker_goes_on_with_the_command_and_runs_it_once(mortal: LocalStack) -> None:
    async with Person.at(mortal, "worker-killed") as person:
        thread = await person.thread()
        async with thread.watched() as watch:
            await thread.send("$ echo begun >> ran; sleep 8; echo end\n$ cat ran")
            await watch.until(is_type("tool.started"))
            await watch.until(
                lambda event: event["type"] == "computer.status" and event["data"]["state"] == "running"
            )
        await asyncio.to_thread(mortal.kill_host)
        await asyncio.to_thread(mortal.start_host)
    async with Person.at(mortal, "worker-killed") as person:
        after = Thread(person, thread.id)
        async with after.watched() as watch:
            await watch.until(
                lambda event: event["type"] == "run.status" and event["data"]["state"] == "done"
            )
        first, second = of(watch.seen, "tool.finished")
        assert first["command"]["state"] in {"exited", "lost"}
        if first["command"]["state"] == "exited":
            assert first["text"] == "end\n"
            assert second["text"] == "begun\n"
        assert len(of(watch.seen, "tool.started")) == 2


async def test_a_killed_engine_takes_its_computers_along_and_the_next_one_has_what_was_saved(
    mortal: LocalStack,
) -> None:
    async with Person.at(mortal, "engine-killed") as person:
        thread = await person.thread()
        await thread.exec("echo saved > a.txt")
        await person.post("/api/computer/standby")
        async with thread.watched(await thread.head()) as watch:
            run_id = (await thread.send("$ echo up; sleep 300"))["run"]["id"]
            await watch.until(is_type("tool.output"))
            assert not mortal.revive_engine()
            os.kill(mortal.engine_pid, signal.SIGKILL)
            finished = await watch.until(is_type("tool.finished"))
            await watch.until(ended(run_id))
        assert finished["data"]["command"]["state"] == "lost"
        await until("the end of the engine", lambda: asyncio.to_thread(mortal.revive_engine))
    async with Person.at(mortal, "engine-killed") as person:
        events = await Thread(person, thread.id).run("$ cat a.txt")
        assert of(events, "tool.finished")[0]["text"] == "saved\n"
        assert [notice["code"] for notice in of(events, "notice")] == ["computer_restored"]


async def test_the_operator_can_put_every_computer_to_sleep_with_what_it_has(
    thread: Thread, stack: LocalStack
) -> None:
    async with thread.watched() as watch:
        run_id = (await thread.send("$ echo kept > a.txt; echo up; sleep 300"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        owner_id = (await thread.person.get("/api/me"))["id"]
        assert owner_id in await awake(stack)
        assert (await thread.person.post("/api/computer/standby?stop=true"))["state"] == "standby"
        await watch.until(ended(run_id))
    assert owner_id not in await awake(stack)
    assert (await thread.exec("cat a.txt"))["output"] == "kept\n"
