"""Amounts of money as people write them, exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from durable_objects.shared.money import dollars_of, micro_of


@given(st.integers(0, 10**15))
def test_an_amount_that_is_written_and_read_is_the_same(micro: int) -> None:
    assert micro_of(dollars_of(micro)) == micro


@pytest.mark.parametrize(
    ("text", "micro"),
    [("0.074", 74_000), (" 20 ", 20_000_000), ("0", 0), ("1e2", 100_000_000), ("0.000001", 1)],
)
def test_amounts_are_read(text: str, micro: int) -> None:
    assert micro_of(text) == micro


@pytest.mark.parametrize("text", ["", "x", "-1", "inf", "nan", "0.0000001", "1000000001", "1,5"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="amount of dollars"):
        micro_of(text)


def test_a_debt_has_its_sign() -> None:
    assert dollars_of(-1_500_000) == "-1.500000"
