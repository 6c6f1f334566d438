"""Quiet hours by the owner's clock on the wall, changes of daylight saving time included."""

from datetime import UTC, datetime, tzinfo

from contracts.notices import MINUTES_A_DAY, QuietHours
from durable_objects.bot_owner.billing.days import zone_of

MINUTE_MS = 60_000


def quiet_until(now_ms: int, hours: QuietHours | None, zone: str) -> int | None:
    """When the quiet hours that it is in end, in ms; None where it is in none.

    It goes by what the clock shows: an end that it jumps over comes when it jumps, and what it shows twice is
    quiet twice.
    """
    if hours is None:
        return None
    here = zone_of(zone)
    at = now_ms
    # As long as a day can be, on which the clock goes back.
    for _ in range(MINUTES_A_DAY + 3 * 60):
        if not _inside(at, hours, here):
            break
        at = (at // MINUTE_MS + 1) * MINUTE_MS
    return None if at == now_ms else at


def _inside(at_ms: int, hours: QuietHours, here: tzinfo) -> bool:
    shown = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(here)
    minute = shown.hour * 60 + shown.minute
    if hours.begin < hours.until:
        return hours.begin <= minute < hours.until
    return minute >= hours.begin or minute < hours.until
