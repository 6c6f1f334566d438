"""What things cost, to the micro-dollar, and settings that are not right."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.limits import ALLOWANCE_MICRO_A_MONTH, COMPUTER_MICRO_AN_HOUR
from contracts.records import Usage
from durable_objects.bot_owner.billing.prices import HOUR_MS, Prices, models_of, prices_of

TIMES = st.integers(1_700_000_000_000, 1_900_000_000_000)


@given(cuts=st.lists(TIMES, min_size=2, max_size=20), price=st.integers(0, 10**9))
def test_pieces_of_a_time_cost_what_it_costs_whole(cuts: list[int], price: int) -> None:
    prices, cuts = Prices(price), sorted(cuts)
    parts = [prices.computer(start, end) for start, end in pairwise(cuts)]
    assert sum(parts) == prices.computer(cuts[0], cuts[-1])
    assert min(parts) >= 0


def test_an_hour_costs_its_price() -> None:
    assert Prices(74_000).computer(5, 5 + HOUR_MS) == 74_000


TABLE = '{"openai": {"m": {"input": 2.5, "output": "10", "cached": 0.25}, "*": {"input": 1, "output": 4}}}'


@pytest.mark.parametrize(
    ("provider", "model", "usage", "micro"),
    [
        ("openai", "m", Usage(input=1_000, output=100), 3_500),
        ("openai", "m", Usage(input=1_000, output=100, cached=800), 1_700),
        # What goes into a cache costs as other input where it has no price of its own.
        ("openai", "m", Usage(input=1_000, output=0, cache_written=400), 2_500),
        ("openai", "m", Usage(input=1), 3),
        ("openai", "other", Usage(input=10, output=10), 50),
        ("anthropic", "m", Usage(input=10**6, output=10**6), 0),
        # A provider that says more came from its cache than was read is not believed below zero.
        ("openai", "m", Usage(input=0, cached=100), 25),
    ],
)
def test_an_answer_costs_by_its_tokens(provider: str, model: str, usage: Usage, micro: int) -> None:
    assert Prices(models=models_of(TABLE)).model(provider, model, usage) == micro


def test_settings_are_read_and_have_defaults() -> None:
    assert prices_of(lambda _name: "") == Prices(COMPUTER_MICRO_AN_HOUR, ALLOWANCE_MICRO_A_MONTH)
    told = {
        "BERTH_COMPUTER_PRICE_AN_HOUR": "0.1",
        "BERTH_ALLOWANCE_A_MONTH": "0",
        "BERTH_MODEL_PRICES": TABLE,
    }
    found = prices_of(lambda name: told[name])
    assert (found.computer_micro_an_hour, found.monthly_micro) == (100_000, 0)
    assert [(price.model, price.cached) for price in found.table().models] == [("m", 0.25), ("*", 1.0)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("BERTH_COMPUTER_PRICE_AN_HOUR", "cheap"),
        ("BERTH_COMPUTER_PRICE_AN_HOUR", "-1"),
        ("BERTH_COMPUTER_PRICE_AN_HOUR", "nan"),
        ("BERTH_ALLOWANCE_A_MONTH", "0.0000001"),
        ("BERTH_ALLOWANCE_A_MONTH", "1e12"),
        ("BERTH_MODEL_PRICES", "{"),
        ("BERTH_MODEL_PRICES", "[]"),
        ("BERTH_MODEL_PRICES", '{"openai": {"m": {"input": 1}}}'),
        ("BERTH_MODEL_PRICES", '{"openai": {"m": {"input": 1, "output": 1, "thought": 1}}}'),
        ("BERTH_MODEL_PRICES", '{"openai": {"m": {"input": true, "output": 1}}}'),
        ("BERTH_MODEL_PRICES", '{"openai": {"m": {"input": 2000000, "output": 1}}}'),
    ],
)
def test_a_setting_that_is_not_right_is_named(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=name):
        prices_of(lambda asked: text if asked == name else "")
