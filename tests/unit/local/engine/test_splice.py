"""Two connections made one: all bytes, both ends, and what comes before the other end is there."""

import asyncio
import socket

import pytest

from local.engine.splice import Side, join, until_closed

BIG = bytes(range(256)) * 40000


async def end() -> tuple[Side, socket.socket]:
    """Return a side and the socket at the other end of its wire."""
    ours, theirs = socket.socketpair()
    for item in (ours, theirs):
        item.setblocking(False)
    side = Side()
    await asyncio.get_running_loop().create_connection(lambda: side, sock=ours)
    return side, theirs


async def receive_all(connection: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    found = b""
    while part := await asyncio.wait_for(loop.sock_recv(connection, 65536), 60):
        found += part
    return found


@pytest.fixture
async def pair() -> tuple[Side, socket.socket, Side, socket.socket]:
    return (*await end(), *await end())


Pair = tuple[Side, socket.socket, Side, socket.socket]


async def test_bytes_and_the_end_go_both_ways(pair: Pair) -> None:
    left, a, right, b = pair
    join(left, right)
    loop = asyncio.get_running_loop()

    async def talk(connection: socket.socket, data: bytes) -> bytes:
        receiving = asyncio.ensure_future(receive_all(connection))
        await loop.sock_sendall(connection, data)
        connection.shutdown(socket.SHUT_WR)
        return await receiving

    from_right, from_left = await asyncio.gather(talk(a, BIG), talk(b, BIG[::-1]))
    assert from_right == BIG[::-1]
    assert from_left == BIG
    await asyncio.wait_for(until_closed(left, right, None), 60)
    a.close()
    b.close()


async def test_after_one_half_is_closed_the_other_still_answers(pair: Pair) -> None:
    left, a, right, b = pair
    join(left, right)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(a, b"question")
    a.shutdown(socket.SHUT_WR)
    assert await receive_all(b) == b"question"
    await loop.sock_sendall(b, b"answer")
    b.close()
    assert await receive_all(a) == b"answer"
    a.close()
    await asyncio.wait_for(until_closed(left, right, None), 60)


async def test_what_came_before_the_other_end_is_not_lost(pair: Pair) -> None:
    left, a, right, b = pair
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(a, b"early")
    a.shutdown(socket.SHUT_WR)
    while not left.early:
        await asyncio.sleep(0)
    join(left, right)
    assert await receive_all(b) == b"early"
    b.close()
    await asyncio.wait_for(until_closed(left, right, None), 60)
    a.close()


async def test_a_reader_that_does_not_read_stops_the_writer(pair: Pair) -> None:
    left, a, right, b = pair
    join(left, right)
    loop = asyncio.get_running_loop()
    sending = asyncio.ensure_future(loop.sock_sendall(a, BIG * 8))
    done, _ = await asyncio.wait([sending], timeout=0.3)
    assert not done
    assert right.transport is not None
    assert right.transport.get_write_buffer_size() < len(BIG)
    sending.cancel()
    for item in (a, b):
        item.close()
    await asyncio.wait_for(until_closed(left, right, None), 60)


async def test_an_end_that_breaks_breaks_the_other(pair: Pair) -> None:
    left, a, right, b = pair
    join(left, right)
    assert left.transport is not None
    left.transport.abort()
    assert await receive_all(b) == b""
    for item in (a, b):
        item.close()
    await asyncio.wait_for(until_closed(left, right, None), 60)


async def test_an_idle_pair_is_ended(pair: Pair) -> None:
    left, a, right, b = pair
    join(left, right)
    await asyncio.wait_for(until_closed(left, right, 0.01), 60)
    for item in (a, b):
        item.close()
