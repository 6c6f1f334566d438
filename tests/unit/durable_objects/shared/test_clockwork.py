"""An alarm's handler: it fires what is due and falls due meanwhile, and returns when all is quiet."""

import asyncio
from collections.abc import Callable

import pytest

from durable_objects.shared.clockwork import Clockwork
from durable_objects.shared.driver import Driver
from durable_objects.shared.sql import SqliteSql, migrate
from durable_objects.shared.timers import LEASE_MS, TIMERS_SCHEMA, Timers, Work
from tests.unit.durable_objects.conftest import Clock


class Rig:
    def __init__(self, sql: SqliteSql, clock: Clock) -> None:
        migrate(sql, (TIMERS_SCHEMA,))
        self.clock = clock
        self.timers = Timers(sql, clock, lambda _at: None)
        self.fired: list[str] = []
        self.behind = 0
        self.others = Driver(self._run, lambda _key: None)
        self.hold = asyncio.Event()
        self.work: dict[str, Work] = {"a": self._note, "b": self._note, "bad": self._bad, "slow": self._slow}
        self.clockwork = Clockwork(
            self.timers, self.work, now_ms=clock, others=self.others, fired=self._behind
        )

    def _behind(self) -> None:
        self.behind += 1

    async def _note(self, key: str) -> None:
        self.fired.append(key)

    async def _bad(self, key: str) -> None:
        raise ValueError(key)

    async def _slow(self, key: str) -> None:
        self.fired.append(key)
        await self.hold.wait()

    async def _run(self, _key: str) -> None:
        await self.hold.wait()


@pytest.fixture
def rig(sql: SqliteSql, clock: Clock) -> Rig:
    return Rig(sql, clock)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0)


async def test_what_is_due_is_fired_in_order_and_the_handler_returns(rig: Rig) -> None:
    now = rig.clock.ms
    for kind, key, at in (
        ("a", "2", now - 1),
        ("b", "1", now - 2),
        ("a", "3", now),
        ("a", "later", now + 60_000),
    ):
        rig.timers.by(kind, at, key)
    await rig.clockwork.stay(600)
    assert rig.fired == ["1", "2", "3"]
    assert rig.behind == 3
    assert rig.timers.earliest() == now + 60_000


async def test_one_that_fails_or_is_unknown_hinders_no_other_and_is_tried_again(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    for kind, key in (("bad", "x"), ("newer", "y"), ("a", "1")):
        rig.timers.by(kind, rig.clock.ms, key)
    await rig.clockwork.stay(600)
    assert rig.fired == ["1"]
    assert "could not be driven" in caplog.text
    assert rig.timers.earliest() == rig.clock.ms + LEASE_MS
    rig.clock.ms += LEASE_MS
    assert {timer.key for timer in rig.timers.due()} == {"x", "y"}


async def test_a_timer_that_falls_due_while_a_run_is_driven_does_not_wait_for_it(rig: Rig) -> None:
    rig.others.start("run")
    staying = asyncio.ensure_future(rig.clockwork.stay(600))
    await until(lambda: rig.others.busy)
    await asyncio.sleep(0)
    rig.timers.by("a", rig.clock.ms, "meanwhile")
    await until(lambda: rig.fired == ["meanwhile"])
    assert not staying.done()
    rig.hold.set()
    await asyncio.wait_for(staying, 60)


async def test_a_timer_that_hangs_holds_up_no_other(rig: Rig) -> None:
    rig.timers.by("slow", rig.clock.ms, "hangs")
    staying = asyncio.ensure_future(rig.clockwork.stay(600))
    await until(lambda: rig.fired == ["hangs"])
    rig.timers.by("slow", rig.clock.ms, "hangs")
    rig.timers.by("a", rig.clock.ms, "2")
    await until(lambda: rig.fired == ["hangs", "2"])
    rig.hold.set()
    await asyncio.wait_for(staying, 60)
    # What was wished while it hung is fired behind it.
    assert rig.fired == ["hangs", "2", "hangs"]


async def test_the_handler_returns_when_its_time_is_over(rig: Rig) -> None:
    rig.others.start("run")
    await asyncio.wait_for(rig.clockwork.stay(0.01), 60)
    assert rig.others.busy
    rig.hold.set()
    await rig.others.join(60)


async def test_the_work_of_a_deleted_owner_is_left(rig: Rig) -> None:
    rig.timers.by("slow", rig.clock.ms, "hangs")
    rig.clockwork.start_due()
    await until(lambda: rig.fired == ["hangs"])
    await rig.clockwork.cancel()
    assert rig.timers.earliest() == rig.clock.ms + LEASE_MS
