"""The paper market of one owner: its own waves, or the candles that they have it play, and what it loses."""

from collections.abc import Mapping
from decimal import Decimal

from pydantic import ValidationError

from contracts.errors import ErrorCode
from contracts.paper import PaperReplay, PaperSettings
from contracts.reasons import because
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.venue.numbers import plain
from durable_objects.bot_owner.venue.paper import Fault
from durable_objects.bot_owner.venue.paper_market import LEVELS, LISTINGS, Feed, Listing, Replay, Waves
from durable_objects.bot_owner.venue.protocol import Candle
from durable_objects.shared.context import Context

NAME = "paper_market"
FAULTS: Mapping[str, Fault] = {"orders": "lost_before", "answers": "lost_after"}
# With five significant figures the venue has no finer price than the step; whole prices are always legal.
STEPS_MAX = 99_999
WHOLE_STEPS_MAX = 9_999_999


class OwnersMarket:
    """A `Feed` that the owner chooses. What is stored under older rules and is none of today's is not set."""

    def __init__(self, context: Context, catalog: Catalog) -> None:
        self._now_ms = context.now_ms
        self._catalog = catalog
        self._waves = Waves()
        # Many candles: read once, and not with every price.
        self._read: tuple[PaperSettings, Feed] | None = None

    @property
    def settings(self) -> PaperSettings:
        return self._known()[0]

    def steps(self, listing: Listing, second: int) -> int:
        return self._known()[1].steps(listing, second)

    def fault(self) -> Fault | None:
        return FAULTS.get(self.settings.loses)

    def choose(self, wanted: PaperSettings) -> None:
        """Raises `invalid_request` for what this market cannot play."""
        if replay := wanted.replay:
            _check(replay)
            starts_ms = self._now_ms() if replay.starts_ms is None else replay.starts_ms
            wanted = PaperSettings(
                replay=replay.model_copy(update={"starts_ms": starts_ms}), loses=wanted.loses
            )
        self._catalog.set_setting(NAME, wanted.model_dump_json())
        self._read = None

    def _known(self) -> tuple[PaperSettings, Feed]:
        if self._read is None:
            try:
                settings = PaperSettings.model_validate_json(self._catalog.setting(NAME, "{}"))
            except ValidationError:
                settings = PaperSettings()
            self._read = settings, self._feed(settings.replay)
        return self._read

    def _feed(self, replay: PaperReplay | None) -> Feed:
        if replay is None:
            return self._waves
        recorded = {symbol: list(map(_candle, rows)) for symbol, rows in replay.candles.items()}
        starts = (replay.starts_ms or 0) // 1000
        return Replay(recorded, replay.interval_seconds, starts=starts, otherwise=self._waves)


def _candle(prices: list[str]) -> Candle:
    first, high, low, last = map(Decimal, prices)
    return Candle(0, first, high, low, last)


def _check(replay: PaperReplay) -> None:
    for symbol, rows in replay.candles.items():
        if symbol not in LISTINGS:
            names = ", ".join(LISTINGS)
            raise because(ErrorCode.INVALID_REQUEST, "paper_no_market", names=names, symbol=f"{symbol!a}")
        listing = LISTINGS[symbol]
        most = (WHOLE_STEPS_MAX if listing.step == 1 else STEPS_MAX) * listing.step
        least = (LEVELS + 1) * listing.step
        if not all(least <= Decimal(price) <= most - least for row in rows for price in row):
            raise because(
                ErrorCode.INVALID_REQUEST,
                "paper_price_bounds",
                symbol=symbol,
                least=plain(least),
                most=plain(most - least),
            )
