from decimal import Decimal

import pytest

from contracts.limits import APPROVAL_SECONDS, PRICE_MOVE_PERCENT
from durable_objects.bot_owner.venue.numbers import plain, price_legal, price_step
from durable_objects.bot_owner.venue.paper_market import LISTINGS, Waves, mid
from local.demo.trade import MARKETS, orders_for

DAY_MS = 86_400_000


@pytest.mark.parametrize("side", ["buy", "sell"])
def test_what_the_demo_proposes_fills_however_long_its_person_reads(side: str) -> None:
    """Over a day of the paper market, at once and as late as an approval can be."""
    advice = "\n".join(f"{symbol}: {side}" for symbol in MARKETS)
    for now_ms in range(0, DAY_MS, 97_000):
        mids = {symbol: mid(Waves(), LISTINGS[symbol], now_ms) for symbol in MARKETS}
        text = "\n".join(
            f"{symbol}: mid {plain(at)}, price step {plain(price_step(at, LISTINGS[symbol].size_decimals))},"
            for symbol, at in mids.items()
        )
        for order in orders_for(text, advice):
            _, _, symbol, words, _ = order.split()
            price, listing = Decimal(words), LISTINGS[symbol]
            assert price_legal(price, listing.size_decimals)
            for seconds in (0, 60, 300, APPROVAL_SECONDS):
                later = mid(Waves(), listing, now_ms + seconds * 1000)
                best = later + listing.step * (1 if side == "buy" else -1)
                assert best <= price if side == "buy" else best >= price
                assert abs(later - mids[symbol]) * 100 < mids[symbol] * Decimal(PRICE_MOVE_PERCENT)
