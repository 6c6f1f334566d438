"""Runs one history from its seed: clients at work for two owners, faults meanwhile, then a last look.

The seed decides what everybody does and which faults strike where. How it all interleaves is the machine's
own affair, so a seed that found something may have to be run more than once.
"""

import asyncio
import contextlib
import hashlib
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.egress.outside import Outside
from tests.integration.faults import Faults
from tests.integration.nemesis import nemesis
from tests.integration.nemesis.checkers import OUTLIVE_SECONDS
from tests.integration.nemesis.client import Client, StuckError
from tests.integration.nemesis.engine_events import EngineEvents, Moved, engine_events
from tests.integration.nemesis.history import History, Kind, Leftover, Notice
from tests.integration.nemesis.operations import Actor, Step
from tests.integration.nemesis.sandboxes import command_line, processes

OWNERS = 2
CLIENTS = 2
WATCH_SECONDS = 1.0
LAST_TRIES = 5
KINDS: dict[Kind, int] = {
    "append": 8,
    "write": 3,
    "read": 3,
    "export": 2,
    "upload": 2,
    "stop": 1,
    "leave": 1,
    "big": 1,
    "outside": 1,
    "sleep": 2,
}
DAWDLES = (0.0, 0.2, 0.8)


@dataclass(frozen=True)
class Effort:
    """How much a history has of everything."""

    steps: int
    faults: int
    slow: bool = False
    """Whether faults that take half a minute are among them."""


QUICK = Effort(steps=4, faults=2)
LONG = Effort(steps=10, faults=4, slow=True)


@dataclass(frozen=True)
class Plan:
    steps: list[list[Step]]
    """Of each client in turn."""
    faults: list[tuple[int, nemesis.Strike]]
    """After how many operations which one strikes."""


def planned(seed: int, effort: Effort) -> Plan:
    rng = random.Random(seed)  # noqa: S311 - a test's dice
    steps = [
        [("append", "a", 0.2), *(_step(rng) for _ in range(effort.steps - 1))]
        for _ in range(OWNERS * CLIENTS)
    ]
    if rng.random() < 0.3:
        rng.choice(steps).append(("reset", "", 0.0))
    catalogue = nemesis.QUICK + (nemesis.SLOW if effort.slow else ())
    total = len(steps) * effort.steps
    faults = [(rng.randrange(total), rng.choice(catalogue)) for _ in range(effort.faults)]
    return Plan(steps, sorted(faults, key=lambda fault: fault[0]))


def _step(rng: random.Random) -> Step:
    kind = rng.choices(list(KINDS), weights=list(KINDS.values()))[0]
    files = {"append": "a", "write": "w", "export": "a", "read": rng.choice("aw")}
    return kind, files.get(kind, ""), rng.choice(DAWDLES)


@asynccontextmanager
async def actors(stack: LocalStack, history: History) -> AsyncIterator[list[Actor]]:
    async with AsyncExitStack() as open_:
        made = []
        for number in range(OWNERS):
            person = await open_.enter_async_context(Person.at(stack, f"n{history.seed}{'ab'[number]}"))
            owner = str((await person.get("/api/me"))["id"])
            for letter in "cd"[:CLIENTS]:
                client = await open_.enter_async_context(Client.of(person))
                made.append(Actor(history, client, owner, letter))
        yield made


async def run_history(stack: LocalStack, outside: Outside, seed: int, effort: Effort) -> History:
    """Return what happened; nothing of it is judged here."""
    history, plan, faults = History(seed), planned(seed, effort), Faults(stack)
    left_before = len(outside.seen)
    async with engine_events(stack) as events, actors(stack, history) as cast:
        owners = tuple(dict.fromkeys(actor.owner for actor in cast))
        field = nemesis.Field(stack, faults, random.Random(f"{seed} faults"), owners)  # noqa: S311 - as above
        watching = asyncio.ensure_future(_watch(history))
        striking = asyncio.ensure_future(_strike(history, field, plan))
        await asyncio.gather(*(_act(actor, steps) for actor, steps in zip(cast, plan.steps, strict=True)))
        await striking
        await faults.clear()
        await _look_once_more(history, cast)
        await _outlive(history)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        await faults.clock(0)
        history.notices = _notices(cast)
        history.machines = _machines(events)
    history.outside = [seen.url for seen in outside.seen[left_before:]]
    history.heap_bytes = await asyncio.to_thread(stack.host.heap_bytes)
    return history


async def _act(actor: Actor, steps: list[Step]) -> None:
    for step in steps:
        await actor.do(step)


async def _strike(history: History, field: nemesis.Field, plan: Plan) -> None:
    for after, what in plan.faults:
        while sum(op.ended > 0 for op in history.operations) < after:
            await asyncio.sleep(0.02)
        history.fault(await nemesis.strike(field, what))


async def _look_once_more(history: History, cast: list[Actor]) -> None:
    """Each computer works again, has what it should, and goes to sleep; exports are what they were."""
    for actor in cast[::CLIENTS]:
        # What a fault began may still end a call that comes now, for which the answer says to try again.
        for _ in range(LAST_TRIES):
            if (await actor.do(("append", "a", 0.0))).outcome == "done":
                break
    for actor in cast:
        await actor.do(("append", "a", 0.0), after_all=True)
        await actor.do(("read", "w", 0.0), after_all=True)
    for actor in cast[::CLIENTS]:
        await actor.do(("sleep", "", 0.0), after_all=True)
    for op in history.operations:
        if artifact := op.facts.get("artifact"):
            actor = next(other for other in cast if other.owner == op.owner)
            with contextlib.suppress(StuckError):
                content = await actor.client.bytes_of(f"/api/artifacts/{artifact}/content")
                op.facts["at_the_end"] = hashlib.sha256(content).hexdigest()


async def _watch(history: History) -> None:
    """Note every process that is alive although its command has ended long ago."""
    while True:
        _note_leftovers(history)
        await asyncio.sleep(WATCH_SECONDS)


def _note_leftovers(history: History) -> bool:
    """Return whether any process of an ended operation is alive."""
    now = asyncio.get_running_loop().time()
    ended = [op for op in history.operations if op.marker and op.outcome in ("done", "failed", "lost")]
    lines = [line for pid in processes() if "sleep " in (line := command_line(pid))]
    alive = [op for op in ended if any(op.marker in line for line in lines)]
    known = {left.number for left in history.leftovers}
    for op in alive:
        if now - op.ended > OUTLIVE_SECONDS and op.number not in known:
            history.leftovers.append(Leftover(op.number, now - op.ended))
    return bool(alive)


async def _outlive(history: History) -> None:
    """Wait until no process is left of what has ended, or until one has been so for too long."""
    while _note_leftovers(history) and not history.leftovers:
        await asyncio.sleep(0.1)


def _notices(cast: list[Actor]) -> list[Notice]:
    return [
        Notice(seen.at, actor.owner, seen.event["data"]["restored"]["older"])
        for actor in cast
        for seen in actor.client.seen
        if seen.event["type"] == "notice" and seen.event["data"]["code"] == "computer_restored"
    ]


def _machines(events: EngineEvents) -> list[Moved]:
    """Without the engine's own helpers, of which each computer has one."""
    return [move for move in events.moved if not move.machine.endswith("-proxy")]
