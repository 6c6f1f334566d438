"""Whether a deployment is ready: looked for by one at a time, and kept for a while."""

import asyncio

import pytest

from api.readiness import Readiness
from contracts.limits import READY_SECONDS

PATIENCE_S = 1.0


class Looked:
    """A look that answers when it is let."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.times = 0
        self.says = True
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.readiness = Readiness(lambda: self.now_s, PATIENCE_S)

    async def look(self) -> bool:
        self.times += 1
        await self.may_end.wait()
        return self.says

    async def ask(self) -> bool:
        return await self.readiness.found(self.look)


@pytest.fixture
def looked() -> Looked:
    return Looked()


async def test_what_was_found_holds_for_some_seconds(looked: Looked) -> None:
    assert await looked.ask()
    looked.says, looked.now_s = False, READY_SECONDS - 0.1
    assert await looked.ask()
    assert looked.times == 1
    looked.now_s = READY_SECONDS
    assert not await looked.ask()
    assert looked.times == 2


async def test_many_at_once_look_once_and_are_told_the_same(looked: Looked) -> None:
    looked.may_end.clear()
    asked = [asyncio.ensure_future(looked.ask()) for _ in range(50)]
    await asyncio.sleep(0)
    looked.may_end.set()
    assert await asyncio.gather(*asked) == [True] * 50
    assert looked.times == 1


async def test_while_one_looks_again_the_others_are_told_what_was_found(looked: Looked) -> None:
    assert await looked.ask()
    looked.now_s, looked.says = READY_SECONDS, False
    looked.may_end.clear()
    again = asyncio.ensure_future(looked.ask())
    await asyncio.sleep(0)
    assert await asyncio.gather(*(looked.ask() for _ in range(50))) == [True] * 50
    assert looked.times == 2
    looked.may_end.set()
    assert not await again


async def test_a_look_that_never_ends_is_taken_over(looked: Looked) -> None:
    looked.may_end.clear()
    gone = asyncio.ensure_future(looked.ask())
    waits = asyncio.ensure_future(looked.ask())
    await asyncio.sleep(0)
    gone.cancel()
    looked.now_s = PATIENCE_S
    assert not await waits
    looked.may_end.set()
    assert await looked.ask()
    assert looked.times == 2
