"""The faults of a history: each a function that strikes once, at a place that chance chooses."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from local.stack import LocalStack
from local.worker_process import HostError
from tests.integration.faults import Faults
from tests.integration.nemesis.sandboxes import Sandbox, sandbox_of

COMPUTER = "BotComputer"
IDLE_MS = 301_000
HOUR_MS = 3_600_000


@dataclass(frozen=True)
class Field:
    """Where faults are done, and to whom."""

    stack: LocalStack
    faults: Faults
    rng: random.Random
    owners: tuple[str, ...]

    def owner(self) -> str:
        return self.rng.choice(self.owners)

    def sandbox(self) -> Sandbox | None:
        found = [sandbox for owner in self.owners if (sandbox := sandbox_of(self.stack, owner))]
        return self.rng.choice(found) if found else None


Strike = Callable[[Field], Awaitable[str]]
"""Returns what it did, for the history."""


async def kill_at_a_write(field: Field) -> str:
    action = field.rng.choice(("kill_before", "kill_after"))
    cls, detail = field.rng.choice(WRITES)
    nth = field.rng.randint(1, 6 if detail else 12)
    await field.faults.arm("write", action, nth=nth, cls=cls, detail=detail)
    return f"workerd is to die: {action} write {nth} of {cls} {detail}"


WRITES = (
    (COMPUTER, ""),
    (COMPUTER, "INTO machine"),
    (COMPUTER, "INTO pieces"),
    (COMPUTER, "INTO backups"),
    ("BotOwner", ""),
)


async def kill_workerd(field: Field) -> str:
    await field.faults.kill()
    return "workerd was killed and is back"


async def evict_at_a_write(field: Field) -> str:
    cls, detail = field.rng.choice(WRITES)
    nth = field.rng.randint(1, 6 if detail else 12)
    await field.faults.arm("write", "evict", nth=nth, cls=cls, detail=detail)
    return f"{cls} is to be evicted at write {nth} {detail}"


async def evict(field: Field) -> str:
    cls, owner = field.rng.choice((COMPUTER, "BotOwner")), field.owner()
    await field.faults.evict(cls, owner)
    return f"{cls} of {owner} was evicted"


async def kill_a_sandbox(field: Field) -> str:
    sandbox = field.sandbox()
    if sandbox:
        sandbox.kill()
    return f"killed {sandbox}"


async def stop_a_sandbox_for_a_while(field: Field) -> str:
    sandbox, seconds = field.sandbox(), field.rng.choice((0.3, 2.0))
    if sandbox:
        async with sandbox.stopped():
            await asyncio.sleep(seconds)
    return f"{sandbox} stood still for {seconds} s"


async def stop_a_sandbox_for_good(field: Field) -> str:
    """Until it is destroyed, or its silence was long enough to be noticed by whoever had to."""
    sandbox = field.sandbox()
    if sandbox:
        async with sandbox.stopped():
            await asyncio.sleep(field.rng.choice((17.0, 28.0)))
    return f"{sandbox} stood still for long"


async def be_wrong_about_running(field: Field) -> str:
    nth = field.rng.randint(1, 6)
    await field.faults.arm("container.running", "false", nth=nth, cls=COMPUTER)
    return f"a container is to be said not to run, at question {nth}"


async def refuse_a_start(field: Field) -> str:
    times = field.rng.choice((1, 2, 3))
    await field.faults.arm("container.start", "fail", cls=COMPUTER, times=times)
    return f"{times} starts are to fail"


async def forget_to_tell_of_an_end(field: Field) -> str:
    await field.faults.arm("container.monitor", "hang", cls=COMPUTER)
    return "the end of the next container is not to be told"


async def disturb_the_container(field: Field) -> str:
    call = field.rng.choice(
        ("snapshotContainer", "setInactivityTimeout", "destroy", "interceptOutboundHttps")
    )
    action = field.rng.choice(("fail", "slow", "lost_answer"))
    await field.faults.arm(f"container.{call}", action, cls=COMPUTER, ms=1500)
    return f"{call} is to be disturbed: {action}"


async def disturb_the_service(field: Field) -> str:
    detail = field.rng.choice(
        ("POST /commands", "GET /health", "PUT /files", "POST /files", "GET /files", *SAVING)
    )
    action, nth = field.rng.choice(("fail", "slow", "lost_answer")), field.rng.randint(1, 3)
    await field.faults.arm("container.fetch", action, cls=COMPUTER, nth=nth, detail=detail, ms=1500)
    return f"{detail} is to be disturbed, time {nth}: {action}"


SAVING = ("POST /backup", "GET /backup", "POST /restore", "PUT /restore")


async def disturb_a_call(field: Field) -> str:
    cls, detail = field.rng.choice(
        (
            (COMPUTER, "exec"),
            (COMPUTER, "call"),
            (COMPUTER, "change"),
            ("BotOwner", "call"),
            ("BotOwner", "computer_changed"),
        )
    )
    action, nth = field.rng.choice(("fail", "slow", "lost_answer")), field.rng.randint(1, 3)
    await field.faults.arm("call", action, cls=cls, nth=nth, detail=detail, ms=1500)
    return f"{cls}.{detail} is to be disturbed, time {nth}: {action}"


async def disturb_an_alarm(field: Field) -> str:
    action = field.rng.choice(("drop", "twice", "slow", "fail"))
    cls, owner = field.rng.choice((COMPUTER, "BotOwner")), field.owner()
    await field.faults.arm("alarm", action, cls=cls, ms=1500)
    await field.faults.ring(cls, owner)
    return f"the alarm of {cls} of {owner} rang, disturbed: {action}"


async def disturb_r2(field: Field) -> str:
    point = field.rng.choice(("r2.put", "r2.get", "r2.head", "r2.delete", "r2.complete"))
    action = field.rng.choice(("fail", "slow", "lost_answer", *(("cut",) if point in CUT else ())))
    nth = field.rng.randint(1, 2)
    await field.faults.arm(point, action, nth=nth, ms=1500)
    return f"{point} is to be disturbed, time {nth}: {action}"


CUT = ("r2.put", "r2.get")


async def disturb_the_backups(field: Field) -> str:
    """In a save or a wake from one, to which a snapshot that does not start leads."""
    point, action = field.rng.choice(CUT), field.rng.choice(("fail", "flip", "cut", "slow"))
    nth, times = field.rng.randint(1, 4), field.rng.choice((1, 1, 4))
    await field.faults.arm(point, action, nth=nth, times=times, detail="backups/", ms=1500)
    if field.rng.random() < 0.5:
        await field.faults.arm("container.start", "fail", cls=COMPUTER, times=2)
    return f"{point} of backups is to be disturbed, {times} times from time {nth}: {action}"


async def let_the_clock_jump(field: Field) -> str:
    jump = field.rng.choice((2 * HOUR_MS, -HOUR_MS))
    await field.faults.clock(field.faults.clock_ms + jump)
    return f"the clock jumped by {jump // HOUR_MS} h"


async def let_time_pass(field: Field) -> str:
    owner = field.owner()
    await field.faults.clock(field.faults.clock_ms + IDLE_MS)
    await field.faults.ring(COMPUTER, owner)
    return f"five minutes passed, and the alarm of {owner} rang"


QUICK: tuple[Strike, ...] = (
    kill_at_a_write,
    kill_workerd,
    evict_at_a_write,
    evict,
    kill_a_sandbox,
    stop_a_sandbox_for_a_while,
    be_wrong_about_running,
    refuse_a_start,
    forget_to_tell_of_an_end,
    disturb_the_container,
    disturb_the_service,
    disturb_a_call,
    disturb_an_alarm,
    disturb_r2,
    disturb_the_backups,
    let_the_clock_jump,
    let_time_pass,
)
SLOW: tuple[Strike, ...] = (stop_a_sandbox_for_good,)


async def strike(field: Field, what: Strike) -> str:
    """Do it; a fault that another one took the ground from has done nothing."""
    try:
        return await what(field)
    except HostError as error:
        return f"{what.__name__} found nobody: {error}"
