"""What could not be read or put back: how many of them, and the first by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NAMES_TOLD = 20
_NAME_CHARACTERS = 1_000


class LeftOut:
    """Counts them. `paths` says where the outermost folders are."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self.count = 0
        self.names: list[str] = []
        self._paths = paths

    def note(self, parts: Iterable[str]) -> None:
        """One more, by its names from the outermost folder on."""
        self.count += 1
        if len(self.names) < NAMES_TOLD:
            outermost, *rest = parts
            path = "/".join([self._paths[outermost], *rest])
            self.names.append(names.told(path)[:_NAME_CHARACTERS])
