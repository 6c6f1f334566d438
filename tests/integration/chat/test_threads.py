"""Finding, naming, exporting and deleting threads, in the Worker's own SQLite and with its own R2."""

from typing import Any

from contracts.limits import SEARCH_CHARACTERS_MAX
from tests.integration.chat.person import Person, Thread, ended, is_type, of
from tests.model_server.script import Answer
from tests.model_server.server import ScriptedServer, served

MODEL = "scripted"


async def found(person: Person, query: str, **more: Any) -> list[dict[str, Any]]:
    page = await person.ask("GET", "/api/search", expect=200, params={"q": query, **more})
    return list(page["items"])


async def marked(person: Person, query: str) -> list[str]:
    """What is highlighted in the hits, the newest first."""
    return [part["text"] for hit in await found(person, query) for part in hit["snippet"] if part["hit"]]


async def test_messages_are_found_by_words_of_any_length_and_script(person: Person, thread: Thread) -> None:
    await thread.run("给我画一张企鹅的体重图 with Größe_von.csv")
    assert await marked(person, "企鹅") == ["企鹅"]
    assert await marked(person, "图") == ["图"]
    assert await marked(person, "企鹅的体重") == ["企鹅的体重"]
    assert await marked(person, "grö") == ["Grö"]
    assert await found(person, "grosse")
    assert await found(person, "企体") == []
    assert await found(person, '"*') == []
    await found(person, "x" * SEARCH_CHARACTERS_MAX)
    await person.get(f"/api/search?q={'x' * (SEARCH_CHARACTERS_MAX + 1)}", expect=422)
    (hit,) = await found(person, "企鹅 csv")
    assert (hit["thread_id"], hit["seq"], hit["role"]) == (thread.id, 1, "user")


async def test_a_branch_is_searched_too(person: Person, thread: Thread) -> None:
    await thread.run("the quokka")
    await thread.run("a second word")
    seq = next(
        event["seq"] for event in await thread.record() if event["data"].get("text") == "a second word"
    )
    body = {"client_id": "branch-0001", "seq": seq, "text": "changed"}
    made = await person.post(f"/api/threads/{thread.id}/branches", body, expect=201)
    assert {hit["thread_id"] for hit in await found(person, "quokka")} == {thread.id, made["thread"]["id"]}


async def test_a_deleted_thread_is_gone_at_once_and_comes_back_whole(person: Person, thread: Thread) -> None:
    async with thread.watched() as watch:
        run_id = (await thread.send("$ echo here; sleep 600"))["run"]["id"]
        await watch.until(is_type("tool.output"))
    await person.ask("DELETE", f"/api/threads/{thread.id}", expect=204)
    assert (await person.get("/api/threads"))["items"] == []
    assert await found(person, "here") == []
    await person.get(f"/api/threads/{thread.id}", expect=404)
    assert (await person.post(f"/api/threads/{thread.id}/restore"))["id"] == thread.id
    async with thread.watched() as watch:
        end = await watch.until(ended(run_id))
    assert end["data"]["state"] == "stopped"
    assert of(watch.seen, "tool.finished")[0]["command"]["state"] == "stopped"
    assert [hit["thread_id"] for hit in await found(person, "here")] == [thread.id]
    await person.post("/api/threads/thr_none/restore", expect=404)


async def test_an_export_is_the_whole_thread(person: Person, thread: Thread) -> None:
    await thread.run("$ printf '```\\n# not a heading\\n'")
    record = await thread.record()
    whole = await person.ask("GET", f"/api/threads/{thread.id}/export?as=json", expect=200)
    assert whole["events"] == record
    assert whole["complete"] is True
    address = f"/api/threads/{thread.id}/export"
    async with person.session.get(address, headers=person.headers) as response:
        text = await response.text()
    assert response.headers["content-disposition"].startswith(f'attachment; filename="{thread.id}.md"')
    assert "````text\n```\n# not a heading\n````\n" in text
    assert text.endswith("---\n\nEnd of the export.\n")
    await person.get("/api/threads/thr_none/export", expect=404)
    await person.get(f"{address}?as=pdf", expect=422)


async def test_a_model_names_the_thread_and_a_person_has_the_last_word(person: Person) -> None:
    server = ScriptedServer([Answer("Gern."), Answer("Ja.")], model=MODEL, title="“Pinguine wiegen”")
    async with served(server) as url:
        model = {"provider": "openai", "base_url": url, "model": MODEL, "api_key": "k"}
        thread = await person.thread(await person.bot(model=model))
        async with thread.watched() as watch:
            await thread.send("Hilf mir, Pinguine zu wiegen")
            told = await watch.until(is_type("thread.titled"))
        assert told["data"] == {"thread_id": thread.id, "title": "Pinguine wiegen"}
        assert (await person.get(f"/api/threads/{thread.id}"))["title"] == "Pinguine wiegen"
        await person.ask("PATCH", f"/api/threads/{thread.id}", expect=200, json={"title": "Mine"})
        await thread.run("Noch etwas")
        assert (await person.get(f"/api/threads/{thread.id}"))["title"] == "Mine"
    assert len(server.named) == 1
