"""Whose turn it is with the files: the commands', a backup's or a restore's.

Commands and changes of files come first: they end a backup that is under way. While files are put back nobody
else has them, so nothing ever begins on half a tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import Busy

if TYPE_CHECKING:
    from collections.abc import Callable


class Turns:
    """What everybody who uses the files asks first."""

    def __init__(self) -> None:
        self.used = False
        """Whether a command has run here or a file was changed."""
        self.restoring = False
        self.make_way: Callable[[], None] = _nobody
        """Ends what has to give way to a command."""

    def look(self) -> None:
        """Somebody reads the files; raises Busy."""
        if self.restoring:
            raise Busy(
                "The files are being put back from a backup; try again in a moment.", reason="being_restored"
            )

    def use(self) -> None:
        """A command or a change of a file begins; raises Busy."""
        self.look()
        self.used = True
        self.make_way()

    def begin_restore(self) -> None:
        self.make_way()
        self.restoring = True

    def end_restore(self) -> None:
        self.restoring = False


def _nobody() -> None:
    return
