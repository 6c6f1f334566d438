"""An answer as it comes together: how much there is of it, and the calls that arrive in pieces.

The arguments of several calls may come interleaved; a call is named by its position in the answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from contracts.limits import ANSWER_CHARACTERS_MAX, CALLS_A_ROUND
from durable_objects.bot_owner.models.protocol import CallPart, ModelError
from durable_objects.shared.json_text import loads

NAME_CHARACTERS_MAX = 200


@dataclass
class _Call:
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    """A long text comes in very many."""


@dataclass
class Assembly:
    """Bounded: raises `ModelError` for more text or more calls than an answer may have."""

    size: int = 0
    _calls: dict[int, _Call] = field(default_factory=dict)

    def count(self, text: str) -> str:
        """The text, counted."""
        self.size += len(text)
        if self.size > ANSWER_CHARACTERS_MAX:
            raise ModelError("The model's answer was too long.")
        return text

    def name(self, place: int, piece: str) -> None:
        call = self._at(place)
        call.name = (call.name + self.count(piece))[:NAME_CHARACTERS_MAX]

    def argue(self, place: int, piece: str) -> None:
        self._at(place).pieces.append(self.count(piece))

    def settle(self, place: int, whole: str) -> None:
        """The arguments as a whole, where a provider repeats them: they take the place of the pieces."""
        self._at(place).pieces = [self.count(whole)]

    def argued(self, place: int) -> bool:
        """Whether any piece of this call's arguments has come."""
        return any(self._at(place).pieces)

    def calls(self) -> Iterator[CallPart]:
        for _, call in sorted(self._calls.items()):
            text = "".join(call.pieces)
            yield CallPart(call.name, _arguments(text), text)

    def _at(self, place: int) -> _Call:
        if place not in self._calls and len(self._calls) >= CALLS_A_ROUND:
            raise ModelError(f"One answer asked for more than {CALLS_A_ROUND} calls.")
        return self._calls.setdefault(place, _Call())


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        value = loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
