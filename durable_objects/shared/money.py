"""Amounts: dollars as people write them in settings, micro-dollars everywhere else.

`told` gives the text of one of the deployment's variables, empty where it is not set.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import TypeVar

T = TypeVar("T")

MICRO = 1_000_000
DOLLARS_MAX = Decimal(1_000_000_000)


def micro_of(dollars: str) -> int:
    """Micro-dollars of an amount such as `0.074`. Raises ValueError."""
    try:
        amount = Decimal(dollars.strip())
    except InvalidOperation:
        raise ValueError(f"not an amount of dollars: {dollars[:40]!r}") from None
    if not amount.is_finite() or not 0 <= amount <= DOLLARS_MAX:
        raise ValueError(f"not an amount of dollars from 0 to {DOLLARS_MAX:,}: {dollars[:40]!r}")
    exact = amount * MICRO
    if exact != int(exact):
        raise ValueError(f"an amount of dollars has at most six decimals: {dollars[:40]!r}")
    return int(exact)


def dollars_of(micro: int) -> str:
    """Micro-dollars as dollars, exact."""
    sign, micro = "-" if micro < 0 else "", abs(micro)
    return f"{sign}{micro // MICRO}.{micro % MICRO:06}"


def amount_setting(told: Callable[[str], str], name: str, default: int) -> int:
    """Micro-dollars of a variable. Raises ValueError, which names it."""
    text = told(name)
    return named(name, lambda: micro_of(text)) if text.strip() else default


def named(name: str, read: Callable[[], T]) -> T:
    """What is read, or a ValueError that says of which variable."""
    try:
        return read()
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
