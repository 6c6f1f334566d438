"""What an owner may choose of their paper market: recorded candles instead of its own waves, and losses.

Prices are decimal strings. A candle is `[open, high, low, close]`.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictInt

from contracts.limits import REPLAY_CANDLES_MAX, REPLAY_SECONDS_MAX, REPLAY_SECONDS_MIN
from contracts.records import Record

Price = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,6})(\.[0-9]{1,8})?$")]


def _candle(prices: list[str]) -> list[str]:
    first, high, low, last = map(Decimal, prices)
    if not (0 < low <= min(first, last) and max(first, last) <= high):
        raise ValueError("of a candle the low is over zero and no higher, the high no lower than the others")
    return prices


PaperCandle = Annotated[list[Price], Field(min_length=4, max_length=4), AfterValidator(_candle)]


class PaperReplay(Record):
    """Candles that are played one after the other, and again from the first when they have ended.

    `candles` are by market, the oldest first; a market that is not named keeps its own waves. The first one
    begins at `starts_ms`, which is the moment at which it is set where nothing is said.
    """

    interval_seconds: StrictInt = Field(ge=REPLAY_SECONDS_MIN, le=REPLAY_SECONDS_MAX)
    candles: dict[str, Annotated[list[PaperCandle], Field(min_length=1, max_length=REPLAY_CANDLES_MAX)]]
    starts_ms: Annotated[StrictInt, Field(ge=0, le=10**14)] | None = None


Loses = Literal["nothing", "orders", "answers"]


class PaperSettings(Record):
    """`loses`: every order and cancel on its way there, or the answer to it. Its outcome is unknown then."""

    replay: PaperReplay | None = None
    loses: Loses = "nothing"
