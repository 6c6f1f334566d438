"""Commands from chat, through the Worker, both objects, the sandbox and back."""

import asyncio
from collections.abc import Callable

import pytest

from contracts.limits import COMMANDS_AT_ONCE, OUTPUT_CHARACTERS
from tests.integration.chat.person import UNTIL_NO_SLEEP, Event, Person, Thread, ended, is_type, of


async def test_output_streams_as_it_is_written(thread: Thread) -> None:
    other = await thread.person.thread()
    async with thread.watched() as watch:
        # It goes on only when what it has written was seen.
        await thread.send("$ for i in 1 2 3; do echo line $i; until [ -e $i ]; do sleep 0.05; done; done")
        for number in (1, 2, 3):
            await watch.until(wrote(f"line {number}\n"))
            await other.exec(f"touch {number}")
        finished = await watch.until(is_type("tool.finished"))
    assert finished["data"]["text"] == "line 1\nline 2\nline 3\n"


def wrote(text: str) -> Callable[[Event], bool]:
    return lambda event: event["type"] == "tool.output" and text in event["data"]["text"]


async def test_a_stopped_command_is_gone_with_everything_it_started(thread: Thread) -> None:
    command = "$ (setsid sleep 300 &) ; sleep 300 & echo up; trap '' TERM; sleep 300; sleep 300"
    async with thread.watched() as watch:
        run_id = (await thread.send(command))["run"]["id"]
        output = await watch.until(is_type("tool.output"))
        call_id = output["data"]["tool_call_id"]
        stop = await thread.person.post(f"/api/commands/{call_id}/stop", expect=202)
        assert stop == {"asked": True}
        finished = await watch.until(is_type("tool.finished"))
        await watch.until(ended(run_id))
    assert finished["data"]["command"]["state"] == "stopped"
    assert (await thread.exec(UNTIL_NO_SLEEP))["output"] == "gone\n"


async def test_a_command_that_prints_as_fast_as_it_can_is_stopped_while_it_prints(thread: Thread) -> None:
    async with thread.watched() as watch:
        run_id = (await thread.send("$ yes"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        # Nobody who is kept waiting by the output would get here before it has timed out.
        await thread.person.post(f"/api/runs/{run_id}/stop", expect=202)
        finished = await watch.until(is_type("tool.finished"))
        await watch.until(ended(run_id))
    assert finished["data"]["command"]["state"] == "stopped"


async def test_what_was_printed_before_a_stop_is_not_read_to_its_end_first(thread: Thread) -> None:
    other = await thread.person.thread()
    size = 60_000_000  # all of it is in the log, which is where one who is behind reads
    printed = asyncio.ensure_future(other.exec("until [ -e printed ]; do sleep 0.05; done"))
    command = f"yes | head -c {size}; echo last; touch printed; sleep 300"
    async with thread.watched() as watch:
        run_id = (await thread.send(f"$ {command}"))["run"]["id"]
        await printed
        await watch.until(is_type("tool.output"))
        await thread.person.post(f"/api/runs/{run_id}/stop", expect=202)
        result = (await watch.until(is_type("tool.finished")))["data"]["command"]
        await watch.until(ended(run_id))
    assert (result["state"], result["output_bytes"], result["log_note"]) == ("stopped", size + 5, None)
    assert result["cut_lines"] is None
    # Of what was left out each byte counts as a character, and these are.
    head, middle, tail = result["output"].partition(f"\n[… {result['cut_characters']} characters cut here;")
    assert head.startswith("y\ny\n")
    assert middle
    assert tail.endswith("y\nlast\n")
    assert (await thread.exec(f"stat -c %s {result['log_path']}"))["output"] == f"{size + 5}\n"


async def test_a_stopped_run_makes_no_further_calls(thread: Thread) -> None:
    async with thread.watched() as watch:
        run_id = (await thread.send("$ echo one; sleep 300\n$ echo two"))["run"]["id"]
        await watch.until(is_type("tool.output"))
        await thread.person.post(f"/api/runs/{run_id}/stop", expect=202)
        end = await watch.until(ended(run_id))
    assert end["data"]["state"] == "stopped"
    assert len(of(await thread.record(), "tool.started")) == 1


@pytest.mark.parametrize("turns", [0, 1, 5])
async def test_a_run_stopped_while_the_computer_starts_ends_without_its_command(
    thread: Thread, turns: int
) -> None:
    await thread.person.post("/api/computer/standby")
    async with thread.watched() as watch:
        run_id = (await thread.send("$ touch begun; sleep 30"))["run"]["id"]
        for _ in range(turns):
            await thread.person.get("/api/computer")
        await thread.person.post(f"/api/runs/{run_id}/stop", expect=202)
        end = await watch.until(ended(run_id))
    assert end["data"]["state"] == "stopped"


async def test_stopping_what_is_over_says_so(thread: Thread) -> None:
    result = await thread.exec("true")
    assert await thread.person.post(f"/api/commands/{result['id']}/stop", expect=202) == {"asked": False}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("exit 300", {"state": "exited", "exit_code": 44, "signal": None}),
        ("kill -9 $$", {"state": "signalled", "exit_code": None, "signal": 9}),
        ("false | true", {"state": "exited", "exit_code": 0, "signal": None}),
        ("read x; echo got:$x; cat; python3 -c 'input()'", {"state": "exited", "exit_code": 1}),
        ("sleep 90 & echo done", {"state": "exited", "exit_code": 0, "leftovers": 1, "output": "done\n"}),
    ],
)
async def test_ends_are_told_apart(thread: Thread, command: str, expected: dict[str, object]) -> None:
    result = await thread.exec(command)
    assert {name: result[name] for name in expected} == expected


