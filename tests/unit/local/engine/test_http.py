"""The API's HTTP server: limits, errors as Docker tells them, connections that are kept or taken."""

import asyncio
import json

import pytest

from local.engine.errors import NoSuchObjectError
from local.engine.http import JSON_LIMIT, Exchange, serve


async def handler(exchange: Exchange) -> None:
    match exchange.request.path:
        case ("echo",):
            await exchange.answer(200, await exchange.read())
        case ("json",):
            await exchange.answer(200, {"got": await exchange.read_json()})
        case ("ignore",):
            await exchange.answer(204)
        case ("missing",):
            raise NoSuchObjectError("No such thing")
        case ("broken",):
            raise RuntimeError("a bug")
        case ("upgrade",):
            early = await exchange.take_over({"connection": "Upgrade", "upgrade": "tcp"})
            exchange.connection.writer.write(b"took " + early)
        case path:
            await exchange.answer(200, list(path))


async def ask(data: bytes) -> bytes:
    """Send bytes on one connection to a server of our own and return all that comes back."""
    served = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(handler, reader, writer)
        await writer.wait_closed()
        served.set()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(data)
        writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        await asyncio.wait_for(served.wait(), 60)
    return answer


async def test_two_requests_on_one_connection_are_answered_in_order() -> None:
    answer = await ask(
        b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
        b"GET /a%2Fb/c HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    assert answer.index(b"abc") < answer.index(b'["a/b", "c"]')


async def test_a_body_that_nobody_read_does_not_become_a_request() -> None:
    data = (
        b"POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nGET /missing HTTP/1.1\r\nHost: x\r\n"
    )
    answer = await ask(data + b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 204")
    assert b"No such thing" not in answer


@pytest.mark.parametrize(
    ("request_line", "status", "message"),
    [("GET /missing", 404, "No such thing"), ("GET /broken", 500, "RuntimeError: a bug")],
)
async def test_errors_are_json_with_a_message(request_line: str, status: int, message: str) -> None:
    answer = await ask(f"{request_line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head, body = answer.split(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert json.loads(body) == {"message": message}


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{", 400),
        (b"POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 70000 + b"\r\n\r\n", 431),
        (
            b"POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n" + b" " * (JSON_LIMIT + 10),
            413,
        ),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
    ],
)
async def test_what_cannot_be_understood_is_refused(data: bytes, status: int) -> None:
    assert (await ask(data)).startswith(f"HTTP/1.1 {status} ".encode())


async def test_a_client_that_asks_before_it_sends_is_told_to_go_on() -> None:
    answer = await ask(
        b"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi"
    )
    assert answer.endswith(b"hi")


async def test_after_an_upgrade_the_connection_is_the_handlers() -> None:
    head = b"POST /upgrade HTTP/1.1\r\nHost: x\r\n"
    head += b"Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 2\r\n\r\n{}"
    answer = await ask(head + b"early bytes")
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert answer.endswith(b"took early bytes")
