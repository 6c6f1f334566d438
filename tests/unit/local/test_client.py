"""The client of Berth's API, against a server that answers as Berth does and as it must never."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import WSMsgType, web

from local.client import ACKNOWLEDGE_EVERY, Berth, GoneError, Model, RefusedError, connect

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class At:
    url: str
    headers: Mapping[str, str] = field(default_factory=lambda: {"authorization": "Bearer a-token"})


@asynccontextmanager
async def served(handler: Handler) -> AsyncIterator[Berth]:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with connect(At(f"http://127.0.0.1:{runner.addresses[0][1]}")) as berth:
            yield berth
    finally:
        await runner.cleanup()


def answering(status: int, body: bytes) -> Handler:
    async def handler(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=body)

    return handler


async def test_file_is_sent_as_it_is_with_its_name_beside() -> None:
    seen: list[tuple[str, str, bytes]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.query["name"], request.headers["Content-Type"], await request.read()))
        return web.json_response({"id": "upl_1"}, status=201)

    async with served(handler) as berth:
        assert await berth.upload("thr_1", "größe & co.csv", b"a\xff", "text/csv") == "upl_1"
    assert seen == [("größe & co.csv", "text/csv", b"a\xff")]


async def test_key_is_sent_only_where_there_is_one() -> None:
    seen: list[dict[str, str]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((await request.json())["model"])
        return web.json_response({"id": "bot_1"})

    async with served(handler) as berth:
        await berth.create_bot("A", Model())
        await berth.create_bot("B", Model("openai", "http://localhost/v1", "m", "secret"))
    assert "api_key" not in seen[0]
    assert seen[1]["api_key"] == "secret"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (409, b'{"code": "computer_busy", "message": "Four commands run."}', "Four commands run."),
        (500, b"<html>", "Berth answered with HTTP 500."),
        (502, b"[]", "Berth answered with HTTP 502."),
        (404, b'{"detail": "x"}', "Berth answered with HTTP 404."),
    ],
)
async def test_refusal_has_the_sentence_that_berth_gave(status: int, body: bytes, message: str) -> None:
    async with served(answering(status, body)) as berth:
        with pytest.raises(RefusedError) as refused:
            await berth.standby()
    assert (refused.value.status, str(refused.value)) == (status, message)


async def test_nobody_there_is_said_in_a_sentence() -> None:
    async with connect(At("http://127.0.0.1:1")) as nobody:
        with pytest.raises(GoneError, match="Berth does not answer"):
            await nobody.standby()
        with pytest.raises(GoneError, match="cannot be followed"):
            async with nobody.watch("thr_1"):
                pass


async def test_events_are_read_with_and_without_a_number() -> None:
    sent = [
        {"type": "hello", "data": {"head_seq": 4}},
        {"type": "run.status", "seq": 5, "at_ms": 99, "data": {"state": "done"}},
    ]

    async def handler(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for event in sent:
            await socket.send_json(event)
        await socket.close()
        return socket

    async with served(handler) as berth, berth.watch("thr_1") as stream:
        hello, status = await stream.next(10), await stream.next(10)
        assert (hello.type, hello.seq, hello.at_ms, hello.data) == ("hello", None, None, {"head_seq": 4})
        assert (status.seq, status.at_ms, status.data) == (5, 99, {"state": "done"})
        assert hello.arrived <= status.arrived
        with pytest.raises(GoneError, match="broke off"):
            await stream.next(10)


async def test_what_was_read_is_acknowledged_so_that_more_comes() -> None:
    acknowledged: list[int] = []
    text = json.dumps({"type": "tool.output", "data": {"text": "x" * ACKNOWLEDGE_EVERY}})

    async def handler(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for _ in range(2):
            await socket.send_str(text)
            message = await socket.receive(timeout=60)
            assert message.type is WSMsgType.TEXT
            fields = json.loads(message.data)
            assert fields.pop("type") == "ack"
            acknowledged.append(fields["bytes"])
        await socket.close()
        return socket

    async with served(handler) as berth, berth.watch("thr_1") as stream:
        for _ in range(2):
            await stream.next(10)
        with pytest.raises(GoneError):
            await stream.next(10)
    assert acknowledged == [len(text), 2 * len(text)]


async def test_silence_has_an_end() -> None:
    async def handler(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        return socket

    async with served(handler) as berth, berth.watch("thr_1") as stream:
        with pytest.raises(GoneError, match="Nothing happened for 0 seconds"):
            await stream.next(0.01)
