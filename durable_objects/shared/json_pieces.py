"""Reading JSON that comes in pieces without ever holding it whole: its long strings come out as `LongText`.

The rest, which is short, is put together and parsed as usual. A long string stands in it as a constant that
JSON does not have; a text that has such a constant by itself is refused like anything else that is no JSON.
"""

import io
import json
import re
from typing import Any

from durable_objects.shared.json_text import DEPTH_MAX, too_deep
from durable_objects.shared.long_text import LongText

# Strings of more characters than this, as they are written, are long.
LONG_CHARACTERS = 64_000
_STANDS_FOR_LONG = "-Infinity"
_FOREIGN = re.compile("[IN]")
# What can be decoded by itself: plain characters and whole escapes. The first half of a character that is
# escaped in two waits for what follows.
_UNITS = re.compile(
    r'(?:[^"\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}'
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4}|(?=[^\\])|(?=\\[^u])))*+",
    re.DOTALL,
)
_UNIT_CHARACTERS = 12


class TooMuchError(ValueError):
    """More JSON beside its long strings than is taken."""


class JsonPieces:
    """`add` the pieces in order, then ask for the `value`. At most `limit` characters beside long strings."""

    def __init__(self, limit: int) -> None:
        self.size = 0
        """How many characters came."""
        self._left = limit
        self._wrong = False
        self._short = io.StringIO()
        self._longs: list[LongText] = []
        self._undecided = ""
        self._begun: list[str] | None = None
        """The string that is open, as it is written; None between strings."""
        self._begun_characters = 0
        self._long: LongText | None = None
        """The same as it is meant, where it is long."""

    def add(self, piece: str) -> None:
        self.size += len(piece)
        text, self._undecided = self._undecided + piece, ""
        place = 0
        while place < len(text) and not self._wrong and self._left >= 0:
            place = self._between(text, place) if self._begun is None else self._inside(text, place)

    def value(self) -> Any:
        """What was read; nothing is None. Raises ValueError where it is no JSON, and `TooMuchError`."""
        if self._left < 0:
            raise TooMuchError(f"{self.size:,} characters")
        text = self._short.getvalue()
        if self._wrong or self._begun is not None or too_deep(text):
            raise ValueError(f"not JSON, or nested deeper than {DEPTH_MAX}")
        longs = iter(self._longs)
        return json.loads(text, parse_constant=lambda _constant: next(longs)) if text.strip() else None

    def _between(self, text: str, place: int) -> int:
        quote = text.find('"', place)
        end = quote if quote >= 0 else len(text)
        between = text[place:end]
        self._wrong = _FOREIGN.search(between) is not None
        self._keep(between)
        if quote >= 0:
            self._begun, self._begun_characters = [], 0
        return end + 1

    def _inside(self, text: str, place: int) -> int:
        found = _UNITS.match(text, place)
        end = found.end() if found else place
        self._more(text[place:end])
        if end == len(text):
            return end
        if text[end] == '"':
            self._close()
            return end + 1
        # A part of an escape: the rest of it may be in the next piece, if it is one at all.
        self._undecided = text[end:]
        self._wrong = len(self._undecided) >= _UNIT_CHARACTERS
        return len(text)

    def _more(self, written: str) -> None:
        if self._begun is None or not written:
            return
        if self._long is not None:
            self._long.add(self._meant(written))
            return
        self._begun.append(written)
        self._begun_characters += len(written)
        if self._begun_characters > LONG_CHARACTERS:
            self._long = LongText([self._meant("".join(self._begun))])
            self._begun = []

    def _meant(self, written: str) -> str:
        try:
            return str(json.loads(f'"{written}"'))
        except ValueError:
            self._wrong = True
            return ""

    def _close(self) -> None:
        if self._long is not None:
            self._longs.append(self._long)
            self._keep(_STANDS_FOR_LONG)
        else:
            written = "".join(self._begun or ())
            self._keep(f'"{written}"')
        self._begun, self._long = None, None

    def _keep(self, text: str) -> None:
        self._left -= len(text)
        if self._left >= 0:
            self._short.write(text)
