"""A bot with a model: the same thread from every provider, the largest file, a picture, and what fails."""

import base64
import contextlib
import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contracts.limits import WRITE_BYTES_MAX
from local.stack import LocalStack
from tests.integration.chat.person import Event, Person, of
from tests.model_server.script import Answer, Call, Refusal
from tests.model_server.server import WIRES, ScriptedServer, served

MODEL = "scripted"
EXEC = "computer__exec"
MARKED = "sk-MARKED-7f3e9b2d5c81"


def dot() -> str:
    parts = ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(b"\0\1\2\3")))
    chunks = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts]
    end = b"\0\0\0\0IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + end).decode()


def pixels(picture: str) -> tuple[bytes, bytes]:
    """The header of a PNG, and what is in its one piece of data."""
    chunks, place = {}, 8
    content = base64.b64decode(picture)
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        chunks[content[place + 4 : place + 8]] = content[place + 8 : place + 8 + length]
        place += 12 + length
    return chunks[b"IHDR"], zlib.decompress(chunks[b"IDAT"])


async def told(person: Person, server: ScriptedServer) -> list[dict[str, object]]:
    """The finished calls of a run with this model."""
    async with served(server) as url:
        model = {"provider": "openai", "base_url": url, "model": MODEL, "api_key": "k"}
        thread = await person.thread(await person.bot(model=model))
        events = await thread.run("go")
    assert of(events, "run.status")[-1]["state"] == "done", of(events, "run.status")[-1]
    return of(events, "tool.finished")


