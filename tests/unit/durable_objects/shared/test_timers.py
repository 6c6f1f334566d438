"""Timers in one table: none lost over deaths, fired in order, late ones once, the alarm never late."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from durable_objects.shared.sql import SqliteSql, migrate
from durable_objects.shared.timers import LEASE_MS, TIMERS_SCHEMA, Timer, Timers
from tests.unit.durable_objects.conftest import Clock

KINDS = ("runs", "retention", "removals", "uploads", "trading", "routine", "notices", "allowance")


class Object:
    """An object that dies and comes back: its table stays, its alarm stays, its memory does not."""

    def __init__(self) -> None:
        self.sql = SqliteSql()
        migrate(self.sql, (TIMERS_SCHEMA,))
        self.clock = Clock()
        self.alarm: int | None = None
        self.timers = self.reborn()

    def reborn(self) -> Timers:
        self.timers = Timers(self.sql, self.clock, self._ring)
        self.timers.remind()
        return self.timers

    def _ring(self, at_ms: int) -> None:
        self.alarm = at_ms


@pytest.fixture
def thing() -> Object:
    return Object()


async def quietly(_key: str) -> None:
    pass


def test_the_sooner_of_two_wishes_holds(thing: Object) -> None:
    now = thing.clock.ms
    thing.timers.by("a", now + 50)
    thing.timers.by("a", now + 20)
    thing.timers.by("a", now + 90)
    assert (thing.timers.time("a"), thing.alarm) == (now + 20, now + 20)
    thing.timers.at("a", now + 70)
    assert (thing.timers.time("a"), thing.alarm) == (now + 70, now + 70)
    thing.timers.at("a", None)
    assert (thing.timers.time("a"), thing.timers.due()) == (None, [])


def test_a_new_object_sets_its_alarm_to_the_earliest_and_not_to_the_next_wish(thing: Object) -> None:
    now = thing.clock.ms
    thing.timers.by("removals", now + 60)
    thing.alarm = 0
    thing.reborn().by("retention", now + 9_000)
    assert thing.alarm == now + 60
    thing.timers.wake(now + 5_000)
    assert thing.alarm == now + 60
    thing.timers.wake(now + 5)
    assert thing.alarm == now + 5


async def test_a_timer_that_dies_while_it_fires_is_fired_again_after_its_lease(thing: Object) -> None:
    timer = Timer("routine", "r1")
    thing.timers.by("routine", thing.clock.ms, "r1")

    async def dies(_key: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await thing.timers.fire(timer, dies)
    assert thing.reborn().due() == []
    assert thing.alarm == thing.clock.ms + LEASE_MS
    thing.clock.ms += LEASE_MS
    assert thing.timers.due() == [timer]
    await thing.timers.fire(timer, quietly)
    assert thing.timers.earliest() is None


async def test_what_is_wished_while_it_fires_is_kept(thing: Object) -> None:
    timer = Timer("uploads", "")
    thing.timers.by("uploads", thing.clock.ms)
    seen: list[list[Timer]] = []

    async def wishes(_key: str) -> None:
        thing.timers.by("uploads", thing.clock.ms + 10)
        thing.clock.ms += 10
        # Not while it is at work: it would be in its own way.
        seen.append(thing.timers.due())
        await thing.timers.fire(timer, quietly)

    await thing.timers.fire(timer, wishes)
    assert seen == [[]]
    assert thing.timers.due() == [timer]


async def test_a_late_timer_fires_once_however_often_it_was_due(thing: Object) -> None:
    for step in range(5):
        thing.timers.by("routine", thing.clock.ms + step, "r1")
    thing.clock.ms += 1_000_000
    (timer,) = thing.reborn().due()
    await thing.timers.fire(timer, quietly)
    assert thing.timers.due() == []


def test_they_come_in_the_order_of_their_times(thing: Object) -> None:
    now = thing.clock.ms
    for kind, key, after in (("b", "1", 30), ("a", "2", 10), ("a", "1", 30), ("c", "", 20), ("d", "", 31)):
        thing.timers.by(kind, now + after, key)
    thing.clock.ms += 30
    found = [(timer.kind, timer.key) for timer in thing.timers.due()]
    assert found == [("a", "2"), ("c", ""), ("a", "1"), ("b", "1")]
    assert thing.timers.next_ms() == now + 10


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
async def test_hundreds_of_timers_over_many_deaths(seed: int) -> None:
    """Wishes, firings and deaths at random: each wish is followed by a firing, at its time or later."""
    chance, thing = random.Random(seed), Object()  # noqa: S311 - no secret
    wished: dict[Timer, int] = {}
    fired: list[tuple[int, Timer]] = []

    async def work(timer: Timer) -> None:
        if chance.random() < 0.1:
            raise KeyboardInterrupt
        assert wished[timer] <= thing.clock.ms
        del wished[timer]
        fired.append((thing.clock.ms, timer))
        if chance.random() < 0.3:
            wish(timer, chance.randint(0, 90_000))

    def wish(timer: Timer, after_ms: int) -> None:
        at_ms = thing.clock.ms + after_ms
        thing.timers.by(timer.kind, at_ms, timer.key)
        wished[timer] = min(at_ms, wished.get(timer, at_ms))

    for number in range(300):
        wish(Timer(chance.choice(KINDS), str(number)), chance.randint(0, 600_000))
    for _ in range(3_000):
        if thing.alarm is None or not wished:
            break
        assert thing.alarm == thing.timers.earliest()
        thing.clock.ms = max(thing.clock.ms, thing.alarm)
        thing.alarm = None
        due = thing.timers.due()
        # Those that died once already come by their leases.
        planned = [wished[one] for one in due if thing.timers.time(one.kind, one.key)]
        assert planned == sorted(planned)
        for timer in due:
            try:
                await thing.timers.fire(timer, lambda _key, timer=timer: work(timer))  # type: ignore[misc]
            except KeyboardInterrupt:
                break
        thing.reborn()
    assert wished == {}
    assert len(fired) >= 300
    assert len({(at, timer) for at, timer in fired}) == len(fired)