async def test_memory_that_is_not_there_is_named(thread: Thread) -> None:
    result = await thread.exec("python3 -c 'x = bytearray(10**11)'")
    assert result["oom"] or "MemoryError" in result["output"]
    assert result["exit_code"] != 0 or result["signal"]


async def test_a_character_cut_by_chunks_stays_one(thread: Thread) -> None:
    script = (
        'python3 -c "import os,time;[(os.write(1, bytes([b])), time.sleep(.1)) for b in (0xe2,0x89,0xa4,10)]"'
    )
    assert (await thread.exec(script))["output"] == "≤\n"


async def test_a_command_of_300_kilobytes_runs(thread: Thread) -> None:
    text = "x" * 300_000
    result = await thread.exec(f"cat <<'END' | wc -c\n{text}\nEND")
    assert result["output"] == "300001\n"


async def test_ten_megabytes_of_output_are_cut_for_the_model_and_whole_in_the_log(thread: Thread) -> None:
    result = await thread.exec("yes 0123456789abcde | head -c 10000000")
    assert result["output_bytes"] == 10_000_000
    assert len(result["output"]) <= OUTPUT_CHARACTERS
    assert result["log_path"] in result["output"]
    size = await thread.exec(f"stat -c %s {result['log_path']}")
    assert size["output"] == "10000000\n"


async def test_commands_at_the_limit_run_at_once_and_one_more_waits_its_turn(person: Person) -> None:
    bot = await person.bot()
    threads = [await person.thread(bot) for _ in range(COMMANDS_AT_ONCE + 1)]
    await threads[0].exec("true")
    gate = "while [ ! -e /workspace/open ]; do sleep 0.05; done; echo through"
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(thread.exec(gate)) for thread in threads[:COMMANDS_AT_ONCE]]
        await person.until_computer(
            lambda view: len(view["commands"]) == COMMANDS_AT_ONCE, "as many commands as may run at once"
        )
        async with threads[-1].watched() as watch:
            run_id = (await threads[-1].send("$ touch /workspace/open"))["run"]["id"]
            await watch.until(is_waiting_for_a_slot)
            listed = {one["id"]: one["run"] for one in (await person.get("/api/threads"))["items"]}
            assert (listed[threads[-1].id]["state"], listed[threads[0].id]["state"]) == ("queued", "running")
            commands = (await person.get("/api/computer"))["commands"]
            await person.post(f"/api/commands/{commands[0]['id']}/stop", expect=202)
            await watch.until(ended(run_id))
    states = sorted(task.result()["state"] for task in running)
    assert states == ["exited"] * (COMMANDS_AT_ONCE - 1) + ["stopped"]


def is_waiting_for_a_slot(event: Event) -> bool:
    return bool(event["type"] == "run.status" and event["data"]["reason"] == "computer_busy")


async def test_the_computer_has_two_variables_of_ours_and_no_key(thread: Thread) -> None:
    result = await thread.exec("env | grep -E '^BERTH|KEY|TOKEN|SECRET' | sort")
    assert result["output"] == "BERTH_ACCOUNT_ADDRESSES=\nBERTH_NETWORK=testnet\n"


async def test_a_command_is_nobody_and_sees_nothing_of_the_host(thread: Thread) -> None:
    result = await thread.exec(
        "id -u; grep CapEff /proc/self/status; ls /home; cat /etc/shadow /root/* 2>/dev/null"
    )
    assert result["output"] == "1000\nCapEff:\t0000000000000000\nberth\n"
