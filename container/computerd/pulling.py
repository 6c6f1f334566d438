"""A backup on its way: the helper at its work, and the piece that can be asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from .api_input import BackupOrder
    from .errands import Packet, Work
    from .errors import Refusal
    from .loop import Bell


class Piece(NamedTuple):
    """One piece, as an open file."""

    kind: str
    sha256: str
    fd: int


class Backup:
    """One backup from its start until the next one."""

    def __init__(self, order: BackupOrder, token: str, bell: Bell, keep: Callable[[], None]) -> None:
        self._keep = keep
        """Makes a manifest that was written to the disk the one that lies there."""
        self.order = order
        self.token = token
        self.touched = bell
        self.why: Refusal | None = None
        """Why it was ended, if it was."""
        self.work: Work | None = None
        self.number = -1
        self.piece: Piece | None = None
        self.summary = -1
        self._asked = -1

    @property
    def packed(self) -> bool:
        """Whether all has been read: nothing that happens to the files matters to it any more."""
        return self.summary >= 0

    def hear(self, packet: Packet, fd: int) -> None:
        match packet:
            case ["piece", str(kind), str(sha256)]:
                self._let_go()
                self.number += 1
                if kind == "manifest" and os.fstat(fd).st_nlink:
                    self._keep()
                self.piece = Piece(kind, sha256, fd)
            case ["summary"]:
                self.summary = fd

    def ask(self, number: int) -> None:
        """Let the helper go on to a piece, once."""
        if self.work is not None and number > self._asked:
            self._asked = number
            self.work.tell("go")

    def end(self, why: Refusal) -> None:
        if self.why is None:
            self.why = why
        if self.work is not None:
            self.work.end(why)
        self._let_go()
        if self.summary >= 0:
            os.close(self.summary)
            self.summary = -1
        self.touched.ring()

    def _let_go(self) -> None:
        if self.piece is not None:
            os.close(self.piece.fd)
            self.piece = None
