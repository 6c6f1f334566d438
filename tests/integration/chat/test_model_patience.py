"""A provider that stalls, and the platform's own keys: a deployment with settings of its own."""

import asyncio
import base64
from collections.abc import AsyncIterator, Iterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, of
from tests.model_server.script import Answer
from tests.model_server.server import WIRES, ScriptedServer, served

MODEL = "scripted"
PLATFORM_KEY = "sk-of-the-platform"
OLD, NEW, NEWEST = (base64.b64encode(letter * 32).decode() for letter in (b"o", b"n", b"s"))
VARS = {
    # Silence has to last for what a busy machine needs to do something else meanwhile.
    "BERTH_MODEL_SILENCE_SECONDS": "8",
    "BERTH_MODEL_ANSWER_SECONDS": "12",
    "BERTH_OPENAI_KEY": PLATFORM_KEY,
    "BERTH_KEY_ENCRYPTION_KEYS": f"old:{OLD}",
}


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    with LocalStack(tmp_path_factory.mktemp("berth"), vars=VARS) as running:
        yield running


@pytest.fixture
async def owner(impatient: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(impatient) as made:
        yield made


async def test_a_provider_that_stalls_or_never_ends_leaves_the_thread_usable(owner: Person) -> None:
    """All of them beside each other: what they wait for is time."""
    async with asyncio.TaskGroup() as group:
        group.create_task(signs_of_life_for_ever_are_not_an_answer(owner))
        for provider in WIRES:
            group.create_task(a_provider_that_stalls(owner, provider))


async def a_provider_that_stalls(owner: Person, provider: str) -> None:
    server = ScriptedServer([Answer("half", fault="stall")], model=MODEL)
    async with served(server) as url:
        bot = await owner.bot(model={"provider": provider, "base_url": url, "model": MODEL})
        thread = await owner.thread(bot)
        async with thread.watched() as watch:
            run = (await thread.send("go"))["run"]["id"]
            await server.stalled.wait()
            # It is taken while the model says nothing, and the other threads go on.
            assert (await thread.send("still there?"))["run"]["id"] == run
            await (await owner.thread()).run("hello")
            error = (await watch.until(ended(run)))["data"]["error"]
        assert (error["code"], "silent" in error["message"]) == ("model_unavailable", True)
        await owner.ask("PATCH", f"/api/bots/{bot['id']}", expect=200, json={"model": {}})
        answered = await thread.run("hello")
        assert of(answered, "run.status")[-1]["state"] == "done"


async def signs_of_life_for_ever_are_not_an_answer(owner: Person) -> None:
    server = ScriptedServer([Answer("half", fault="ping")], model=MODEL)
    async with served(server) as url:
        bot = await owner.bot(model={"provider": "openai", "base_url": url, "model": MODEL})
        error = of(await (await owner.thread(bot)).run("go"), "run.status")[-1]["error"]
    assert (error["code"], "more than 12 seconds" in error["message"]) == ("model_unavailable", True)


async def test_the_platforms_key_goes_to_its_provider_only(owner: Person) -> None:
    me = await owner.get("/api/me")
    assert me["platform_keys"] == ["openai", "openai_responses"]
    server = ScriptedServer([Answer("ok")], model=MODEL)
    async with served(server) as url:
        bot = await owner.bot(model={"provider": "openai", "base_url": url, "model": MODEL})
        await (await owner.thread(bot)).run("go")
    assert PLATFORM_KEY not in str(server.headers)


async def test_keys_are_sealed_anew_when_the_key_encryption_key_is_replaced(impatient: LocalStack) -> None:
    """The last test of this stack: it is stopped, and others start on its state with other rings."""
    server = ScriptedServer([Answer("ok")], model=MODEL, key="sk-own-key-1")
    async with served(server) as url:
        model = {"provider": "openai", "base_url": url, "model": MODEL, "api_key": "sk-own-key-1"}
        async with Person.at(impatient, "rotation") as before:
            thread = await before.thread(await before.bot(model=model))
            await thread.run("go")
        impatient.stop()
        with LocalStack(
            impatient.state, vars={"BERTH_KEY_ENCRYPTION_KEYS": f"new:{NEW} old:{OLD}"}
        ) as running:
            async with Person.at(running, "rotation") as after:
                run = of(await Thread(after, thread.id).run("again"), "run.status")[-1]
        assert run["state"] == "done", run["error"]
        assert sealed_with(impatient, "new")
        # The old one has gone, and another is in front of what nobody knows any more.
        settings = {
            "BERTH_NEWER_KEY_ENCRYPTION_KEYS": f"newest:{NEWEST}",
            "BERTH_KEY_ENCRYPTION_KEYS": f"new:{NEW}",
        }
        with LocalStack(impatient.state, vars=settings) as running:
            async with Person.at(running, "rotation") as after:
                run = of(await Thread(after, thread.id).run("once more"), "run.status")[-1]
        assert run["state"] == "done", run["error"]
        assert sealed_with(impatient, "newest")


def sealed_with(stack: LocalStack, key_id: str) -> bool:
    files = [file for file in stack.state.rglob("*.sqlite*") if file.is_file()]
    return any(f"v1.{key_id}.".encode() in file.read_bytes() for file in files)
