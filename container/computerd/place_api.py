"""What the routes answer that move and remove what lies in the workspace.

The last part of a path is the thing itself: a link is moved or removed, never what it points to. The folders
on the way are walked as everywhere. What may take long, emptying a folder, happens in a thread.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import api_input, limits, linux, names
from .errors import Busy, InvalidRequest, refusal_of, shown
from .removal import remove_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .connection import Connection
    from .http_wire import Head
    from .loop import Loop
    from .workspace import Workspace


class PlaceApi:
    """Handlers for POST /files/move and POST /files/remove."""

    def __init__(self, loop: Loop, workspace: Workspace, use: Callable[[], None]) -> None:
        self._loop = loop
        self._workspace = workspace
        self._use = use

    async def move(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """Give something another name or folder, in one step, where nothing is yet."""
        path, to = api_input.parse_move(await connection.body(limits.JSON_BYTES))
        self._use()
        with self._named(path) as (folder, name, _), self._named(to) as (other, new, inside):
            try:
                linux.rename_to_free(folder, name, other, new)
            except FileExistsError as error:
                raise InvalidRequest(
                    f"There is a {shown(to)} already.", reason="name_taken", path=shown(to), exists=True
                ) from error
            except OSError as error:
                if error.errno == errno.EINVAL:
                    raise InvalidRequest(
                        "A folder cannot be put into itself.", reason="into_itself"
                    ) from error
                raise refusal_of(error, path) from error
        await connection.answer(200, {"path": names.told("/".join([*inside, new]))})

    async def remove(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """Remove one thing, and a folder with all that is in it."""
        path = api_input.parse_remove(await connection.body(limits.JSON_BYTES))
        self._use()
        with self._named(path) as (folder, name, _):

            def remove() -> None:
                if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    remove_folder(folder, name)
                else:
                    os.unlink(name, dir_fd=folder)

            try:
                await self._loop.in_thread(remove)
            except OSError as error:
                if error.errno == errno.ENOTEMPTY:
                    raise Busy(
                        "Something was put into it meanwhile. Try again.", reason="put_meanwhile"
                    ) from error
                raise refusal_of(error, path) from error
        await connection.answer(200, {})

    @contextmanager
    def _named(self, path: str) -> Iterator[tuple[int, str, list[str]]]:
        """The open folder that something lies in, its name there, and the names of that folder."""
        above, slash, name = path.rstrip("/").rpartition("/")
        if name in ("", ".", ".."):
            raise InvalidRequest(
                f"{shown(path)} does not name a file or folder in the workspace.",
                reason="no_name",
                path=shown(path),
            )
        with self._workspace.folder(above or (slash or ".")) as (fd, inside):
            yield fd, names.meant(name), [part for part in inside.split("/") if part]
