"""A folder as a zip while it is read: the process that packs, and its output piece by piece.

A process of its own, because packing takes time and memory that computerd has not, and because it can be
ended at once when its reader goes. Its pipe holds it up as long as nobody reads.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from . import limits, process_tree
from .errors import Busy, ConnectionLost, Unavailable
from .launch import pipe

if TYPE_CHECKING:
    from .loop import Loop
    from .supervisors import Pool

_PYTHON = "/usr/bin/python3"
_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "archive.py")
_KIND = "archive"


class Packing:
    """One folder being packed; whoever made it closes it."""

    def __init__(self, loop: Loop, pool: Pool, folder: int) -> None:
        if (busy := pool.helping(_KIND)) >= limits.ARCHIVES_AT_ONCE:
            raise Busy(f"{busy} folders are being packed already.", reason="folders_packing", count=busy)
        self._loop = loop
        self._pipe, end = pipe()
        argv = [_PYTHON, "-I", _SCRIPT, str(limits.ARCHIVE_ENTRIES), str(limits.ARCHIVE_MEMORY_KIB)]
        try:
            pid = os.posix_spawn(
                _PYTHON,
                argv,
                {},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, end, 1),
                    (os.POSIX_SPAWN_DUP2, folder, 3),
                ],
                setsigmask=[],
            )
        except OSError as error:
            os.close(self._pipe)
            raise Unavailable(f"The folder could not be packed: {error.strerror}.") from error
        finally:
            os.close(end)
        self._helper = pool.watch(pid, _KIND)

    def close(self) -> None:
        self._loop.forget(self._pipe)
        os.close(self._pipe)
        if self._helper.status is None:
            process_tree.send([self._helper.pid], signal.SIGKILL)

    async def piece(self) -> bytes:
        """What comes next; nothing at the end. Raises ConnectionLost where there will be no end."""
        if not await self._loop.readable(self._pipe, limits.ARCHIVE_SILENCE_S):
            raise ConnectionLost("the folder is not packed any further")
        if data := os.read(self._pipe, limits.SEND_BYTES):
            return data
        while self._helper.status is None:
            await self._helper.bell.heard()
        if self._helper.status:
            raise ConnectionLost("the folder could not be packed to its end")
        return b""
