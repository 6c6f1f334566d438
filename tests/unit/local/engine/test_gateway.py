"""The ways out, served on this machine's own loopback with nothing behind them."""

import asyncio
import datetime as dt
import socket

import pytest

from local.engine import egress
from local.engine.authority import Authority
from local.engine.egress import Gateway
from local.engine.namespaces import Doors


async def test_who_says_connect_and_begins_no_tls_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "FIRST_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.setblocking(False)
        gateway = Gateway(Doors(door), Authority(dt.datetime.now(dt.UTC)), lambda: None)
        gateway.start()
        reader, writer = await asyncio.open_connection(*door.getsockname())
        writer.write(b"CONNECT e.test:443 HTTP/1.1\r\nHost: e.test:443\r\n\r\n")
        assert await reader.readline() == b"HTTP/1.1 200 Connection established\r\n"
        writer.write(b"\x16\x03\x01")
        async with asyncio.timeout(60):
            assert await reader.read() == b"\r\n"
        writer.close()
        gateway.stop()
