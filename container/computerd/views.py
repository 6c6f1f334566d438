"""Other forms of a file: the text of a document, a picture in a size that a model can look at.

What makes them runs as an ordinary command, under a supervisor and with a timeout, and writes beside the
workspace's own files; what it made is opened and its name removed at once.
"""

from __future__ import annotations

import os
import shlex
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from . import limits
from .commands import Order
from .replacement import FOLDER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from .command import Command
    from .commands import Commands
    from .workspace import Workspace

DOCUMENTS = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument": "odt",
}
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PYTHON = "/usr/bin/python3"
_SOURCE = "/proc/self/fd/3"
_HERE = os.path.dirname(os.path.abspath(__file__))


class ViewError(Exception):
    """There is no such form of this file. `str()` says why, in words of the computer."""


class Views:
    """Makes them, one command each."""

    def __init__(self, commands: Commands, workspace: Workspace, token: Callable[[], str]) -> None:
        self._commands = commands
        self._workspace = workspace
        self._token = token

    @asynccontextmanager
    async def text(self, path: str, media_type: str) -> AsyncIterator[tuple[int, os.stat_result]]:
        """The text of a document as an open file of UTF-8. Raises ViewError."""
        async with self._made("document.py", [DOCUMENTS[media_type]], path, []) as (fd, state, _):
            yield fd, state

    @asynccontextmanager
    async def picture(self, path: str) -> AsyncIterator[tuple[int, os.stat_result, bytes]]:
        """A smaller picture as an open file, and what was said about it. Raises ViewError."""
        size = [str(limits.PICTURE_EDGE), str(limits.PICTURE_BYTES)]
        async with self._made("picture.py", [], path, size) as made:
            yield made

    @asynccontextmanager
    async def _made(
        self, script: str, before: list[str], path: str, behind: list[str]
    ) -> AsyncIterator[tuple[int, os.stat_result, bytes]]:
        with self._workspace.place(path) as place:
            source = f"{self._workspace.root}/{place.path(place.name)}"
        token = self._token()
        target = f"{FOLDER}/{token}"
        with self._workspace.place(target, make_parents=True):
            pass
        words = [_PYTHON, "-I", f"{_HERE}/{script}", *before, _SOURCE, f"{self._workspace.root}/{target}"]
        command = await self._run(f"view-{token}", source, shlex.join([*words, *behind]))
        said = command.log.read(0, limits.READ_BYTES)
        command.log.remove()
        if command.result is None or command.result.exit_code != 0:
            self._remove(target)
            last = command.stderr_tail.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ViewError(last[:200] or "it took too long or too much")
        with self._workspace.open(target) as (fd, state, _):
            self._remove(target)
            yield fd, state, said

    async def _run(self, identifier: str, source: str, script: str) -> Command:
        lines = [
            # Bounds what a file may unpack to, in memory and on the disk.
            f"ulimit -v {limits.VIEW_MEMORY_KIB} -f {limits.VIEW_FILE_KIB}",
            # Opened once, and only where it lies after that counts: its name may lead elsewhere by now.
            f"exec 3<{shlex.quote(source)} || exit",
            f"inside={shlex.quote(self._workspace.root)}/",
            f'if [[ $(readlink {_SOURCE}) != "$inside"* ]]; then',
            "  echo 'it leads out of the workspace' >&2; exit 1",
            "fi",
            f"exec {script}",
        ]
        order = Order(identifier, "\n".join(lines).encode("utf-8", "surrogateescape"), limits.VIEW_S)
        command = await self._commands.start(order)
        while command.result is None:
            await command.bell.heard()
        return command

    def _remove(self, target: str) -> None:
        with self._workspace.place(target) as place:
            if place.stat() is not None:
                os.unlink(place.name, dir_fd=place.directory)
