"""The two kinds of connection a thread is watched over: hibernating WebSockets and event streams."""

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import js
from pyodide.ffi import JsException

from durable_objects.bot_owner.stream import Holder


class SocketOutlet:
    """A WebSocket that this object may forget: what must not be lost is in its attachment."""

    def __init__(self, socket: Any, key: str, thread_id: str, holder: Holder) -> None:
        self._socket = socket
        self._key = key
        self._thread_id = thread_id
        self._holder = holder

    def send(self, text: str) -> None:
        try:
            self._socket.send(text)
        except JsException:
            # It is closing; `webSocketClose` follows and takes it from the audience.
            return

    def keep(self, cursor: int) -> None:
        kept = {"key": self._key, "thread_id": self._thread_id, "cursor": cursor, "holder": self._holder}
        self._socket.serializeAttachment(json.dumps(kept))

    def close(self, code: int, reason: str) -> None:
        self._socket.close(code, reason)


class EventStreamOutlet:
    """Server-sent events. What the client has taken from the stream counts as acknowledged."""

    def __init__(self, writer: Any, acknowledged: Callable[[int], None]) -> None:
        self._writer = writer
        self._acknowledged = acknowledged
        self._encoder = js.TextEncoder.new()
        self._taken = 0
        self._writes: set[asyncio.Future[None]] = set()

    def send(self, text: str) -> None:
        write = asyncio.ensure_future(self._write(text))
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)

    async def _write(self, text: str) -> None:
        try:
            await self._writer.write(self._encoder.encode(_event(text)))
        except JsException:
            # The client is gone; `until_closed` takes it from the audience.
            return
        self._taken += len(text)
        self._acknowledged(self._taken)

    async def until_closed(self) -> None:
        try:
            await self._writer.closed
        except JsException:
            return

    def keep(self, cursor: int) -> None:
        """An event stream ends with this object's memory; its client resumes by its last id."""

    def close(self, _code: int, _reason: str) -> None:
        self._writer.close()


async def pour_text(writer: Any, pieces: Iterable[str]) -> None:
    """Write the pieces as their reader takes them, to the end or until the reader is gone."""
    encoder = js.TextEncoder.new()
    try:
        for piece in pieces:
            await writer.write(encoder.encode(piece))
        await writer.close()
    except JsException:
        return
    except BaseException as error:
        # Whatever broke off here is not to look like an end.
        writer.abort(str(type(error).__name__))
        raise


def _event(text: str) -> str:
    """One event of the stream; a persisted one carries its seq as the id a browser resumes from."""
    seq = json.loads(text).get("seq")
    return f"id: {seq}\ndata: {text}\n\n" if seq is not None else f"data: {text}\n\n"
