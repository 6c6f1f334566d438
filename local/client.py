"""Berth's HTTP API as a program on this machine uses it: what the demo and the benchmarks need, no more.

One `Berth` is one person's connection; `watch` follows a thread over its WebSocket. What Berth refuses
becomes a `RefusedError` with Berth's own sentence, and a connection that breaks a `GoneError`.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import aiohttp

ACKNOWLEDGE_EVERY = 256 * 1024
ANSWER_SECONDS = 60.0
ERRORS_FROM = 400


class ClientError(Exception):
    """Berth could not be used; the message is a sentence.

    ├── RefusedError    Berth answered with a problem
    └── GoneError       Berth does not answer, or the connection broke
    """


class RefusedError(ClientError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class GoneError(ClientError):
    pass


@dataclass(frozen=True)
class Model:
    """Which model a bot thinks with; `manual` needs none, and `scripted` plays a recording."""

    provider: Literal["manual", "scripted", "openai"] = "manual"
    base_url: str = ""
    model: str = ""
    api_key: str = ""
    recording: Sequence[Mapping[str, Any]] = ()

    def as_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "provider": self.provider,
            "base_url": self.base_url,
            "model": self.model,
        }
        given = {"api_key": self.api_key, "recording": list(self.recording)}
        return fields | {name: value for name, value in given.items() if value}


@dataclass(frozen=True)
class Event:
    """One event of a thread. Live ones have no `seq`; `arrived` is this machine's monotonic clock."""

    type: str
    data: Mapping[str, Any]
    seq: int | None
    at_ms: int | None
    arrived: float


class Stream:
    """A thread's events over one WebSocket. It acknowledges what it has read, so Berth keeps sending."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._received = self._acknowledged = 0

    async def next(self, seconds: float | None = None) -> Event:
        """Return the next event; one that does not come in time, if there is a limit, is a GoneError."""
        try:
            async with asyncio.timeout(seconds):
                message = await self._socket.receive()
        except TimeoutError:
            raise GoneError(f"Nothing happened for {seconds:.0f} seconds.") from None
        arrived = time.perf_counter()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise GoneError("The thread's event stream broke off.")
        await self._acknowledge(len(message.data))
        fields = json.loads(message.data)
        return Event(fields["type"], fields["data"], fields.get("seq"), fields.get("at_ms"), arrived)

    async def _acknowledge(self, characters: int) -> None:
        self._received += characters
        if self._received - self._acknowledged >= ACKNOWLEDGE_EVERY:
            self._acknowledged = self._received
            await self._socket.send_str(json.dumps({"type": "ack", "bytes": self._received}))


class Served(Protocol):
    """Where a Berth is, and the headers by which it knows who asks."""

    @property
    def url(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


class Berth:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def create_bot(self, name: str, model: Model) -> str:
        return str((await self._json("POST", "/api/bots", {"name": name, "model": model.as_json()}))["id"])

    async def create_thread(self, bot_id: str) -> str:
        return str((await self._json("POST", "/api/threads", {"bot_id": bot_id}))["id"])

    async def upload(self, thread_id: str, name: str, content: bytes, media_type: str) -> str:
        path = f"/api/threads/{thread_id}/uploads"
        headers = {"Content-Type": media_type}
        answer = await self._answer("POST", path, data=content, headers=headers, params={"name": name})
        return str(json.loads(answer)["id"])

    async def send(self, thread_id: str, client_id: str, text: str, uploads: Sequence[str] = ()) -> str:
        """Send a message; returns the id of the run that answers it."""
        body = {"client_id": client_id, "text": text, "upload_ids": list(uploads)}
        return str((await self._json("POST", f"/api/threads/{thread_id}/messages", body))["run"]["id"])

    async def stop(self, run_id: str) -> None:
        await self._json("POST", f"/api/runs/{run_id}/stop", {})

    async def decide(self, intent_id: str, digest: str, approve: Sequence[int]) -> str:
        """Approve some lines of an intent and decline the others; returns its state."""
        body = {"digest": digest, "approve": list(approve)}
        return str((await self._json("POST", f"/api/approvals/{intent_id}/decision", body))["state"])

    async def artifact(self, artifact_id: str) -> bytes:
        return await self._answer("GET", f"/api/artifacts/{artifact_id}/content")

    async def standby(self) -> str:
        """Ask the computer to save its files and sleep; returns the state it is in."""
        return str((await self._json("POST", "/api/computer/standby", {}))["state"])

    async def reset(self) -> None:
        """End what runs and delete the computer's files."""
        await self._json("POST", "/api/computer/reset", {})

    @asynccontextmanager
    async def watch(self, thread_id: str) -> AsyncIterator[Stream]:
        try:
            socket = await self._session.ws_connect(f"/api/threads/{thread_id}/stream", max_msg_size=0)
        except aiohttp.ClientError as error:
            raise GoneError(f"The thread cannot be followed: {error}") from error
        try:
            yield Stream(socket)
        finally:
            await socket.close()

    async def _json(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        return json.loads(await self._answer(method, path, json=body))

    async def _answer(self, method: str, path: str, **options: Any) -> bytes:
        try:
            async with self._session.request(method, path, **options) as response:
                content = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise GoneError(f"Berth does not answer: {str(error) or type(error).__name__}.") from error
        if response.status >= ERRORS_FROM:
            raise RefusedError(response.status, _problem(response.status, content))
        return content


def _problem(status: int, content: bytes) -> str:
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return f"Berth answered with HTTP {status}."


@asynccontextmanager
async def connect(served: Served) -> AsyncIterator[Berth]:
    limit = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    async with aiohttp.ClientSession(served.url, timeout=limit, headers=served.headers) as session:
        yield Berth(session)
