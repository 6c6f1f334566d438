"""Bodies as JavaScript has them: read in large pieces, written on with back-pressure."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import js
from pyodide.ffi import to_js

PIECE_BYTES = 128 * 1024
BY_THE_BUFFER = to_js({"mode": "byob"}, dict_converter=js.Object.fromEntries)


async def pieces(body: Any) -> AsyncGenerator[Any, None]:
    """The pieces of a ReadableStream as Uint8Arrays; closing the generator cancels the stream.

    Each is copied by whoever keeps it: they stay on the JavaScript side.
    """
    reader = body.getReader(BY_THE_BUFFER)
    finished = False
    try:
        while True:
            step = await reader.read(js.Uint8Array.new(PIECE_BYTES))
            if step.done:
                finished = True
                return
            yield step.value
    finally:
        if not finished:
            await reader.cancel()


async def octets(body: Any) -> AsyncGenerator[bytes, None]:
    """The same as Python's bytes, and nothing where there is no body."""
    if body:
        async with aclosing(pieces(body)) as found:
            async for piece in found:
                yield piece.to_bytes()