async def test_a_model_writes_a_file_of_the_largest_size(person: Person) -> None:
    line = 'a "line" of the file 数\n'
    text = line * (WRITE_BYTES_MAX // len(line.encode()))
    text += "x" * (WRITE_BYTES_MAX - len(text.encode()))
    check = "import hashlib; d = open('big', 'rb').read(); print(len(d), d.count(b'\\n'))"
    server = ScriptedServer(
        [
            Answer(calls=[Call("computer__write_file", {"path": "big", "content": text})]),
            Answer(calls=[Call("computer__exec", {"command": f'python3 -c "{check}"'})]),
            Answer("done"),
            Answer("done, as I have seen"),
        ],
        model=MODEL,
        piece=100_000,
        packet=64 * 1024,
    )
    written, counted = await told(person, server)
    assert written["ok"], written["error"]
    assert counted["text"] == f"{WRITE_BYTES_MAX} {text.count(chr(10))}\n"
    asked = server.asked[-1]["messages"]
    shown = next(message for message in asked if message.get("tool_calls"))
    assert len(shown["tool_calls"][0]["function"]["arguments"]) < 200_000


async def test_a_model_sees_the_picture_that_it_reads(person: Person) -> None:
    server = ScriptedServer(
        [
            Answer(calls=[Call("computer__exec", {"command": f"echo {dot()} | base64 -d > dot.png"})]),
            Answer(calls=[Call("computer__read_file", {"path": "dot.png"})]),
            Answer("a dot"),
            Answer("a dot, as I have seen"),
        ],
        model=MODEL,
    )
    _, read = await told(person, server)
    assert read["picture"] == {"media_type": "image/png", "width": 1, "height": 1, "size": 69}, read
    (shown,) = [m for m in server.asked[-1]["messages"] if isinstance(m["content"], list)]
    # Packed anew where there is Pillow: the same picture, in other bytes.
    media_type, _, data = shown["content"][1]["image_url"]["url"].partition(";base64,")
    assert (media_type, pixels(data)) == ("data:image/png", pixels(dot()))


CONVERSATION = (
    Answer(
        "Ich sehe nach: 二 🙂",
        [Call(EXEC, {"command": "echo 'größe' > a; cat a"}), Call("computer__read_file", {"path": "a"})],
        "Two calls at once will do.",
    ),
    Answer("", [Call(EXEC, {"command": "exit 3"})]),
    Answer("The file says größe."),
    Answer("I have looked: it says größe."),
)


def plain(events: list[Event]) -> list[tuple[Any, ...]]:
    """What a thread says, without the ids, times and nonces that are new each time."""
    said: list[tuple[Any, ...]] = []
    for event in events:
        data = event["data"]
        match event["type"]:
            case "message.created" | "reasoning.created":
                said.append((event["type"], data.get("role"), data["text"]))
            case "tool.started":
                said.append(("started", data["round"], data["tool"], data["arguments"]))
            case "tool.finished":
                said.append(("finished", data["round"], data["tool"], data["ok"], data["text"]))
            case "run.status":
                said.append(("run", data["state"], data["tainted"], data["rounds"], data["error"]))
    return said


async def test_the_same_conversation_is_the_same_thread_from_every_provider(person: Person) -> None:
    threads = {}
    for provider in WIRES:
        server = ScriptedServer(CONVERSATION, model=MODEL, key=MARKED)
        async with served(server) as url:
            model = {
                "provider": provider,
                "base_url": url,
                "model": MODEL,
                "api_key": MARKED,
                "effort": "low",
            }
            thread = await person.thread(await person.bot(model=model))
            events = await thread.run("go")
        assert of(events, "run.status")[-1]["usage"] == {
            "input": 400,
            "output": 80,
            "cached": 240,
            "cache_written": 0,
        }
        threads[provider] = plain(await thread.record())
    recording = [
        {
            "text": answer.text,
            "reasoning": answer.reasoning,
            "calls": [{"tool": call.tool, "arguments": call.arguments} for call in answer.calls],
        }
        for answer in CONVERSATION
    ]
    thread = await person.thread(await person.bot(model={"provider": "scripted", "recording": recording}))
    await thread.run("go")
    expected = plain(await thread.record())
    assert [kind for kind, *_ in expected] == [
        "message.created",
        "run",
        "reasoning.created",
        "message.created",
        *("started", "finished") * 3,
        "message.created",
        "message.created",
        "run",
    ]
    assert threads == dict.fromkeys(WIRES, expected)


def effort_of(body: Mapping[str, Any]) -> Any:
    """The effort that a question names, in any of the three wire formats."""
    nested = body.get("reasoning") or body.get("output_config") or {}
    return body.get("reasoning_effort") or nested.get("effort")


async def test_a_message_is_sent_to_the_model_and_with_the_effort_that_it_names(person: Person) -> None:
    for provider in WIRES:
        server = ScriptedServer([Answer("as you like"), Answer("and so on")], model=MODEL)
        async with served(server) as url:
            model = {"provider": provider, "base_url": url, "model": "another", "effort": "low"}
            thread = await person.thread(await person.bot(model=model))
            events = await thread.run("go", model=MODEL, effort="high")
            assert of(events, "message.created")[-1]["text"] == "as you like"
            assert effort_of(server.asked[-1]) == "high", server.asked[-1]
            # The next one is for the bot's own model, which this server does not have.
            ended = of(await thread.run("again"), "run.status")[-1]
        assert (ended["state"], ended["error"]["code"]) == ("failed", "model_unavailable")


async def test_a_refusal_that_passes_is_waited_out_and_one_that_stays_is_told(person: Person) -> None:
    passing = [
        Refusal(429, "rate_limit_error", headers={"retry-after": "0"}),
        Refusal(529, "overloaded_error"),
    ]
    server = ScriptedServer([Answer("ok")], model=MODEL, refusals=passing)
    async with served(server) as url:
        bot = await person.bot(model={"provider": "anthropic", "base_url": url, "model": MODEL})
        thread = await person.thread(bot)
        events = await thread.run("go")
        assert of(events, "message.created")[-1]["text"] == "ok"
        too_long = Refusal(400, message="prompt is too long: 9 tokens > 8 maximum")
        server.refusals = [too_long]
        assert of(await thread.run("again"), "run.status")[-1]["state"] == "done"
        assert server.refusals == []
        server.refusals = [too_long] * 9
        error = of(await thread.run("once more"), "run.status")[-1]["error"]
    assert error["code"] == "model_context_full"
    assert server.refusals


async def test_a_key_is_sealed_at_rest_and_shown_nowhere(person: Person, stack: LocalStack) -> None:
    """The server says the key back wherever it can; then everything that Berth told or wrote is searched."""
    told: list[object] = []
    for provider in WIRES:
        said = Answer("Your key is {key}.", [Call(EXEC, {"command": "echo {key}"})], "The key is {key}")
        server = ScriptedServer([said, Answer("{key}"), Answer("half {key}", fault="cut")], model=MODEL)
        async with served(server) as url:
            model = {"provider": provider, "base_url": url, "model": MODEL, "api_key": MARKED}
            bot = await person.bot(model=model)
            assert bot["model"]["has_key"]
            thread = await person.thread(bot)
            told += [bot, await thread.run("go"), await thread.record()]
            assert server.headers
            assert MARKED in str(server.headers[0])
            server.refusals = [Refusal(401, "authentication_error", "Wrong key: {key}")]
            failed = await thread.run("again")
            assert of(failed, "run.status")[-1]["error"]["code"] == "model_key_refused"
            told += [failed, await thread.record(), await person.get("/api/bots")]
    wrong = {"name": "B", "model": {"provider": "openai", "model": "m", "api_key": f"{MARKED} \n"}}
    told.append(await person.post("/api/bots", wrong, expect=422))
    text = json.dumps(told)
    assert MARKED not in text
    assert "[key]" in text
    files = written(stack.state)
    assert [str(file) for file, content in files.items() if MARKED.encode() in content] == []
    stored = b"".join(content for file, content in files.items() if ".sqlite" in file.name)
    assert b"v1.local." in stored


def written(state: Path) -> dict[Path, bytes]:
    """All files of a stack that runs, and what is in them."""
    found = {}
    for file in state.rglob("*"):
        if file.is_file() and not file.is_symlink():
            with contextlib.suppress(FileNotFoundError):  # removed while we looked
                found[file] = file.read_bytes()
    return found


async def test_what_this_deployment_does_not_have_is_said(person: Person) -> None:
    me = await person.get("/api/me")
    assert "workers_ai" not in me["providers"]
    assert (me["platform_keys"], me["takes_keys"]) == ([], True)
    thread = await person.thread(await person.bot(model={"provider": "workers_ai", "model": "m"}))
    error = of(await thread.run("go"), "run.status")[-1]["error"]
    assert error["code"] == "model_unavailable"


async def test_a_model_may_not_be_asked_inside_a_network(person: Person) -> None:
    for address in ("http://10.0.0.1/v1", "https://169.254.169.254/v1", "http://models.example/v1"):
        model = {"provider": "openai", "base_url": address, "model": "m"}
        error = await person.post("/api/bots", {"name": "B", "model": model}, expect=422)
        assert error["code"] == "invalid_request"
