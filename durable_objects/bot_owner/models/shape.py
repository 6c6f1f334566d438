"""Reading a provider's JSON: each value is of the kind that is expected, absent, or a `ShapeError`."""

from collections.abc import Iterable
from typing import Any

from contracts.limits import TOKENS_COUNTED_MAX
from durable_objects.shared.long_text import LongText


class ShapeError(ValueError):
    """JSON of another shape than the protocol has."""


def fields(value: Any) -> dict[str, Any]:
    """An object; nothing counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ShapeError("an object is something else")
    return value


def rows(value: Any) -> list[Any]:
    """A list; nothing counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise ShapeError("a list is something else")
    return value


def text(value: Any) -> str:
    """Text, without the halves of characters that JSON can carry and nothing can store."""
    if value is None:
        return ""
    if isinstance(value, LongText):
        return str(value)
    if not isinstance(value, str):
        raise ShapeError("a text is something else")
    return value.encode("utf-8", "replace").decode()


def texts(value: Any) -> Iterable[str]:
    """The same in pieces, for what may be long."""
    return value if isinstance(value, LongText) else [text(value)]


def place(value: Any, default: int) -> int:
    """A position in a list."""
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1_000_000:
        raise ShapeError("a position is no number")
    return value


def count(value: Any) -> int:
    """A number of tokens. What is none counts as 0: an answer is worth more than its account."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= TOKENS_COUNTED_MAX
    return value if whole else 0
