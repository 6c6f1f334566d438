"""A long thread with a bot that plays what it is told, for the page to be measured in."""

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import aiohttp

from local.bench.errors import BenchError
from local.client import Berth, Model

CALLS = 100
# A person's message, the calls, the answer.
CARDS_A_RUN = CALLS + 2
RUN_SECONDS = 120.0

Progress = Callable[[str], None]


class Thread:
    """One thread, its bot, and what is to be played in it next."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._berth = Berth(session)
        self._bot = ""
        self._given = self._before = 0
        self.id = ""

    async def begin(self) -> None:
        self._bot = await self._berth.create_bot("Bench", Model("scripted", recording=[{"text": "ready"}]))
        self.id = await self._berth.create_thread(self._bot)

    async def another(self) -> "Thread":
        made = Thread(self._session)
        await made.begin()
        return made

    async def play(self, *recording: dict[str, Any]) -> str:
        """Start a run that plays it, and return its id."""
        # A recording goes on behind the answers that its thread has had.
        model = Model("scripted", recording=[*[{"text": "had"}] * self._given, *recording]).as_json()
        self._before, self._given = self._given, self._given + len(recording)
        async with self._session.patch(f"/api/bots/{self._bot}", json={"model": model}) as answer:
            if not answer.ok:
                raise BenchError(f"The bot could not be changed: {await answer.text()}")
        return await self._berth.send(self.id, f"bench-web-{uuid.uuid4().hex}", "go")

    async def command(self, text: str) -> str:
        call = {"tool": "computer__exec", "arguments": {"command": text}}
        # Before such a run ends, Berth has the bot look once more at what it leaves behind.
        return await self.play({"calls": [call]}, *[{"text": "It has ended."}] * 2)

    async def fill(self, cards: int, progress: Progress) -> None:
        calls = [{"tool": "no__such_tool", "arguments": {"n": n}} for n in range(CALLS)]
        for number in range(-(-cards // CARDS_A_RUN)):
            progress(f"{number * CARDS_A_RUN} of {cards} cards")
            await self.ended(await self.play({"calls": calls}, {"text": f"Answer **{number}** with `code`."}))

    async def ended(self, run_id: str) -> None:
        async with asyncio.timeout(RUN_SECONDS), self._berth.watch(self.id) as stream:
            while True:
                event = await stream.next()
                if event.type != "run.status" or event.data["id"] != run_id:
                    continue
                if event.data["state"] in {"failed", "waiting_input"}:
                    raise BenchError(f"A run ended as {event.data['state']}: {event.data['error']}")
                if event.data["state"] not in {"queued", "running"}:
                    return

    async def stop(self, run_id: str) -> None:
        """Stop a command; the bot has said no more than what began it."""
        await self._berth.stop(run_id)
        await self.ended(run_id)
        self._given = self._before + 1
