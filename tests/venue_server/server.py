"""A stand-in for the exchange: it speaks the venue's wire, checks who signed, and fails as it is told.

`VenueStandIn.answer` is all of it; `served` puts it behind HTTP. Every action that arrives is kept.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from aiohttp import web

from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from tests.venue_server import exchange, info
from tests.venue_server.state import Agent, State

HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"
# What may become of the next action. What is lost "after" has taken effect; "late" comes when delivered.
Fault = Literal[
    "stall_before", "stall_after", "drop_before", "drop_after", "bad_gateway_before", "bad_gateway_after",
    "throttled", "redirect", "odd_after", "null_after", "late",
]  # fmt: skip


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    ends: Literal["well", "stall", "drop"] = "well"
    location: str = ""


class Gate:
    """Before a question: `reached` when it has come, answered once it is `opened`."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def passed(self) -> None:
        self.reached.set()
        await self.opened.wait()


class VenueStandIn:
    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self.state = State(now_ms)
        self.faults: list[Fault] = []
        """For the next actions, in turn."""
        self.lies: dict[str, list[Answer]] = {}
        """By the type of a question: what it is answered with next instead of the truth."""
        self.gates: dict[str, Gate] = {}
        """By the type of a question, over HTTP."""
        self.received: list[dict[str, Any]] = []
        self.under_way: list[str] = []
        """Actions whose sender has given up, and which are not there yet."""
        self.questions: list[dict[str, Any]] = []
        self.elsewhere: list[str] = []
        """Paths that were asked for and are none of the venue's."""

    def account(
        self, address: str, agent: str, *, usdc: str = "10000", name: str = "berth", until: int | None = None
    ) -> None:
        """Give the venue an account, with an agent."""
        self.state.accounts[address] = Decimal(usdc)
        until = until or self.state.now_ms() + 90 * 86_400_000
        self.state.agents[agent] = Agent(address, name, until if name else None)

    def answer(self, path: str, text: str) -> Answer:
        if path == "/info":
            return self._told(json.loads(text))
        if path != "/exchange":
            self.elsewhere.append(path)
            return Answer(404, "")
        self.received.append(json.loads(text))
        fault = self.faults.pop(0) if self.faults else None
        if fault == "late":
            self.under_way.append(text)
        if fault and not fault.endswith("_after"):
            return FAILURES[fault]
        done = json.dumps(exchange.act(self.state, text))
        return FAILURES[fault] if fault else Answer(200, done)

    def deliver(self) -> list[dict[str, Any]]:
        """What was late arrives; the answers, which nobody hears."""
        arrived = [exchange.act(self.state, text) for text in self.under_way]
        self.under_way.clear()
        return arrived

    def _told(self, body: dict[str, Any]) -> Answer:
        self.questions.append(body)
        if lies := self.lies.get(body["type"]):
            return lies.pop(0)
        return Answer(200, json.dumps(info.answer(self.state, body)))

    async def post(self, path: str, body: str, seconds: float) -> Reply:
        """The same without HTTP, for tests on plain Python."""
        answer = self.answer(path, body)
        if answer.ends != "well":
            raise Unsure(f"the stand-in was told to {answer.ends}")
        return Reply(answer.status, answer.text)


ODD = json.dumps(exchange.done("order", [{"queued": {"oid": 1}}]))
FAILURES: Mapping[Fault, Answer] = {
    "stall_before": Answer(200, "", "stall"),
    "stall_after": Answer(200, "", "stall"),
    "drop_before": Answer(200, "", "drop"),
    "drop_after": Answer(200, "", "drop"),
    "bad_gateway_before": Answer(502, HTML),
    "bad_gateway_after": Answer(502, HTML),
    "throttled": Answer(429, "null"),
    "redirect": Answer(307, "", location="/elsewhere"),
    "odd_after": Answer(200, ODD),
    "null_after": Answer(200, "null"),
    "late": Answer(200, "", "drop"),
}


@asynccontextmanager
async def served(venue: VenueStandIn) -> AsyncIterator[str]:
    """Serve on a free port of loopback; the value is the address."""

    async def handler(request: web.Request) -> web.StreamResponse:
        text = await request.text()
        if request.path == "/info" and (gate := venue.gates.get(json.loads(text)["type"])):
            await gate.passed()
        answer = venue.answer(request.path, text)
        if answer.ends == "stall":
            # Until the client goes, which cancels this handler.
            await asyncio.Event().wait()
        if answer.ends == "drop" and request.transport:
            request.transport.abort()
        headers = {"location": answer.location} if answer.location else {}
        return web.Response(
            status=answer.status, text=answer.text, content_type="application/json", headers=headers
        )

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
