"""Days and months as an owner's clocks have them, changes of clocks included."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.billing.days import HOUR_MS, Calendar, utc_hour, zone_of

ZONES = [
    "UTC", "Europe/Berlin", "America/Havana", "America/Asuncion", "Asia/Kathmandu", "Pacific/Apia",
    "Africa/Cairo", "Asia/Shanghai", "Australia/Lord_Howe",
]  # fmt: skip


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "noon", "hours"),
    [
        ("UTC", "2026-03-29T12:00", 24),
        ("Europe/Berlin", "2026-03-29T12:00", 23),
        ("Europe/Berlin", "2026-10-25T12:00", 25),
        # Its clocks skip midnight: the day begins at one.
        ("Africa/Cairo", "2026-04-24T12:00", 23),
        ("Australia/Lord_Howe", "2026-10-04T02:00", 23.5),
    ],
)
def test_a_day_has_as_many_hours_as_its_clocks_say(zone: str, noon: str, hours: float) -> None:
    calendar = Calendar(ZoneInfo(zone))
    end = calendar.next_day_ms(at(noon))
    before = at(noon) - 48 * HOUR_MS
    while calendar.next_day_ms(before) <= at(noon):
        before = calendar.next_day_ms(before)
    assert (end - before) / HOUR_MS == hours


def test_a_month_ends_where_the_owners_clocks_say() -> None:
    calendar = Calendar(ZoneInfo("Asia/Shanghai"))
    assert calendar.month(at("2026-10-31T15:59:59")) == "2026-10"
    assert calendar.next_month_ms(at("2026-10-31T15:59:59")) == at("2026-10-31T16:00")
    assert calendar.month(at("2026-10-31T16:00")) == "2026-11"
    assert calendar.next_month_ms(at("2026-12-15T00:00")) == at("2026-12-31T16:00")


def test_a_command_over_midnight_is_cut_there() -> None:
    calendar = Calendar(ZoneInfo("Asia/Kathmandu"))
    midnight = at("2026-11-30T18:15")
    pieces = list(calendar.pieces(midnight - 30_000, midnight + 60_000))
    assert pieces == [(midnight - 30_000, midnight), (midnight, midnight + 60_000)]
    assert [calendar.day(start) for start, _ in pieces] == ["2026-11-30", "2026-12-01"]


@given(
    zone=st.sampled_from(ZONES),
    start=st.integers(at("2010-01-01"), at("2037-12-31")),
    length=st.integers(0, 3 * 24 * HOUR_MS),
)
def test_pieces_are_the_whole_and_each_is_of_one_day_and_one_hour(zone: str, start: int, length: int) -> None:
    calendar = Calendar(ZoneInfo(zone))
    pieces = list(calendar.pieces(start, start + length))
    assert sum(end - begin for begin, end in pieces) == length
    for begin, end in pieces:
        assert calendar.day(begin) == calendar.day(end - 1)
        assert utc_hour(begin) == utc_hour(end - 1)
    days = [calendar.day(begin) for begin, _ in pieces]
    assert days == sorted(days)


@pytest.mark.parametrize("name", ["Nowhere/City", "", "../etc/passwd", "Europe", "x" * 300, "\0"])
def test_what_is_no_zone_is_said_to_be_none(name: str) -> None:
    with pytest.raises(BerthError) as caught:
        zone_of(name)
    assert caught.value.code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("zone", "moment", "begins", "hour"),
    [
        ("UTC", "2026-03-29T12:59", "2026-03-29T00:00", 12),
        ("Asia/Shanghai", "2026-03-29T16:00", "2026-03-29T16:00", 0),
        ("Asia/Shanghai", "2026-03-29T15:59", "2026-03-28T16:00", 23),
        ("Europe/Berlin", "2026-03-29T12:00", "2026-03-28T23:00", 14),
        # Its clocks skip midnight: the day begins at one.
        ("Africa/Cairo", "2026-04-24T12:00", "2026-04-23T22:00", 15),
    ],
)
def test_a_day_begins_and_has_its_hours_as_its_clocks_say(
    zone: str, moment: str, begins: str, hour: int
) -> None:
    calendar = Calendar(ZoneInfo(zone))
    assert (calendar.day_begins_ms(at(moment)), calendar.hour(at(moment))) == (at(begins), hour)
