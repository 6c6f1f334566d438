"""Faults on order, for tests: what a platform does to an object on a bad day, at an exact place.

    with LocalStack(folder, faults=True) as stack:
        faults = Faults(stack)
        await faults.arm("write", "kill_after", nth=3, cls="BotComputer")
        ...                          # the third write from now on is on the disk, then workerd is dead
        await faults.restarted(1)    # it serves again

A rule counts the passages of its point from when it was armed, and strikes at the `nth` and the `times - 1`
behind it. What is armed dies with workerd. Points, and the actions each has:

    write                kill_before, kill_after, evict       a statement that writes, setAlarm, deleteAlarm,
                                                            deleteAll
    alarm                drop, twice, slow, fail
    call                 fail, slow, hang, lost_answer        a call on an object, by its method
    container.running    false                                is said not to run
    container.start      fail                                 the platform has no room
    container.*          fail, slow, hang, lost_answer        monitor, destroy, snapshotContainer, ...
    container.fetch      fail, slow, hang, lost_answer        a request to the service inside: "METHOD /path"
    r2.put, r2.get       fail, slow, hang, lost_answer, cut, flip      by their key; a part counts as a put
    service.fetch        fail, slow, hang, lost_answer        a request to the page's files, by its address
    r2.*                 fail, slow, hang, lost_answer        head, delete, list, create, complete

`slow` takes `ms`. `detail` is a part of what is named last in a row above.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from local.stack import LocalStack
from tests.integration.waiting import until

BINDINGS = {
    "BotComputer": "BOT_COMPUTER",
    "BotOwner": "BOT_OWNER",
    "Platform": "PLATFORM",
    "Person": "PERSON",
}


class Faults:
    """Orders to one stack's host, one at a time."""

    def __init__(self, stack: LocalStack) -> None:
        self._stack = stack
        self._turn = asyncio.Lock()
        self.clock_ms = 0

    async def arm(
        self,
        point: str,
        action: str,
        *,
        nth: int = 1,
        times: int = 1,
        cls: str | None = None,
        owner: str | None = None,
        detail: str = "",
        ms: int = 0,
    ) -> None:
        rule = {
            "point": point,
            "action": action,
            "nth": nth,
            "times": times,
            "class_name": cls,
            "object": owner,
            "detail": detail,
            "ms": ms,
        }
        await self._order("arm", rule=rule)

    async def clear(self) -> None:
        """Disarm every rule."""
        await self._order("clear")

    async def fired(self) -> list[dict[str, Any]]:
        """The faults that struck since the last look: {point, action, class_name, object, detail, at_ms}.

        What killed workerd is not among them: `kills` counts those.
        """
        found: list[dict[str, Any]] = (await self._order("fired"))["fired"]
        return found

    async def clock(self, offset_ms: int) -> None:
        """Let every object's clock be wrong by this much from now on; an alarm that is set is not moved."""
        await self._order("clock", offset_ms=offset_ms)
        self.clock_ms = offset_ms

    async def ring(self, cls: str, owner: str) -> None:
        """Deliver an object's alarm now, and return when it has been handled."""
        await self._order("ring", binding=BINDINGS[cls], object=owner)

    async def evict(self, cls: str, owner: str) -> None:
        """Take an object out of memory, as the platform does with an idle one."""
        await self._order("evict", binding=BINDINGS[cls], object=owner)

    async def kill(self) -> None:
        """Kill workerd and return when it serves again."""
        done = (await self._order("kill"))["restarts"]
        await self.restarted(done + 1)

    async def restarts(self) -> int:
        """How often workerd has come back after a death."""
        return int((await self._order("restarts"))["restarts"])

    async def kills(self) -> int:
        """How often workerd was killed."""
        return int((await self._order("restarts"))["kills"])

    async def restarted(self, count: int) -> None:
        """Wait until workerd has come back this often since the host began."""

        async def look() -> bool:
            return await self.restarts() >= count

        await until("the restart of workerd", look)
        # Its clock is right again, and nothing is armed.
        self.clock_ms = 0

    async def _order(self, what: str, **more: Any) -> dict[str, Any]:
        async with self._turn:
            return await asyncio.to_thread(self._stack.host.order, what, **more)


async def killed_at_each_write(
    faults: Faults, work: Callable[[int], Awaitable[None]], action: str = "kill_before", **where: Any
) -> int:
    """Do some work again and again, with workerd killed at its first write, its second, and so on.

    `work` gets the number of the write, has to outlive the death, and says by an AssertionError what it did
    not keep. `where` are `cls`, `owner` and `detail` of the writes. Returns how many there were: the first
    time that nothing struck ends it.
    """
    count = 0
    while True:
        kills, restarts = await faults.kills(), await faults.restarts()
        await faults.arm("write", action, nth=count + 1, **where)
        await work(count + 1)
        if await faults.kills() == kills:
            await faults.clear()
            return count
        await faults.restarted(restarts + 1)
        count += 1
