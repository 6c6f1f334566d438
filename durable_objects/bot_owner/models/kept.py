"""What a provider wants to see again of its own answer: reasoning it has signed or encrypted, in its place.

The thread knows an answer as text and calls. A provider that thinks between them checks that its answer
comes back exactly as it was. So the order of the answer is kept beside it: blocks of the provider's own as
they were, a text by its length, a call by its place. It goes to the same provider and model only, is never
shown, and is left out where it is too long or does not fit the answer any more.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from contracts.limits import KEPT_CHARACTERS_MAX
from durable_objects.bot_owner.conversation import AssistantTurn
from durable_objects.bot_owner.plan import ToolCall

Piece = (
    tuple[Literal["block"], dict[str, Any]] | tuple[Literal["text"], str] | tuple[Literal["call"], ToolCall]
)


@dataclass
class Layout:
    """The order of an answer while it is read: `owner` names the provider and the model."""

    owner: str
    _items: list[Any] = field(default_factory=list)

    def text(self, length: int) -> None:
        if self._items and isinstance(self._items[-1], int):
            self._items[-1] += length
        elif length:
            self._items.append(length)

    def call(self) -> None:
        self._items.append("call")

    def block(self, block: dict[str, Any]) -> None:
        self._items.append(block)

    def as_text(self) -> str:
        """JSON text, or nothing where no block has to be kept or they are too long."""
        if not any(isinstance(item, dict) for item in self._items):
            return ""
        found = json.dumps({"owner": self.owner, "items": self._items}, default=str)
        return found if len(found) <= KEPT_CHARACTERS_MAX else ""


def pieces(turn: AssistantTurn, kept: str, owner: str) -> Iterator[Piece]:
    """The turn in the order in which it was given: text first and then the calls, where nothing is known."""
    items = _items(kept, owner)
    if not turn.text:
        # Blank text is not kept, and what stood around it stays in its order.
        items = [item for item in items if not isinstance(item, int)]
    lengths = sum(item for item in items if isinstance(item, int))
    if lengths != len(turn.text) or items.count("call") != len(turn.calls):
        items = [*([len(turn.text)] if turn.text else []), *["call"] * len(turn.calls)]
    start, calls = 0, iter(turn.calls)
    for item in items:
        if isinstance(item, int):
            yield "text", turn.text[start : start + item]
            start += item
        elif item == "call":
            yield "call", next(calls)
        else:
            yield "block", item


def _items(kept: str, owner: str) -> list[Any]:
    found = json.loads(kept) if kept else {}
    items: list[Any] = found.get("items", []) if found.get("owner") == owner else []
    return items
