"""A provider that says nothing for as long as it may, while a heavy thread of the same owner goes on.

The suite gives silence seconds. `BERTH_STALL_SECONDS=600` gives it ten minutes, with a thread of 200 turns
meanwhile; nothing else differs.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, of
from tests.integration.waiting import SECONDS
from tests.model_server.script import Answer
from tests.model_server.server import ScriptedServer, served

STALL_SECONDS = float(os.environ.get("BERTH_STALL_SECONDS", "20"))
TURNS = max(5, min(200, int(STALL_SECONDS / 3)))
VARS = {
    "BERTH_MODEL_SILENCE_SECONDS": f"{STALL_SECONDS:g}",
    "BERTH_MODEL_ANSWER_SECONDS": f"{2 * STALL_SECONDS + 600:g}",
}
MODEL = "scripted"
OUTPUT_BYTES = 10_000_000
# What an isolate may hold is 128 MB; a thread of any kind has to stay well below.
HEAP_BYTES_MAX = 96 * 1024 * 1024


@pytest.mark.timeout(STALL_SECONDS + 900)
async def test_a_provider_may_stall_for_ten_minutes_and_everything_stays_usable(tmp_path: Path) -> None:
    # A stack of its own: the memory of Python never shrinks, and other tests need more.
    with LocalStack(tmp_path / "state", vars=VARS) as stack:
        async with Person.at(stack) as person:
            await _stalls(person)
        heap = stack.host.heap_bytes()
    print(f"{STALL_SECONDS:g} s of silence, {TURNS} turns: Python has {heap / 2**20:.1f} MiB")
    assert heap < HEAP_BYTES_MAX


async def _stalls(person: Person) -> None:
    async with _asked(person, "stall") as silent, _asked(person, "ping") as endless:
        silent_run, endless_run = await _begin(silent), await _begin(endless)
        async with silent.watched() as watch:
            ending = asyncio.ensure_future(watch.until(ended(silent_run), STALL_SECONDS + SECONDS))
            # The thread itself is usable too: it takes a message, and shows what it waits for.
            assert (await silent.send("still there?"))["run"]["id"] == silent_run
            assert await _state(silent) == "running"
            assert await _turns_during(person, ending) > 0
            error = (await ending)["data"]["error"]
        assert error["code"] == "model_unavailable"
        assert f"silent for {STALL_SECONDS:g} seconds" in error["message"]
        # The other one is not silent: it goes on saying nothing until it is stopped.
        assert await _state(endless) == "running"
        async with endless.watched(await endless.head()) as watch:
            await person.post(f"/api/runs/{endless_run}/stop", expect=202)
            assert (await watch.until(ended(endless_run)))["data"]["state"] == "stopped"
        for thread in (silent, endless):
            assert of(await _answered(thread), "run.status")[-1]["state"] == "done"


@asynccontextmanager
async def _asked(person: Person, fault: str) -> AsyncIterator[Thread]:
    """A thread whose model says half a sentence, and then nothing or signs of life for ever."""
    server = ScriptedServer([Answer("half", fault=fault)], model=MODEL)  # type: ignore[arg-type]
    async with served(server) as url:
        yield await person.thread(await person.bot(model=_model(url)))


def _model(url: str) -> dict[str, str]:
    return {"provider": "openai", "base_url": url, "model": MODEL}


async def _begin(thread: Thread) -> str:
    async with thread.watched() as watch:
        run_id = str((await thread.send("go"))["run"]["id"])
        await watch.until(lambda event: event["type"] == "part.delta")
    return run_id


async def _turns_during(person: Person, stall: asyncio.Future[dict[str, object]]) -> int:
    """A long output and many turns, spread over the stall; returns how many were answered during it."""
    bot = await person.bot()
    thread = await person.thread(bot)
    result = await thread.exec(f"head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' x")
    assert result["output_bytes"] == OUTPUT_BYTES
    server = ScriptedServer([Answer("word " * 900)], model=MODEL, piece=2_000, packet=65_536)
    during = 0
    async with served(server) as url:
        await person.ask("PATCH", f"/api/bots/{bot['id']}", expect=200, json={"model": _model(url)})
        for number in range(TURNS):
            events = await thread.run(f"turn {number} " + "x" * 1_000)
            assert of(events, "run.status")[-1]["state"] == "done", of(events, "run.status")[-1]
            during += not stall.done()
            await asyncio.wait({stall}, timeout=STALL_SECONDS / TURNS / 2)
    return during


async def _state(thread: Thread) -> str | None:
    run = (await thread.person.get(f"/api/threads/{thread.id}"))["run"]
    return str(run["state"]) if run else None


async def _answered(thread: Thread) -> list[dict[str, object]]:
    """The thread goes on, with a bot that has no model."""
    bot_id = (await thread.person.get(f"/api/threads/{thread.id}"))["bot_id"]
    await thread.person.ask("PATCH", f"/api/bots/{bot_id}", expect=200, json={"model": {}})
    return await thread.run("hello")
