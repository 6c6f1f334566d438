"""Days and months in an owner's time zone, and the boundaries at which a piece of time is cut.

A day begins at the first moment that the zone's clocks call by its date: where they skip midnight that is one
o'clock, and a day has 23 or 25 hours where they are changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from contracts.errors import ErrorCode
from contracts.reasons import because

HOUR_MS = 3_600_000
DEFAULT_ZONE = "UTC"


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name. Raises `invalid_request`."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        # OSError: names such as `Europe`, which are folders of zones.
        raise because(ErrorCode.INVALID_REQUEST, "time_zone_unknown", name=f"{name[:100]!r}") from error


@dataclass(frozen=True)
class Calendar:
    zone: tzinfo

    def _at(self, ms: int) -> datetime:
        return datetime.fromtimestamp(ms / 1000, self.zone)

    def day(self, ms: int) -> str:
        return self._at(ms).date().isoformat()

    def hour(self, ms: int) -> int:
        """Of the day, as the zone's clocks have it."""
        return self._at(ms).hour

    def day_begins_ms(self, ms: int) -> int:
        """When the day of `ms` began."""
        day = self._at(ms).date()
        return self._begin_ms(day.year, day.month, day.day)

    def month(self, ms: int) -> str:
        return self.day(ms)[:7]

    def next_day_ms(self, ms: int) -> int:
        """When the day after the one of `ms` begins."""
        day = self._at(ms).date()
        while True:
            day += timedelta(days=1)
            begins = self._begin_ms(day.year, day.month, day.day)
            # A zone that moved over the date line skipped a day.
            if begins > ms:
                return begins

    def next_month_ms(self, ms: int) -> int:
        now = self._at(ms)
        year, month = divmod(now.year * 12 + now.month, 12)
        return self._begin_ms(year, month + 1, 1)

    def _begin_ms(self, year: int, month: int, day: int) -> int:
        return round(datetime(year, month, day, tzinfo=self.zone).timestamp() * 1000)

    def pieces(self, from_ms: int, to_ms: int) -> Iterator[tuple[int, int]]:
        """Cut a time at the owner's midnights and at every full hour of UTC."""
        while from_ms < to_ms:
            cut = min(to_ms, (from_ms // HOUR_MS + 1) * HOUR_MS, self.next_day_ms(from_ms))
            yield from_ms, cut
            from_ms = cut


def utc_hour(ms: int) -> int:
    """Full hours since the epoch."""
    return ms // HOUR_MS
