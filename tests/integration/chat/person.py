"""A person who uses Berth over its API, as an owner of their own.

Waiting is always for an event of the thread, with a deadline that says what did not come.
"""

import asyncio
import io
import itertools
import json
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import aiohttp

from local.stack import LocalStack
from tests.integration.waiting import SECONDS, until

Event = dict[str, Any]
# A command that ends when no other `sleep 300` of its computer is alive any more.
UNTIL_NO_SLEEP = "while pgrep -f '[s]leep 300' > /dev/null; do sleep 0.05; done; echo gone"


class Thread:
    """One conversation, watched over a WebSocket from its first event on."""

    def __init__(self, person: "Person", thread_id: str) -> None:
        self.person = person
        self.id = thread_id
        self.seen: list[Event] = []

    async def send(
        self, text: str, *upload_ids: str, client_id: str | None = None, **fields: str
    ) -> dict[str, Any]:
        sent = {"client_id": client_id or uuid.uuid4().hex, "text": text, "upload_ids": list(upload_ids)}
        body = sent | fields
        return await self.person.post(f"/api/threads/{self.id}/messages", body, expect=202)

    @asynccontextmanager
    async def watched(self, after: int = 0) -> AsyncIterator["Watch"]:
        path = f"/api/threads/{self.id}/stream?after={after}"
        async with self.person.session.ws_connect(path, headers=self.person.headers) as socket:
            yield Watch(socket)

    async def run(self, text: str, *upload_ids: str, seconds: float = SECONDS, **fields: str) -> list[Event]:
        """Send a message and return every event and frame until its run has ended."""
        head = await self.head()
        async with self.watched(head) as watch:
            run_id = (await self.send(text, *upload_ids, **fields))["run"]["id"]
            await watch.until(ended(run_id), seconds)
            return watch.seen

    async def exec(self, command: str, seconds: float = SECONDS) -> dict[str, Any]:
        """Run one command and return its `command` result."""
        events = await self.run(f"$ {command}", seconds=seconds)
        (finished,) = of(events, "tool.finished")
        if finished["command"] is None:
            raise AssertionError(f"the command did not begin: {finished['error']}")
        result: dict[str, Any] = finished["command"]
        return result

    async def head(self) -> int:
        return int((await self.person.get(f"/api/threads/{self.id}"))["head_seq"])

    async def record(self) -> list[Event]:
        return list((await self.person.get(f"/api/threads/{self.id}/events"))["items"])


class Watch:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.seen: list[Event] = []

    async def until(self, wanted: Callable[[Event], bool], seconds: float = SECONDS) -> Event:
        """Read on until an event that is wanted; those before it are in `seen` too."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    message = await self.socket.receive()
                    if message.type != aiohttp.WSMsgType.TEXT:
                        raise AssertionError(f"the stream ended: {message} after {self._types()}")
                    event: Event = json.loads(message.data)
                    self.seen.append(event)
                    if wanted(event):
                        return event
        except TimeoutError:
            raise AssertionError(f"not within {seconds} s; seen: {self._types()}") from None

    async def until_each(self, *wanted: Callable[[Event], bool]) -> None:
        """Read on until each of these was seen, in whatever order they come."""
        left = list(wanted)

        def is_last(event: Event) -> bool:
            left[:] = [one for one in left if not one(event)]
            return not left

        await self.until(is_last)

    def _types(self) -> list[str]:
        return [event["type"] for event in self.seen]


class Person:
    _numbers = itertools.count(1)

    def __init__(
        self,
        stack: LocalStack,
        session: aiohttp.ClientSession,
        name: str | None = None,
        *,
        operator: bool = False,
    ) -> None:
        """`operator` is the person at this machine, who has no other name; everybody else has a new one."""
        self.stack = stack
        self.session = session
        self.name = "" if operator else name or f"t{next(self._numbers)}"
        host = f"{self.name}.localhost" if self.name else "localhost"
        self.headers = {"host": f"{host}:{stack.url.rsplit(':', 1)[1]}", **stack.headers}

    async def get(self, path: str, *, expect: int = 200) -> dict[str, Any]:
        return await self.ask("GET", path, expect=expect)

    async def post(self, path: str, body: Any = None, *, expect: int = 200) -> dict[str, Any]:
        return await self.ask("POST", path, expect=expect, json={} if body is None else body)

    async def ask(self, method: str, path: str, *, expect: int, **more: Any) -> dict[str, Any]:
        headers = {**self.headers, **more.pop("headers", {})}
        async with self.session.request(method, path, headers=headers, **more) as response:
            text = await response.text()
            if response.status != expect:
                raise AssertionError(f"{method} {path}: {response.status} {text[:500]}")
            answer: dict[str, Any] = json.loads(text) if text else {}
            return answer

    async def until_computer(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until the computer is as wanted, by what its owner is told of it."""

        async def look() -> dict[str, Any] | None:
            view = await self.get("/api/computer")
            return view if wanted(view) else None

        return await until(what, look)

    async def bot(self, **fields: Any) -> dict[str, Any]:
        return await self.post("/api/bots", {"name": "Bot", **fields}, expect=201)

    async def thread(self, bot: dict[str, Any] | None = None) -> Thread:
        bot = bot or await self.bot()
        made = await self.post("/api/threads", {"bot_id": bot["id"]}, expect=201)
        return Thread(self, made["id"])

    async def upload(self, thread: Thread, name: str, content: bytes, media_type: str = "text/csv") -> str:
        made = await self.ask(
            "POST",
            f"/api/threads/{thread.id}/uploads",
            expect=201,
            params={"name": name},
            data=io.BytesIO(content),
            headers={"content-type": media_type},
        )
        return str(made["id"])

    @classmethod
    @asynccontextmanager
    async def at(
        cls, stack: LocalStack, name: str | None = None, *, operator: bool = False
    ) -> AsyncIterator[Self]:
        async with aiohttp.ClientSession(base_url=stack.url) as session:
            yield cls(stack, session, name, operator=operator)


async def awake(stack: LocalStack) -> list[str]:
    """Whose computers are not in standby, as the operator is told."""
    async with Person.at(stack, operator=True) as operator:
        return list((await operator.get("/api/computers/awake"))["owners"])


def of(events: list[Event], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["type"] == kind]


def ended(run_id: str) -> Callable[[Event], bool]:
    def is_end(event: Event) -> bool:
        return (
            event["type"] == "run.status"
            and event["data"]["id"] == run_id
            and event["data"]["state"] in {"done", "failed", "stopped", "waiting_input"}
        )

    return is_end


def is_standby(event: Event) -> bool:
    return bool(event["type"] == "computer.status" and event["data"]["state"] == "standby")


def is_type(kind: str) -> Callable[[Event], bool]:
    return lambda event: event["type"] == kind
