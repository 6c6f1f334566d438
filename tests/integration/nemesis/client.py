"""A client that goes on through anything: it sends until it is heard, and follows its thread for good.

Messages carry an id of the client's, so that sending one again changes nothing. The stream is taken up after
the last event that was seen, whoever broke it.
"""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from tests.integration.chat.person import Event, Person, Thread, ended

PAUSE_SECONDS = 0.1
# For what one call may take, whatever happens: a hang is noticed after 25 s, and a restart takes seconds.
CALL_SECONDS = 240.0
REQUEST_SECONDS = 45.0
SERVER_ERRORS_FROM = 500


class StuckError(Exception):
    """Something did not come to its end in time; the message says what."""


@dataclass(frozen=True)
class Seen:
    """An event of the thread, and when it arrived, on this machine's monotonic clock."""

    at: float
    event: Event


@dataclass
class Client:
    person: Person
    thread: Thread
    seen: list[Seen] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _last: int = 0

    @classmethod
    @asynccontextmanager
    async def of(cls, person: Person, thread: Thread | None = None) -> AsyncIterator[Self]:
        client = cls(person, thread or await person.thread())
        following = asyncio.ensure_future(client._follow())
        try:
            yield client
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following

    async def _follow(self) -> None:
        while True:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                path = f"/api/threads/{self.thread.id}/stream?after={self._last}"
                async with self.person.session.ws_connect(path, headers=self.person.headers) as socket:
                    async for message in socket:
                        if message.type == aiohttp.WSMsgType.TEXT:
                            self._take(json.loads(message.data))
            await asyncio.sleep(PAUSE_SECONDS)

    def _take(self, event: Event) -> None:
        self._last = event.get("seq") or self._last
        self.seen.append(Seen(asyncio.get_running_loop().time(), event))
        self._news.set()

    async def until(self, wanted: Callable[[Event], bool], what: str, start: int = 0) -> Event:
        """The first event from `start` on that is wanted, come or yet to come."""
        deadline = asyncio.get_running_loop().time() + CALL_SECONDS
        while True:
            for seen in self.seen[start:]:
                if wanted(seen.event):
                    return seen.event
            start = len(self.seen)
            self._news.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._news.wait()
            except TimeoutError:
                raise StuckError(f"{what}: no end within {CALL_SECONDS:.0f} s") from None

    async def ask(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        """The status and the JSON of an answer; asked again while nobody is there or something broke."""
        deadline = asyncio.get_running_loop().time() + CALL_SECONDS
        while True:
            headers = {**self.person.headers, **more.get("headers", {})}
            limit = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with self.person.session.request(
                    method, path, timeout=limit, **{**more, "headers": headers}
                ) as response:
                    text = await response.text()
                    if not _is_broken(response.status, text):
                        return response.status, json.loads(text) if text else {}
            if asyncio.get_running_loop().time() > deadline:
                raise StuckError(f"{method} {path}: no answer within {CALL_SECONDS:.0f} s")
            await asyncio.sleep(PAUSE_SECONDS)

    async def bytes_of(self, path: str) -> bytes:
        """What lies at a path of ours, whole; asked for again while it breaks off."""
        deadline = asyncio.get_running_loop().time() + CALL_SECONDS
        limit = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
        while asyncio.get_running_loop().time() < deadline:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with self.person.session.get(
                    path, headers=self.person.headers, timeout=limit
                ) as response:
                    content = await response.read()
                    if response.status == 200:
                        return content
            await asyncio.sleep(PAUSE_SECONDS)
        raise StuckError(f"{path}: not to be had within {CALL_SECONDS:.0f} s")

    async def send(self, text: str, *upload_ids: str) -> str:
        """Send a message; returns the id of its run."""
        body = {"client_id": uuid.uuid4().hex, "text": text, "upload_ids": list(upload_ids)}
        status, answer = await self.ask("POST", f"/api/threads/{self.thread.id}/messages", json=body)
        if status != 202:
            raise AssertionError(f"a message was refused: {status} {answer}")
        return str(answer["run"]["id"])

    async def run(self, text: str, *upload_ids: str) -> list[Event]:
        """Send a message and return the persisted events of its run, to its end."""
        start = len(self.seen)
        run_id = await self.send(text, *upload_ids)
        await self.until(ended(run_id), f"the run of {text[:60]!r}", start)
        return [seen.event for seen in self.seen[start:] if "seq" in seen.event]


def _is_broken(status: int, text: str) -> bool:
    """Whether an answer says that something broke on the way, so that it may be asked for again."""
    if status < SERVER_ERRORS_FROM:
        return False
    try:
        return bool(json.loads(text)["code"] == "internal")
    except (ValueError, KeyError, TypeError):
        return True
