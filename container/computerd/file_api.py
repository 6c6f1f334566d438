"""What the file routes answer about files as they are: their bytes, and their text by lines.

Large files go by in pieces, with a turn for everybody else between two of them. What changes a file
is in `change_api.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import api_input, encoding, http_wire, limits, media_type, names, reading
from .errors import BinaryFile, InvalidRequest, shown
from .replacement import version_of
from .views import DOCUMENTS, PICTURES, ViewError

if TYPE_CHECKING:
    from .api_input import ReadOrder
    from .connection import Connection
    from .http_wire import Head
    from .loop import Loop
    from .views import Views
    from .workspace import Workspace

_SLICE_BYTES = 1024 * 1024


class FileApi:
    """Handlers for /files."""

    def __init__(self, loop: Loop, workspace: Workspace, views: Views) -> None:
        self._loop = loop
        self._workspace = workspace
        self._views = views

    async def get(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        """The bytes of a file, as many as it had when it was opened."""
        with self._workspace.open(path_of(head)) as (fd, state, name):
            first = os.pread(fd, media_type.SNIFF_BYTES, 0)
            fields: dict[str, str | int] = {
                "Content-Type": "application/octet-stream",
                "Content-Length": state.st_size,
                "X-Berth-Name": http_wire.quote(names.told(name)),
                "X-Berth-Media-Type": media_type.sniff(name, first),
                "ETag": version_of(state),
            }
            await connection.send(connection.head(200, fields))
            await connection.send_file(fd, state.st_size)

    async def read(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """What there is to read of a file: lines of its text, or what kind of thing it is."""
        order = api_input.parse_read(await connection.body(limits.JSON_BYTES))
        with self._workspace.open(order.path) as (fd, state, name):
            head = os.pread(fd, encoding.DETECT_BYTES, 0)
            found = media_type.sniff(name, head[: media_type.SNIFF_BYTES])
            about: dict[str, object] = {"media_type": found, "size": state.st_size}
            if found in PICTURES:
                about["kind"] = "picture"
            elif found in DOCUMENTS:
                about |= await self._document(order, found)
            else:
                about |= await self._lines_or_hash(order, fd, state.st_size, found, head)
        await connection.answer(200, about)

    async def picture(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        """A picture in a size for looking at it; `X-Berth-Picture` says its sizes as JSON."""
        path = path_of(head)
        try:
            async with self._views.picture(path) as (fd, state, said):
                fields: dict[str, str | int] = {
                    "Content-Type": "application/octet-stream",
                    "Content-Length": state.st_size,
                    "X-Berth-Picture": http_wire.quote(said.decode("utf-8", "replace").strip()),
                }
                await connection.send(connection.head(200, fields))
                await connection.send_file(fd, state.st_size)
        except ViewError as error:
            raise BinaryFile(
                f"{shown(path)} cannot be shown: {error}.", reason="cannot_show", path=shown(path)
            ) from error

    async def _document(self, order: ReadOrder, found: str) -> dict[str, object]:
        try:
            async with self._views.text(order.path, found) as (fd, state):
                return {"kind": "document", **await reading.window(self._loop, fd, state.st_size, order)}
        except (ViewError, reading.NoTextError) as error:
            note = str(error) or "it has no text"
        with self._workspace.open(order.path) as (fd, state, _):
            return {**await self._hashed(fd, state.st_size), "note": note}

    async def _lines_or_hash(
        self, order: ReadOrder, fd: int, size: int, found: str, head: bytes
    ) -> dict[str, object]:
        text = found == media_type.UNKNOWN or media_type.is_text_type(found)
        kind = encoding.detect(head, whole=len(head) == size) if text else None
        if kind is not None:
            try:
                lines = await reading.window(self._loop, fd, size, order, kind)
            except reading.NoTextError:
                return {**await self._hashed(fd, size), "media_type": media_type.UNKNOWN}
            if found == media_type.UNKNOWN:
                found = "text/plain"
            return {"kind": "text", "encoding": kind.codec, "media_type": found, **lines}
        return await self._hashed(fd, size)

    async def _hashed(self, fd: int, size: int) -> dict[str, object]:
        if size > limits.HASH_BYTES:
            return {"kind": "binary", "sha256": None}
        # With OpenSSL behind it this is worth megabytes, which an idle computer does not need.
        import hashlib  # noqa: PLC0415

        digest = hashlib.sha256()
        os.lseek(fd, 0, os.SEEK_SET)
        while data := os.read(fd, _SLICE_BYTES):
            digest.update(data)
            await self._loop.breathe()
        return {"kind": "binary", "sha256": digest.hexdigest()}


def path_of(head: Head) -> str:
    path = http_wire.parse_query(head.query).get("path")
    if not path:
        raise InvalidRequest("`path` is missing.")
    return path
