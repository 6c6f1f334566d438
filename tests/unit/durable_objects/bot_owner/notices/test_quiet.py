"""Quiet hours by the clock on the wall: over midnight, and over the two changes of a year."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from contracts.notices import MINUTES_A_DAY, QuietHours
from durable_objects.bot_owner.notices.quiet import MINUTE_MS, quiet_until

BERLIN = "Europe/Berlin"
ZONES = ("UTC", BERLIN, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Shanghai")


def at(text: str, zone: str = BERLIN) -> int:
    """Of a time on the wall, or with an offset."""
    moment = datetime.fromisoformat(text)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
    return int(aware.timestamp() * 1000)


def minutes(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)


@pytest.mark.parametrize(
    ("begin", "until", "now", "end"),
    [
        ("22:00", "07:00", "2026-06-10T21:59", None),
        ("22:00", "07:00", "2026-06-10T22:00", "2026-06-11T07:00"),
        ("22:00", "07:00", "2026-06-11T06:59:59", "2026-06-11T07:00"),
        ("22:00", "07:00", "2026-06-11T07:00", None),
        ("13:00", "14:30", "2026-06-10T13:10", "2026-06-10T14:30"),
        ("13:00", "14:30", "2026-06-10T12:59", None),
        ("00:00", "23:59", "2026-06-10T12:00", "2026-06-10T23:59"),
        # The clock goes from 2 to 3 on 29 March: the end comes when it jumps, and nights are shorter.
        ("22:00", "02:30", "2026-03-29T01:00", "2026-03-29T03:00"),
        ("22:00", "07:00", "2026-03-28T23:00", "2026-03-29T07:00"),
        # It goes from 3 back to 2 on 25 October: half past two comes twice.
        ("22:00", "02:30", "2026-10-25T01:00", "2026-10-25T02:30+02:00"),
        ("22:00", "02:30", "2026-10-25T02:45+02:00", None),
        ("22:00", "02:30", "2026-10-25T02:10+01:00", "2026-10-25T02:30+01:00"),
        ("22:00", "07:00", "2026-10-24T23:00", "2026-10-25T07:00"),
    ],
)
def test_the_end_of_the_hours_that_it_is_in(begin: str, until: str, now: str, end: str | None) -> None:
    hours = QuietHours(begin=minutes(begin), until=minutes(until))
    assert quiet_until(at(now), hours, BERLIN) == (None if end is None else at(end))


def test_without_hours_it_is_never_quiet() -> None:
    assert quiet_until(at("2026-06-10T03:00"), None, BERLIN) is None


def test_the_same_moment_is_quiet_in_one_zone_and_not_in_another() -> None:
    hours, now = QuietHours(begin=minutes("22:00"), until=minutes("07:00")), at("2026-06-10T23:00")
    assert quiet_until(now, hours, BERLIN) is not None
    assert quiet_until(now, hours, "America/New_York") is None


@given(
    minute=st.integers(at("2026-01-01T00:00") // MINUTE_MS, at("2027-12-31T00:00") // MINUTE_MS),
    begin=st.integers(0, MINUTES_A_DAY - 1),
    length=st.integers(1, MINUTES_A_DAY - 1),
    zone=st.sampled_from(ZONES),
)
def test_it_ends_at_the_first_minute_that_is_not_quiet(
    minute: int, begin: int, length: int, zone: str
) -> None:
    hours = QuietHours(begin=begin, until=(begin + length) % MINUTES_A_DAY)
    now = minute * MINUTE_MS + 1_234
    end = quiet_until(now, hours, zone)
    shown = datetime.fromtimestamp(now / 1000, UTC).astimezone(ZoneInfo(zone))
    # Another way to say it: how far the clock is behind the beginning.
    assert (end is not None) == ((shown.hour * 60 + shown.minute - begin) % MINUTES_A_DAY < length)
    if end is not None:
        assert now < end <= now + 27 * 60 * MINUTE_MS
        assert quiet_until(end, hours, zone) is None
        assert quiet_until(end - 1, hours, zone) == end


@pytest.mark.parametrize(("begin", "until"), [(60, 60), (-1, 60), (0, MINUTES_A_DAY)])
def test_hours_that_are_none_are_refused(begin: int, until: int) -> None:
    with pytest.raises(ValidationError):
        QuietHours(begin=begin, until=until)
