"""One version back on the same state: what the next version wrote is read, and everything goes on.

The next version is this one with a step behind each object's tables, as a real one would have it.
"""

import shutil
from pathlib import Path

import aiohttp
import pytest

from local.bundle import ROOT
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread

COPIED = ("workers", "durable_objects", "egress", "contracts", "container", "local")
MADE = ("build", ".berth")
NEXT_STEPS = {
    "durable_objects/bot_owner/schema.py": (
        "ALTER TABLE threads ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'",
        "ALTER TABLE runs ADD COLUMN weight INTEGER",
        "ALTER TABLE events ADD COLUMN importance INTEGER NOT NULL DEFAULT 1",
        "CREATE TABLE of_the_next_version (id TEXT PRIMARY KEY)",
    ),
    "durable_objects/bot_computer/schema.py": (
        "ALTER TABLE machine ADD COLUMN colour TEXT NOT NULL DEFAULT 'green'",
        "ALTER TABLE commands ADD COLUMN weight INTEGER",
    ),
}


def next_version(folder: Path) -> Path:
    """A tree of the version to come, which shares what was installed."""
    folder.mkdir()
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.name not in {*COPIED, *MADE, ".git"}:
            (folder / path.name).symlink_to(path)
    (folder / "python_modules").unlink()
    (folder / "python_modules").mkdir()
    (folder / ".berth").mkdir()
    for name, steps in NEXT_STEPS.items():
        file = folder / name
        file.write_text(f"{file.read_text()}\nSCHEMA = (*SCHEMA, {steps!r})\n")
    return folder


async def said(stack: LocalStack, thread_id: str | None, word: str) -> tuple[str, list[str]]:
    """Say a word by a command in a thread, the person's only one; returns it and all that was said so far."""
    async with aiohttp.ClientSession(base_url=stack.url) as session:
        person = Person(stack, session, "keeper")
        thread = Thread(person, thread_id) if thread_id else await person.thread()
        await thread.exec(f"echo {word} >> words; echo {word}")
        result = await thread.run("$ cat words")
        (finished,) = [event["data"] for event in result if event["type"] == "tool.finished"]
        listed = [one["id"] for one in (await person.get("/api/threads"))["items"]]
        assert listed == [thread.id]
        return thread.id, finished["text"].split()


@pytest.mark.timeout(600)
async def test_the_version_before_goes_on_with_what_the_next_one_left(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with LocalStack(state) as now:
        thread_id, words = await said(now, None, "one")
        assert "one" in words
    with LocalStack(state, root=next_version(tmp_path / "next")) as later:
        _, words = await said(later, thread_id, "two")
        assert "two" in words
    with LocalStack(state) as again:
        _, words = await said(again, thread_id, "three")
        assert "three" in words
        async with aiohttp.ClientSession(base_url=again.url) as session:
            record = await Thread(Person(again, session, "keeper"), thread_id).record()
        sent = [event["data"]["text"] for event in record if event["type"] == "message.created"]
        assert [text for text in sent if "echo" in text] == [
            f"$ echo {word} >> words; echo {word}" for word in ("one", "two", "three")
        ]
