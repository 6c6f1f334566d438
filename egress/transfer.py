"""One request on its way: watched from its body to the last byte of its answer, and cut when it must be.

A timer beside it asks the computer's object once a second, so that one which waits or trickles is cut as well
as one that flows. Bytes are reported then, and before the last of them is handed on, so that a command never
ends before its receipt is whole. They are counted as they came over the wire: what is encoded stays so.

A small answer is read whole before any of it is handed on, which is faster; one that is cut meanwhile turns
into the refusal. All others flow through here piece by piece.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import js
from pyodide.ffi import JsException, to_js

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from egress.streams import pieces

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
SILENCE_SECONDS = 10.0
REST_SECONDS_MAX = 1.0
BODILESS = frozenset({204, 205, 304})
SMALL_BYTES = 64 * 1024

T = TypeVar("T")


class Transfer:
    def __init__(self, new_computer: Callable[[], Any], line: dict[str, Any]) -> None:
        """`new_computer` makes a stub of the computer's object."""
        self._new_computer = new_computer
        self.computer = new_computer()
        self.line = line
        """The request as a line of its command's receipt."""
        self._sent = 0
        self._received = 0
        self._rest_s = 0.0
        self._controller = js.AbortController.new()
        self._watch: asyncio.Task[None] | None = None
        self._work: asyncio.Task[Any] | None = None
        self.cut: BerthError | None = None
        """Why it was cut, where it was."""

    @property
    def signal(self) -> Any:
        return self._controller.signal

    def sends(self, count: int) -> None:
        self._sent += count

    def end(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    async def watched(self, work: Coroutine[Any, Any, T]) -> T:
        """Do a part of it under the watch. Raises the BerthError for which it was cut meanwhile."""
        if before := self.cut:
            work.close()
            raise before
        if self._watch is None:
            self._watch = asyncio.ensure_future(self._look())
        self._work = task = asyncio.ensure_future(work)
        try:
            return await task
        except (JsException, asyncio.CancelledError):
            if self.cut is None:
                raise
            await self._note_cut()
            raise self.cut from None

    async def report(self) -> None:
        """Tell what moved since the last time, and do as the answer says."""
        await self._obey(self._tell())

    def _tell(self) -> Any:
        """Send what moved at once; returns the promise of an answer."""
        sent, received = self._sent, self._received
        self._sent = self._received = 0
        return self.computer.egress_moved(json.dumps({**self.line, "sent": sent, "received": received}))

    async def _obey(self, reply: Any) -> None:
        try:
            answer = await reply
        except JsException as error:
            # A stub stays broken once its object was put away. What the lost call told is forgotten.
            log.info("asking the computer's object anew: %s", error)
            self.computer = self._new_computer()
            answer = await self._tell()
        fields = json.loads(answer)
        if "error" in fields:
            self._cut(BerthError.from_dict(fields["error"]))
        else:
            self._rest_s = float(fields["result"]["rest_s"])

    def _cut(self, why: BerthError) -> None:
        if self.cut is not None:
            return
        self.cut = why
        self._controller.abort()
        if self._work is not None:
            self._work.cancel()

    async def _note_cut(self) -> None:
        """Put it on the receipt: whoever asks to leave gets a line there, with the reason why not."""
        await _quietly(self.computer.admit_egress(json.dumps(self.line)))

    async def _look(self) -> None:
        """Report once a second until cancelled or cut."""
        try:
            while self.cut is None:
                await asyncio.sleep(WATCH_SECONDS)
                await asyncio.wait_for(self.report(), SILENCE_SECONDS)
        except Exception as error:  # noqa: BLE001 - whatever broke the watch, nothing goes on unwatched
            log.warning("a transfer is cut, as its computer does not answer: %r", error)
            self._cut(unasked())

    async def answer(self, response: Any) -> tuple[Any, Coroutine[Any, Any, None]]:
        """The response to hand on, and what must be awaited for it to be whole."""
        length = response.headers.get("content-length")
        declared = int(length) if length and length.isdecimal() else None
        if response.status in BODILESS or not response.body or self.line["method"] == "HEAD":
            return _response(response.body, response), self.report()
        if declared is not None and declared <= SMALL_BYTES:
            whole = await response.arrayBuffer()
            self._received += whole.byteLength
            return _response(whole, response), self._obey(self._tell())
        pipe = js.IdentityTransformStream.new() if declared is None else js.FixedLengthStream.new(declared)
        pump = self._pump(response.body, pipe.writable, declared)
        return _response(pipe.readable, response), self.watched(pump)

    async def _pump(self, body: Any, writable: Any, declared: int | None) -> None:
        writer = writable.getWriter()
        total = 0
        try:
            async with aclosing(pieces(body)) as found:
                async for piece in found:
                    total += piece.length
                    self._received += piece.length
                    last = self._tell() if total == declared else None
                    await writer.write(piece)
                    if last is not None:
                        await self._obey(last)
                    await self._rest()
            last = self._tell() if total != declared else None
            await writer.close()
            if last is not None:
                await self._obey(last)
        except (JsException, asyncio.CancelledError) as error:
            log.info("a transfer ended early: %r", self.cut or error)
            await _quietly(self.report())
            if self.cut is not None:
                await self._note_cut()
            await _quietly(writer.abort(str(self.cut or error)))

    async def _rest(self) -> None:
        while self._rest_s > 0 and self.cut is None:
            await asyncio.sleep(min(self._rest_s, REST_SECONDS_MAX))
            await self.report()


def unasked() -> BerthError:
    """What is answered while nobody can say whether a request may leave: nothing leaves."""
    return because(ErrorCode.COMPUTER_CIRCUIT_OPEN, "egress_unknown", retry_after_s=5)


def _response(body: Any, response: Any) -> Any:
    """The same answer with another body, whose bytes are encoded already as its headers say."""
    init = {
        "status": response.status,
        "statusText": response.statusText,
        "headers": response.headers,
        "encodeBody": "manual",
    }
    return js.Response.new(body, to_js(init, dict_converter=js.Object.fromEntries))


async def _quietly(work: Awaitable[Any]) -> None:
    """What is left to do after a break, which may be broken itself."""
    try:
        await work
    except JsException as error:
        log.info("after a break: %s", error)
