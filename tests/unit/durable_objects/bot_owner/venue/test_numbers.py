import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from durable_objects.bot_owner.venue.numbers import (
    check_positive,
    floor_size,
    nearest_prices,
    number,
    plain,
    price_legal,
    size_legal,
)

VECTORS = json.loads((Path(__file__).resolve().parents[4] / "vectors/hyperliquid.json").read_text())


@pytest.mark.parametrize(
    "case", VECTORS["price_rules"]["cases"], ids=lambda case: f"{case['px']}-{case['kind']}"
)
def test_prices_are_legal_as_the_venue_says(case: dict[str, Any]) -> None:
    assert price_legal(Decimal(case["px"]), case["szDecimals"], case["kind"]) is case["valid"]


@pytest.mark.parametrize("case", VECTORS["float_to_wire"]["cases"], ids=lambda case: str(case["in"]))
def test_a_number_is_spelled_as_the_venues_sdk_does(case: dict[str, Any]) -> None:
    # But for minus zero, which the SDK sends as "-0", and for what it refuses: no float comes here.
    if "out" in case and case["in"] != "0.30000000000000004":
        assert plain(Decimal(case["in"])) == ("0" if case["out"] == "-0" else case["out"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1e5",
        "-1",
        "+1",
        "01",
        ".5",
        "5.",
        "1,000",
        "NaN",
        "Infinity",
        " 1",
        "1 ",
        "٣",
        "1_000",
        "0x10",
        "1" * 31,
    ],
)
def test_other_spellings_of_numbers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a plain decimal"):
        number(text)


def test_the_longest_number_is_taken() -> None:
    assert number("1" * 30) == Decimal("1" * 30)
    check_positive("1" * 30)


@given(st.decimals("0.0000001", "999999", places=7), st.integers(0, 5))
def test_the_nearest_legal_prices_are_legal_and_on_both_sides(price: Decimal, decimals: int) -> None:
    down, up = nearest_prices(price, decimals)
    assert down <= price <= up
    assert price_legal(up, decimals)
    assert down == 0 or price_legal(down, decimals)
    assert price_legal(price, decimals) is (down == price)


@given(st.decimals("0.00000001", "99999", places=8), st.integers(0, 8))
def test_a_size_is_floored_to_the_lot_and_never_up(size: Decimal, decimals: int) -> None:
    floored = floor_size(size, decimals)
    assert 0 <= size - floored < Decimal(1).scaleb(-decimals)
    assert size_legal(size, decimals) is (floored == size)
