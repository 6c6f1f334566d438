"""The routes, and what each of them answers about commands.

A route is a row of `Api.ROUTES`: method, path, handler. `*` stands for one part of the path. The
file routes are in `file_api.py`, `change_api.py`, `place_api.py` and `folder_api.py`, those of backups in
`backup_api.py` and `restore_api.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from . import frames, http_wire, limits
from .api_input import Place, parse_order, parse_place
from .connection import Connection
from .errors import (
    ConnectionLost,
    InvalidRequest,
    MalformedHttp,
    MethodNotAllowed,
    NotFound,
    Refusal,
)
from .http_wire import Head

if TYPE_CHECKING:
    from .backup_api import BackupApi
    from .change_api import ChangeApi
    from .command import Command
    from .commands import Commands
    from .file_api import FileApi
    from .folder_api import FolderApi
    from .place_api import PlaceApi
    from .restore_api import RestoreApi
    from .turns import Turns

Handler = Callable[[Connection, Head, list[str]], Awaitable[None]]

_STREAM = {"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"}


class Parts(NamedTuple):
    """Who answers what."""

    commands: Commands
    files: FileApi
    changes: ChangeApi
    folders: FolderApi
    places: PlaceApi
    backups: BackupApi
    restores: RestoreApi


class Api:
    """Answers requests on any number of connections."""

    def __init__(self, parts: Parts, turns: Turns, health: Mapping[str, object]) -> None:
        self._commands = parts.commands
        self._turns = turns
        self._health = health
        self._routes: list[tuple[str, list[str], Handler]] = [
            ("GET", ["health"], self._get_health),
            ("GET", ["commands"], self._list),
            ("POST", ["commands"], self._post),
            ("GET", ["commands", "*"], self._attach),
            ("POST", ["commands", "*", "stop"], self._stop),
            ("GET", ["files", "content"], parts.files.get),
            ("PUT", ["files", "content"], parts.changes.put),
            ("POST", ["files", "read"], parts.files.read),
            ("GET", ["files", "picture"], parts.files.picture),
            ("GET", ["files", "list"], parts.folders.page),
            ("GET", ["files", "archive"], parts.folders.archive),
            ("POST", ["files", "edit"], parts.changes.edit),
            ("POST", ["files", "move"], parts.places.move),
            ("POST", ["files", "remove"], parts.places.remove),
            ("POST", ["backup"], parts.backups.post),
            ("PUT", ["backup", "*", "manifest"], parts.backups.put_manifest),
            ("GET", ["backup", "*", "pieces", "*"], parts.backups.piece),
            ("GET", ["backup", "*", "summary"], parts.backups.summary),
            ("DELETE", ["backup", "*"], parts.backups.delete),
            ("POST", ["restore"], parts.restores.post),
            ("PUT", ["restore", "*", "manifest"], parts.restores.put_manifest),
            ("PUT", ["restore", "*", "packs", "*"], parts.restores.put_pack),
            ("POST", ["restore", "*", "finish"], parts.restores.finish),
        ]

    async def serve(self, connection: Connection) -> None:
        """Answer one request after the other until the client has gone."""
        try:
            while head := await connection.next_request():
                try:
                    await self._answer(connection, head)
                except Refusal as refusal:
                    await connection.answer(refusal.status, refusal.body())
            await connection.linger()
        except MalformedHttp as error:
            await _say_malformed(connection, str(error))
        except ConnectionLost:
            return
        finally:
            connection.close()

    async def _answer(self, connection: Connection, head: Head) -> None:
        parts = [http_wire.unquote(part) for part in head.path[1:].split(b"/")]
        methods = set()
        for method, pattern, handler in self._routes:
            if len(pattern) == len(parts) and all(
                wanted in ("*", part) for wanted, part in zip(pattern, parts, strict=True)
            ):
                if method == head.method:
                    if pattern[0] == "files":
                        self._turns.look()
                    await handler(connection, head, parts)
                    return
                methods.add(method)
        if methods:
            raise MethodNotAllowed(f"Only {' and '.join(sorted(methods))} can be used here.")
        raise NotFound("There is nothing under this path.")

    async def _get_health(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        await connection.answer(200, self._health)

    async def _list(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        running = [
            {"id": command.identifier, "started_at_ms": command.started_at_ms}
            for command in self._commands.running()
        ]
        await connection.answer(200, {"running": running})

    async def _post(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        place = parse_place(head)
        order = parse_order(await connection.body(limits.JSON_BYTES))
        await follow(connection, await self._commands.start(order), place)

    async def _attach(self, connection: Connection, head: Head, parts: list[str]) -> None:
        # That there is no such command would be no answer while its log is on its way back.
        self._turns.look()
        command = self._commands.find(parts[1])
        await follow(connection, command, parse_place(head))

    async def _stop(self, connection: Connection, _head: Head, parts: list[str]) -> None:
        await connection.body(limits.JSON_BYTES)
        self._commands.stop(parts[1])
        await connection.answer(202, {})


async def follow(connection: Connection, command: Command, place: Place) -> None:
    """Stream a command's frames from a place to its end."""
    if place.offset > command.output_bytes:
        message = f"The output has {command.output_bytes:,} bytes so far; {place.offset:,} is beyond."
        raise InvalidRequest(message)
    command.join()
    try:
        await _follow(connection, command, place)
    finally:
        command.leave()


async def _follow(connection: Connection, command: Command, place: Place) -> None:
    """All that is ready goes in one write."""
    fields: dict[str, str | int] = dict(_STREAM)
    if connection.chunked:
        fields["Transfer-Encoding"] = "chunked"
    else:
        connection.end_with_this()
    pending = frames.started(command.identifier, command.started_at_ms)
    offset = place.offset if place.tail is None else command.tail_from(place.offset, place.tail)
    if offset > place.offset:
        pending += frames.gap(place.offset, offset)
    prefix = connection.head(200, fields)
    while True:
        data, offset = command.since(offset)
        pending += data
        # Looked at before the write: what comes during it is sent in the next round.
        ended = command.result if offset >= command.output_bytes else None
        if ended is not None:
            pending += frames.exited(ended)
        if pending:
            await connection.send(
                http_wire.chunk(pending, prefix, last=ended is not None)
                if connection.chunked
                else prefix + pending
            )
        if ended is not None:
            return
        pending = prefix = b""
        silent = offset >= command.output_bytes and command.result is None
        if silent and not await command.bell.heard(limits.HEARTBEAT_S):
            pending = frames.HEARTBEAT


async def _say_malformed(connection: Connection, message: str) -> None:
    try:
        body = frames.document({"code": "invalid_request", "message": message})
        fields: dict[str, str | int] = {
            "Content-Type": "application/json",
            "Content-Length": len(body),
            "Connection": "close",
        }
        await connection.send(http_wire.response_head(400, fields) + body)
    except ConnectionLost:
        return
