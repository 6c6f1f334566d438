"""The market of the paper venue: prices and books that follow from the time alone, in whole steps of a price.

`Waves` draws them from slow and quick waves, in integers, so that every machine sees the same market at the
same time. `Replay` plays recorded candles instead. A book stands for one second.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol
from zlib import crc32

from durable_objects.bot_owner.venue.protocol import Book, Candle, Level

LEVELS = 20
# (seconds of a wave, height in hundred-thousandths of the base price)
WAVES = ((61, 15), (613, 60), (3_607, 250), (86_399, 1_500))


@dataclass(frozen=True)
class Listing:
    """A market of the paper venue. `step` is the distance of its prices, `depth` the lots of a level."""

    symbol: str
    asset: int
    size_decimals: int
    leverage: int
    base: int
    step: Decimal
    depth: int

    @property
    def lot(self) -> Decimal:
        return Decimal(1).scaleb(-self.size_decimals)


LISTINGS: Mapping[str, Listing] = {
    one.symbol: one
    for one in (
        Listing("BTC", 0, 5, 40, 60_000, Decimal(1), 20_000),
        Listing("ETH", 1, 4, 25, 30_000, Decimal("0.1"), 40_000),
        Listing("SOL", 5, 2, 20, 15_000, Decimal("0.01"), 8_000),
        # Thin, so that orders fill in part and warn.
        Listing("HYPE", 159, 2, 10, 30_000, Decimal("0.001"), 300),
    )
}


class Feed(Protocol):
    def steps(self, listing: Listing, second: int) -> int:
        """The mid of a market in its steps, at a second since the epoch."""
        ...


class Waves:
    def steps(self, listing: Listing, second: int) -> int:
        shift = crc32(listing.symbol.encode())
        return listing.base + sum(
            _wave(second + shift % (period * 7), period, listing.base * height // 100_000)
            for period, height in WAVES
        )


def _wave(at: int, period: int, height: int) -> int:
    """A triangle between -height and height."""
    place = at % period
    return height * (4 * min(place, period - place) - period) // period


class Replay:
    """Recorded candles, again and again: within each, from open to low to high to close.

    The first one begins at the second `starts`. Markets without any go `otherwise`.
    """

    def __init__(
        self, recorded: Mapping[str, Sequence[Candle]], interval_s: int, *, starts: int, otherwise: Feed
    ) -> None:
        self._recorded = recorded
        self._interval_s = interval_s
        self._starts = starts
        self._otherwise = otherwise

    def steps(self, listing: Listing, second: int) -> int:
        candles = self._recorded.get(listing.symbol)
        if not candles:
            return self._otherwise.steps(listing, second)
        number, place = divmod(second - self._starts, self._interval_s)
        candle = candles[number % len(candles)]
        points = (candle.open, candle.low, candle.high, candle.close)
        leg, within = divmod(place * 3, self._interval_s)
        price = points[leg] + (points[leg + 1] - points[leg]) * within / self._interval_s
        return int(price / listing.step)


def mid(feed: Feed, listing: Listing, now_ms: int) -> Decimal:
    return feed.steps(listing, now_ms // 1000) * listing.step


def book(feed: Feed, listing: Listing, now_ms: int) -> Book:
    """20 levels a side, one step apart; the best ones are one step from the mid."""
    second = now_ms // 1000
    middle = feed.steps(listing, second)

    def level(steps: int) -> Level:
        size = listing.depth * (1 + crc32(f"{listing.symbol}{steps}{second}".encode()) % 4)
        return Level(steps * listing.step, size * listing.lot)

    return Book(
        bids=tuple(level(middle - away) for away in range(1, LEVELS + 1)),
        asks=tuple(level(middle + away) for away in range(1, LEVELS + 1)),
    )


def candles(feed: Feed, listing: Listing, now_ms: int, interval_ms: int, limit: int) -> list[Candle]:
    """The newest candles, oldest first; the last one is under way. Each is seen at 16 points."""
    newest = now_ms // interval_ms
    return [
        _candle(feed, listing, number * interval_ms, min(now_ms, (number + 1) * interval_ms - 1))
        for number in range(newest - limit + 1, newest + 1)
    ]


def _candle(feed: Feed, listing: Listing, start_ms: int, end_ms: int) -> Candle:
    points = [mid(feed, listing, start_ms + (end_ms - start_ms) * part // 15) for part in range(16)]
    return Candle(start_ms, points[0], max(points), min(points), points[-1])
