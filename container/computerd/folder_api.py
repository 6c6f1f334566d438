"""What the routes about folders answer: a page of a listing, and a folder as one zip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import http_wire, limits, listing, names
from .errors import InvalidRequest
from .packing import Packing

if TYPE_CHECKING:
    from .connection import Connection
    from .http_wire import Head
    from .loop import Loop
    from .supervisors import Pool
    from .workspace import Workspace


class FolderApi:
    """Handlers for GET /files/list and GET /files/archive."""

    def __init__(self, loop: Loop, workspace: Workspace, pool: Pool) -> None:
        self._loop = loop
        self._workspace = workspace
        self._pool = pool

    async def page(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        query = http_wire.parse_query(head.query)
        path = query.get("path", ".")
        sort, order = query.get("sort", "name"), query.get("order", "asc")
        if sort not in ("name", "size", "time") or order not in ("asc", "desc"):
            raise InvalidRequest("`sort` is name, size or time, `order` is asc or desc.")
        offset, limit = _number(query, "offset", 0), _number(query, "limit", limits.LIST_PAGE)
        found: list[tuple[list[listing.Entry], bool]] = []
        with self._workspace.folder(path) as (fd, inside):
            await self._loop.in_thread(lambda: found.append(listing.entries(fd)))
        entries, cut = found[0]
        page = listing.ordered(entries, sort, order == "desc")[offset : offset + min(limit, limits.LIST_PAGE)]
        body = {
            "path": names.told(inside),
            "total": len(entries),
            "cut": cut,
            "entries": [{**entry._asdict(), "name": names.told(entry.name)} for entry in page],
        }
        await connection.answer(200, body)

    async def archive(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        """The zip as it is made: how long it becomes nobody knows, and only its end says that it is whole."""
        path = http_wire.parse_query(head.query).get("path", ".")
        with self._workspace.folder(path) as (fd, inside):
            packing = Packing(self._loop, self._pool, fd)
        try:
            name = inside.rpartition("/")[2] or "workspace"
            fields: dict[str, str | int] = {
                "Content-Type": "application/octet-stream",
                "X-Berth-Name": http_wire.quote(f"{names.told(name)}.zip"),
                "X-Berth-Media-Type": "application/zip",
            }
            if connection.chunked:
                fields["Transfer-Encoding"] = "chunked"
            else:
                connection.end_with_this()
            await connection.send(connection.head(200, fields))
            while data := await packing.piece():
                await connection.send(http_wire.chunk(data) if connection.chunked else data)
            if connection.chunked:
                await connection.send(http_wire.END)
        finally:
            packing.close()


def _number(query: dict[str, str], name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise InvalidRequest(f"`{name}` must be a number.")
    return int(text)
