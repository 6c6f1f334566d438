"""An answer as it comes together: how much there is of it, and the calls that arrive in pieces.

The arguments of several calls may come interleaved; a call is named by its position in the answer.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from contracts.limits import ANSWER_CHARACTERS_MAX, CALL_BYTES_MAX, CALLS_A_ROUND
from contracts.reasons import Why
from durable_objects.bot_owner.models.protocol import CallPart, ModelError
from durable_objects.shared.json_pieces import JsonPieces, TooMuchError

NAME_CHARACTERS_MAX = 200
RAW_CHARACTERS = 2_000
# What a call may have beside the long texts in it, as it is written: a character may be an escape of six.
WRITTEN_CHARACTERS_MAX = 2 * CALL_BYTES_MAX


def _reading() -> JsonPieces:
    return JsonPieces(WRITTEN_CHARACTERS_MAX)


@dataclass
class _Call:
    name: str = ""
    raw: str = ""
    """The beginning of its arguments, as they came."""
    arguments: JsonPieces = field(default_factory=_reading)

    def argue(self, piece: str) -> None:
        if len(self.raw) < RAW_CHARACTERS:
            self.raw += piece[: RAW_CHARACTERS - len(self.raw)]
        self.arguments.add(piece)


@dataclass
class Assembly:
    """Bounded: raises `ModelError` for more text or more calls than an answer may have."""

    size: int = 0
    _calls: dict[int, _Call] = field(default_factory=dict)

    def count(self, text: str) -> str:
        """The text, counted."""
        self.size += len(text)
        if self.size > ANSWER_CHARACTERS_MAX:
            raise ModelError("model_too_long")
        return text

    def name(self, place: int, piece: str) -> None:
        call = self._at(place)
        call.name = (call.name + self.count(piece))[:NAME_CHARACTERS_MAX]

    def argue(self, place: int, pieces: Iterable[str]) -> None:
        call = self._at(place)
        for piece in pieces:
            call.argue(self.count(piece))

    def settle(self, place: int, whole: Iterable[str]) -> None:
        """The arguments as a whole, where a provider repeats them: they take the place of the pieces."""
        call = self._at(place)
        self.size -= call.arguments.size
        call.raw, call.arguments = "", _reading()
        self.argue(place, whole)

    def argued(self, place: int) -> bool:
        """Whether any piece of this call's arguments has come."""
        return self._at(place).arguments.size > 0

    def calls(self) -> Iterator[CallPart]:
        for _, call in sorted(self._calls.items()):
            yield CallPart(call.name, _value(call.arguments), call.raw)

    def _at(self, place: int) -> _Call:
        if place not in self._calls and len(self._calls) >= CALLS_A_ROUND:
            raise ModelError(Why("model_many_calls", most=CALLS_A_ROUND))
        return self._calls.setdefault(place, _Call())


def _value(arguments: JsonPieces) -> dict[str, Any] | None:
    try:
        value = arguments.value()
    except TooMuchError as error:
        # No tool takes such an argument, so the model is told that it was too long.
        return {"too_long": str(error)}
    except ValueError:
        return None
    if value is None and not arguments.size:
        return {}
    return value if isinstance(value, dict) else None
