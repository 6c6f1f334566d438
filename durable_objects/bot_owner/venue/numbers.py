"""Prices and sizes: decimal strings from end to end, and the venue's rules for which are legal.

Nothing here rounds silently. What is not legal is refused together with the nearest that would be.
"""

import re
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from typing import Literal

Kind = Literal["perp", "spot"]
PRICE_DECIMALS = {"perp": 6, "spot": 8}
SIGNIFICANT = 5
DIGITS_MAX = 30

# No sign, no exponent, no leading zeros: one number has few spellings, and `plain` makes it one.
NUMBER = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
EXACT = Context(prec=80)


def is_number(text: str) -> bool:
    """Whether it is a decimal string as people and models write it."""
    return len(text) <= DIGITS_MAX and NUMBER.fullmatch(text) is not None


def number(text: str) -> Decimal:
    """Read a decimal string. Raises ValueError."""
    if not is_number(text):
        raise ValueError(f"{text[:DIGITS_MAX]!r} is not a plain decimal number")
    return Decimal(text)


def check_positive(text: object) -> None:
    """Raise ValueError unless the text is a number over zero as it is sent: without trailing zeros."""
    if not isinstance(text, str):
        raise ValueError("not a decimal string")  # noqa: TRY004 - what is sent is wrong, not our call
    value = number(text)
    if value <= 0:
        raise ValueError(f"{text} is not over zero")
    if plain(value) != text:
        raise ValueError(f"{text} is written as {plain(value)}")


def plain(value: Decimal) -> str:
    """The one spelling of a number: no exponent, no trailing zeros, no minus before zero."""
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", ""} else text


def price_legal(price: Decimal, size_decimals: int, kind: Kind = "perp") -> bool:
    """At most 5 significant figures and so many decimals; a whole number always."""
    if price <= 0:
        return False
    if price == price.to_integral_value():
        return True
    # The digits as written, but for trailing zeros: normalize() would round to the context's precision.
    digits = plain(price)
    figures = len(digits.replace(".", "").lstrip("0"))
    decimals = len(digits.partition(".")[2])
    return figures <= SIGNIFICANT and decimals <= PRICE_DECIMALS[kind] - size_decimals


def price_step(price: Decimal, size_decimals: int, kind: Kind = "perp") -> Decimal:
    """The distance between legal prices about this one."""
    by_figures = price.adjusted() - SIGNIFICANT + 1
    exponent = min(0, max(by_figures, size_decimals - PRICE_DECIMALS[kind]))
    return Decimal(1).scaleb(exponent)


def nearest_prices(price: Decimal, size_decimals: int, kind: Kind = "perp") -> tuple[Decimal, Decimal]:
    """The legal prices on both sides of one that is not legal; the lower one may be zero."""
    step = price_step(price, size_decimals, kind)
    down = (price / step).to_integral_value(ROUND_FLOOR, EXACT) * step
    up = (price / step).to_integral_value(ROUND_CEILING, EXACT) * step
    return down, up


def size_legal(size: Decimal, size_decimals: int) -> bool:
    return size > 0 and len(plain(size).partition(".")[2]) <= size_decimals


def floor_size(size: Decimal, size_decimals: int) -> Decimal:
    return size.quantize(Decimal(1).scaleb(-size_decimals), ROUND_DOWN, EXACT)
