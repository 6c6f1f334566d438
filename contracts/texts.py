"""How much of a row a text takes: it is stored as JSON, where a sign that is not seen is written as six."""

import json

from contracts.limits import MESSAGE_BYTES_MAX

WRITTEN_AS_MOST = 6


def written_bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def fits_a_row(text: str) -> str:
    """For a field: the text. Raises ValueError for one that is too long as it is written."""
    # Counted only where it can be too much.
    if len(text) * WRITTEN_AS_MOST > MESSAGE_BYTES_MAX and written_bytes(text) > MESSAGE_BYTES_MAX:
        raise ValueError(f"more than {MESSAGE_BYTES_MAX:,} bytes as it is stored")
    return text
