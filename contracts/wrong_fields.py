"""What a validator found wrong, in words for people and models: which field, and what it should be."""

from collections.abc import Mapping, Sequence
from typing import Any

TOLD = 5
CHARACTERS = 500
PLACE_CHARACTERS = 100
# The parts of a request, which say nothing to a person.
_PARTS = frozenset({"body", "query", "path"})
_WORDS = {"missing": "is missing", "extra_forbidden": "is not known here"}
_PREFIXES = (("Input should ", "should "), ("Value error, ", ""), ("Assertion failed, ", ""))


def wrong_fields(errors: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """(one sentence of the first few, their fields with commas between) from a pydantic error's `errors()`.

    Items of lists are counted from 1: `orders.2.price is missing`.
    """
    first = errors[:TOLD]
    told = "; ".join(f"{_place(one['loc'])} {_words(one)}".strip() for one in first)
    fields = dict.fromkeys(place for one in first if (place := _place(one["loc"])))
    return told[:CHARACTERS], ", ".join(fields)


def _words(error: Mapping[str, Any]) -> str:
    words = _WORDS.get(error["type"], str(error["msg"]))
    for prefix, instead in _PREFIXES:
        if words.startswith(prefix):
            return instead + words.removeprefix(prefix)
    return words


def _place(location: Sequence[int | str]) -> str:
    parts = location[1:] if location and location[0] in _PARTS else location
    return ".".join(str(part + 1 if isinstance(part, int) else part) for part in parts)[:PLACE_CHARACTERS]
