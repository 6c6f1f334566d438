"""`./berth demo` as a person starts it: the whole story on a Berth of its own, and every way to its end."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.demo.story import CHART, DENIED_HOST, PACKAGE, SCRIPT, TABLE
from tests.model_server.script import Answer, Call
from tests.model_server.server import ScriptedServer, served

SECONDS = 270
LAST_SECONDS = 60
MODEL = "scripted-1"
KEY = "key-of-the-test"
EXEC = "computer__exec"
ANSWERS = (
    Answer("I install what I need.", [Call(EXEC, {"command": f"pip install {PACKAGE}"})]),
    Answer("", [Call(EXEC, {"command": f"curl -sS https://{DENIED_HOST}/"})]),
    Answer(
        "Now the script, and its run.",
        [
            Call("computer__write_file", {"path": SCRIPT.name, "content": SCRIPT.read_text()}),
            Call(EXEC, {"command": f"python3 {SCRIPT.name} uploads/{TABLE.name} {CHART}"}),
        ],
    ),
    Answer("", [Call("computer__export_artifact", {"path": CHART})]),
    Answer("Done."),
    Answer("Longer flippers go with heavier birds. Gentoos are the largest."),
)


class Demo:
    """The demo as a process, with a folder of its own for everything temporary."""

    def __init__(self, folder: Path) -> None:
        self.out = folder / "out"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()

    async def start(self, *arguments: str) -> Process:
        env = {**os.environ, "TMPDIR": str(self.temporary), "BERTH_TEST_KEY": KEY}
        command = [sys.executable, str(ROOT / "berth"), "demo", "--out", str(self.out), *arguments]
        return await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=env)

    async def run(self, *arguments: str) -> tuple[int | None, str, str]:
        process = await self.start(*arguments)
        async with asyncio.timeout(SECONDS):
            out, err = await process.communicate()
        return process.returncode, out.decode(), err.decode()

    async def left_behind(self) -> list[str]:
        """What is still there when everything has had its time to end."""
        deadline = asyncio.get_running_loop().time() + LAST_SECONDS
        # Miniflare leaves a process of its own that looks for containers once more, and ends at once.
        while (found := self._found()) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.02)
        return found

    def _found(self) -> list[str]:
        """Files, and processes that were started on them."""
        found = [path.name for path in self.temporary.iterdir()]
        for process in Path("/proc").glob("[0-9]*"):
            try:
                arguments = (process / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we looked
            if str(self.temporary).encode() in arguments:
                found.append(arguments.replace(b"\0", b" ").decode())
        return found


@pytest.fixture
def demo(tmp_path: Path) -> Demo:
    return Demo(tmp_path)


async def test_typed_story_ends_with_the_chart(demo: Demo) -> None:
    code, out, err = await demo.run()
    assert (code, err) == (0, "")
    assert (demo.out / CHART).read_text().count("<circle") > 300
    assert f"DENIED GET {DENIED_HOST}" in out
    assert "Gentoo       123" in out
    assert "\x1b" not in out
    assert "\r" not in out
    assert await demo.left_behind() == []


async def test_model_is_asked_in_words_and_does_the_same(demo: Demo) -> None:
    server = ScriptedServer(ANSWERS, model=MODEL, key=KEY)
    async with served(server) as url:
        code, out, err = await demo.run("--openai", url, "--model", MODEL, "--key-env", "BERTH_TEST_KEY")
    assert (code, err) == (0, "")
    assert (demo.out / CHART).exists()
    assert ANSWERS[-1].text in out
    assert KEY not in out
    results = [message["content"] for message in server.asked[-1]["messages"] if message["role"] == "tool"]
    assert len(results) == 5
    assert "1 network requests were denied by the rules" in results[1]
    assert "(egress_denied)." in results[1]


async def test_recorded_conversation_is_played_in_a_real_computer(demo: Demo) -> None:
    code, out, err = await demo.run("--scripted")
    assert (code, err) == (0, "")
    assert (demo.out / CHART).read_text().count("<circle") > 300
    assert f"DENIED GET {DENIED_HOST}" in out
    # What Berth asks by itself is an answer of the recording like any other.
    assert out.index("check what you say") < out.index(f"ls -l {CHART}") < out.index("Longer flippers")


async def test_model_that_refuses_is_named_in_one_sentence(demo: Demo) -> None:
    async with served(ScriptedServer(ANSWERS, model=MODEL, key="another key")) as url:
        code, _, err = await demo.run("--openai", url, "--model", MODEL, "--key-env", "BERTH_TEST_KEY")
    assert code == 1
    assert err.startswith("berth: The bot's run failed: ")
    assert "Incorrect API key provided." in err
    assert err.count("\n") == 1
    assert await demo.left_behind() == []


async def test_model_that_brings_nothing_has_failed(demo: Demo) -> None:
    async with served(ScriptedServer([Answer("It is done.")], model=MODEL)) as url:
        code, _, err = await demo.run("--openai", url, "--model", MODEL)
    assert (code, err) == (1, "berth: The bot used no tool.\n")
    assert not demo.out.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_demo_that_is_interrupted_leaves_nothing(demo: Demo, number: signal.Signals) -> None:
    process = await demo.start()
    assert process.stdout is not None
    async with asyncio.timeout(SECONDS):
        while b"the computer was asleep" not in await process.stdout.readline():
            assert not process.stdout.at_eof()
        process.send_signal(number)
        _, err = await process.communicate()
    assert (process.returncode, err) == (130, b"")
    assert not demo.out.exists()
    assert await demo.left_behind() == []
