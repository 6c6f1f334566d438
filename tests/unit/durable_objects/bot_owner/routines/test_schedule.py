"""When a routine runs: cron over changes of clocks, intervals that do not drift, times that never come."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ROUTINE_PREVIEW_TIMES
from contracts.routines import CronSchedule, EverySchedule, OnceSchedule, Schedule
from durable_objects.bot_owner.routines.schedule import check_schedule, month_began, next_after, next_times

MINUTE = 60_000


def ms(text: str, zone: str = "UTC", fold: int = 0) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp() * 1000)


def chain(expression: str, zone: str, after_ms: int, until_ms: int) -> list[int]:
    """Each time asked for from the one before, as a routine does."""
    found: list[int] = []
    schedule = CronSchedule(expression=expression)
    while (at := next_after(schedule, zone, anchor_ms=0, after_ms=after_ms)) is not None and at <= until_ms:
        found.append(at)
        after_ms = at
    return found


def clocks(times: list[int], zone: str) -> list[str]:
    return [datetime.fromtimestamp(at / 1000, ZoneInfo(zone)).strftime("%d %H:%M %Z") for at in times]


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("Europe/Berlin", "2026-03-28T12:00"),
        ("Europe/Berlin", "2026-10-24T12:00"),
        ("Australia/Lord_Howe", "2026-04-04T12:00"),
        ("Africa/Cairo", "2026-04-23T12:00"),
        ("UTC", "2026-02-28T12:00"),
    ],
)
def test_every_minute_is_every_minute_that_passes(zone: str, start: str) -> None:
    first = ms(start, zone)
    found = chain("* * * * *", zone, first, first + 36 * 60 * MINUTE)
    assert found == [first + n * MINUTE for n in range(1, 36 * 60 + 1)]


@pytest.mark.parametrize(
    ("expression", "start", "expected"),
    [
        # Spring: the clock goes from 02:00 to 03:00. What is skipped runs right after the gap, once.
        ("30 2 * * *", "2026-03-28T12:00", ["29 03:00 CEST", "30 02:30 CEST"]),
        ("0,30 2 * * *", "2026-03-28T12:00", ["29 03:00 CEST", "30 02:00 CEST", "30 02:30 CEST"]),
        ("0 */2 29 * *", "2026-03-28T23:30", ["29 00:00 CET", "29 04:00 CEST", "29 06:00 CEST"]),
        # Autumn: from 03:00 back to 02:00. A set time runs once, what goes by the hour runs in both.
        ("30 2 * * *", "2026-10-24T12:00", ["25 02:30 CEST", "26 02:30 CET"]),
        ("0 * 25 * *", "2026-10-25T01:30", ["25 02:00 CEST", "25 02:00 CET", "25 03:00 CET"]),
    ],
)
def test_set_times_over_a_change_of_clocks(expression: str, start: str, expected: list[str]) -> None:
    first = ms(start, "Europe/Berlin")
    found = chain(expression, "Europe/Berlin", first, first + 48 * 60 * MINUTE)
    assert clocks(found[: len(expected)], "Europe/Berlin") == expected


def test_a_set_time_is_never_in_the_past_where_an_hour_comes_twice() -> None:
    second = ms("2026-10-25T02:10", "Europe/Berlin", fold=1)
    at = next_after(CronSchedule(expression="30 2 * * *"), "Europe/Berlin", anchor_ms=0, after_ms=second)
    assert clocks([at or 0], "Europe/Berlin") == ["26 02:30 CET"]


@pytest.mark.parametrize(
    "expression", ["*/7 * * * *", "15 1-3 * * *", "0 0 1 * MON", "59 23 L * *", "5 4 * * 1#2"]
)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "Pacific/Apia"])
def test_times_only_ever_rise_and_match_the_clock(expression: str, zone: str) -> None:
    first = ms("2026-10-01T00:00", zone)
    found = chain(expression, zone, first, first + 45 * 24 * 60 * MINUTE)
    assert found
    assert all(before < after for before, after in pairwise(found))
    assert all(at % MINUTE == 0 for at in found)


def test_an_interval_does_not_drift_and_what_was_missed_is_one_time() -> None:
    every = EverySchedule(minutes=30)
    assert next_after(every, "UTC", anchor_ms=5, after_ms=5) == 5 + 30 * MINUTE
    assert next_after(every, "UTC", anchor_ms=5, after_ms=5 + 30 * MINUTE) == 5 + 60 * MINUTE
    assert next_after(every, "UTC", anchor_ms=5, after_ms=5 + 95 * MINUTE) == 5 + 120 * MINUTE
    assert next_after(every, "UTC", anchor_ms=500, after_ms=0) == 500 + 30 * MINUTE


def test_once_is_once() -> None:
    once = OnceSchedule(at_ms=1_000)
    assert next_after(once, "UTC", anchor_ms=0, after_ms=999) == 1_000
    assert next_after(once, "UTC", anchor_ms=0, after_ms=1_000) is None
    assert next_times(once, "UTC", 0) == [1_000]


def test_the_next_five() -> None:
    now = ms("2026-11-30T12:00:30")
    times = next_times(CronSchedule(expression="0 9 * * MON-FRI"), "Asia/Shanghai", now)
    assert len(times) == ROUTINE_PREVIEW_TIMES
    assert clocks(times, "Asia/Shanghai")[:3] == ["01 09:00 CST", "02 09:00 CST", "03 09:00 CST"]
    assert next_times(EverySchedule(minutes=1), "UTC", now)[0] == now + MINUTE


@pytest.mark.parametrize(
    ("schedule", "zone"),
    [
        (CronSchedule(expression="* * * *"), "UTC"),
        (CronSchedule(expression="0 * * * * *"), "UTC"),
        (CronSchedule(expression="61 * * * *"), "UTC"),
        (CronSchedule(expression="* * * * MON#2/3"), "UTC"),
        (CronSchedule(expression="0 0 31 2 *"), "UTC"),
        (CronSchedule(expression="@daily"), "UTC"),
        (OnceSchedule(at_ms=0), "UTC"),
        (EverySchedule(minutes=1), "Mars/Olympus"),
        (EverySchedule(minutes=1), "../../etc/passwd"),
        (EverySchedule(minutes=1), "/etc/localtime"),
    ],
)
def test_what_cannot_be_read_or_never_comes_is_refused(schedule: Schedule, zone: str) -> None:
    with pytest.raises(BerthError) as caught:
        check_schedule(schedule, zone, 1)
    assert caught.value.code is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York"])
def test_a_month_begins_on_the_clocks_of_its_zone(zone: str) -> None:
    began = month_began(zone, ms("2026-11-30T12:00"))
    there = datetime.fromtimestamp(began / 1000, UTC).astimezone(ZoneInfo(zone))
    assert (there.day, there.hour, there.month) == (1, 0, 11)
    assert month_began(zone, began) == began
    assert month_began(zone, began - 1) < began - timedelta(days=27).total_seconds() * 1000
