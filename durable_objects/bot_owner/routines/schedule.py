"""When a routine runs next: cron with a time zone, every so many minutes, or once.

Cron is cronsim's, which does what Debian's cron does when clocks change: a time that is skipped runs right
after the gap, a time that comes twice runs the first time, and minutes or hours that begin with a star go by
elapsed time. Zones come from the tzdata package, for a Worker has no system to ask.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ROUTINE_PREVIEW_TIMES
from contracts.reasons import because
from contracts.routines import CronSchedule, EverySchedule, OnceSchedule, Schedule

MINUTE_MS = 60_000
FIELDS = 5


def zone_of(name: str) -> ZoneInfo:
    """Raises `invalid_request` for what is no zone of the IANA database."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise because(ErrorCode.INVALID_REQUEST, "time_zone_none", name=f"{name!a}") from error


def check_schedule(schedule: Schedule, zone: str, now_ms: int) -> None:
    """Raises `invalid_request` where the schedule cannot be read, or would never come."""
    zone_of(zone)
    if next_after(schedule, zone, anchor_ms=now_ms, after_ms=now_ms) is None:
        raise because(ErrorCode.INVALID_REQUEST, "time_passed")


def next_after(schedule: Schedule, zone: str, *, anchor_ms: int, after_ms: int) -> int | None:
    """The first time behind `after_ms`, in milliseconds; None where there is none.

    `anchor_ms` is what an interval is counted from.
    """
    return next(_times(schedule, zone, anchor_ms, after_ms), None)


def next_times(schedule: Schedule, zone: str, now_ms: int) -> list[int]:
    """The next few times of a schedule that begins now. Raises `invalid_request`."""
    check_schedule(schedule, zone, now_ms)
    return list(islice(_times(schedule, zone, now_ms, now_ms), ROUTINE_PREVIEW_TIMES))


def month_began(zone: str, now_ms: int) -> int:
    """When the month of `now_ms` began on the clocks of a zone."""
    there = datetime.fromtimestamp(now_ms / 1000, zone_of(zone))
    first = there.replace(day=1, hour=0, minute=0, second=0, microsecond=0, fold=0)
    return _ms(first)


def _times(schedule: Schedule, zone: str, anchor_ms: int, after_ms: int) -> Iterator[int]:
    match schedule:
        case OnceSchedule(at_ms=at_ms):
            return iter([at_ms] if at_ms > after_ms else [])
        case EverySchedule(minutes=minutes):
            return _every(minutes * MINUTE_MS, anchor_ms, after_ms)
        case CronSchedule(expression=expression):
            found = _cron(expression, datetime.fromtimestamp(after_ms / 1000, zone_of(zone)))
            return _rising(map(_ms, found), after_ms)


def _every(step_ms: int, anchor_ms: int, after_ms: int) -> Iterator[int]:
    passed = max((after_ms - anchor_ms) // step_ms, 0)
    at_ms = anchor_ms + (passed + 1) * step_ms
    while True:
        yield at_ms
        at_ms += step_ms


def _cron(expression: str, after: datetime) -> Iterator[datetime]:
    if len(expression.split()) != FIELDS:
        raise _unreadable("it needs five fields: minute, hour, day of month, month, day of week")
    try:
        return iter(CronSim(expression, after))
    except (CronSimError, AssertionError) as error:
        # It asserts that a step does not start from a single named weekday, such as MON#2/3.
        raise _unreadable(str(error) or "a field cannot be read") from error


def _rising(times: Iterator[int], after_ms: int) -> Iterator[int]:
    """Asked in the second of two equal hours, cronsim begins with the times of the first."""
    for at_ms in times:
        if at_ms > after_ms:
            yield at_ms
            after_ms = at_ms


def _unreadable(why: str) -> BerthError:
    return because(ErrorCode.INVALID_REQUEST, "cron_wrong", why=why)


def _ms(at: datetime) -> int:
    return round(at.astimezone(UTC).timestamp() * 1000)
