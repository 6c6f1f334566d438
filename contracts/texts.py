"""What is asked of texts: how much of a row they take, and that a name can be seen.

A text is stored as JSON, where a sign that is not seen is written as six.
"""

import json

from contracts.limits import MESSAGE_BYTES_MAX

WRITTEN_AS_MOST = 6
# They count as letters and show nothing.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def written_bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def fits_a_row(text: str) -> str:
    """For a field: the text. Raises ValueError for one that is too long as it is written."""
    # Counted only where it can be too much.
    if len(text) * WRITTEN_AS_MOST > MESSAGE_BYTES_MAX and written_bytes(text) > MESSAGE_BYTES_MAX:
        raise ValueError(f"more than {MESSAGE_BYTES_MAX:,} bytes as it is stored")
    return text


def one_line(text: str) -> str:
    """The text without line ends and doubled spaces; empty where there is nothing in it to see."""
    seen = any(one.isprintable() and not one.isspace() and one not in _FILLERS for one in text)
    return " ".join(text.split()) if seen else ""


def readable(text: str) -> str:
    """For a field: the text on one line. Raises ValueError where nobody could see it."""
    if not (line := one_line(text)):
        raise ValueError("it needs something that can be seen")
    return line
