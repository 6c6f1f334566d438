"""The Durable Object of the probe."""

import asyncio
from typing import Any

import js
from workers import DurableObject, Response


class OddNumberError(Exception):
    """An error of the Worker's own."""


class Probe(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        self.sql = ctx.storage.sql
        self.sql.exec("CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, value INTEGER)")
        self.sql.exec("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)")
        self.released = asyncio.Event()

    async def count(self) -> int:
        self.sql.exec("INSERT INTO counter VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET value = value + 1")
        value: int = self.sql.exec("SELECT value FROM counter").one()["value"]
        return value

    async def echo(self, value: Any) -> Any:
        return value

    async def some_bytes(self, size: int) -> bytes:
        return b"x" * size

    async def fail(self, how: str) -> None:
        if how == "own":
            raise OddNumberError("three is odd")
        await asyncio.sleep(0.001)
        raise ValueError("after a wait")

    def _hidden(self) -> str:
        return "a secret"

    async def note(self, text: str) -> None:
        self.sql.exec("INSERT INTO note (text) VALUES (?)", text)

    async def notes(self) -> list[str]:
        return [row["text"] for row in self.sql.exec("SELECT text FROM note ORDER BY id")]

    async def ring_in(self, ms: int) -> bool:
        await self.ctx.storage.setAlarm(js.Date.now() + ms)
        return True

    async def alarm(self) -> None:
        await self.note("alarm")

    async def say(self, line: str) -> str:
        """Write a line while a callback waits in the loop, and go on waiting."""
        ready = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(ready.set_result, line)
        print(line)
        await asyncio.sleep(0.001)
        said: str = await ready
        return said

    async def release(self) -> bool:
        self.released.set()
        return True

    async def wait_for_release(self) -> bool:
        await self.released.wait()
        return True

    async def spin_until_released(self) -> bool:
        while not self.released.is_set():
            await asyncio.sleep(0)
        return True

    async def fetch(self, _request: Any) -> Response:
        client, server = js.WebSocketPair.new().object_values()
        self.ctx.acceptWebSocket(server)
        return Response(None, status=101, web_socket=client)

    async def webSocketMessage(self, socket: Any, message: Any) -> None:  # noqa: N802 - the platform's name
        socket.send(f"{len(self.ctx.getWebSockets())} open, got {message}")

    async def webSocketClose(  # noqa: N802 - the platform's name
        self,
        _socket: Any,
        code: int,
        _reason: str,
        _clean: bool,
    ) -> None:
        await self.note(f"closed {code}")
