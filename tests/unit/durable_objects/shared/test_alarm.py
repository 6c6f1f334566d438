"""The alarm: early is fine, late is not, and nothing is set twice."""

from durable_objects.shared.alarm import Alarm
from tests.unit.durable_objects.conftest import Clock


def test_only_an_earlier_time_sets_it_again() -> None:
    clock, times = Clock(1_000), list[int]()
    alarm = Alarm(times.append, clock)
    for at_ms in (5_000, 9_000, 5_000, 4_000):
        alarm.by(at_ms)
    assert times == [5_000, 4_000]


def test_a_time_that_has_passed_without_ringing_is_not_trusted() -> None:
    clock, times = Clock(1_000), list[int]()
    alarm = Alarm(times.append, clock)
    alarm.by(2_000)
    clock.ms = 3_000
    alarm.by(9_000)
    assert times == [2_000, 9_000]


def test_after_it_rang_it_is_set_anew() -> None:
    times = list[int]()
    alarm = Alarm(times.append, Clock(1_000))
    alarm.by(5_000)
    alarm.rang()
    alarm.by(9_000)
    assert times == [5_000, 9_000]
