"""The border to addresses that a routine's check looks at: one GET, bounded, and nothing of it is followed.

Whoever stores such an address has judged it (`workers/api/check_address.py`); a redirect would lead to one
that nobody has.
"""

from contextlib import aclosing

import js
from pyodide.ffi import JsException

from contracts.errors import ErrorCode
from contracts.limits import ROUTINE_CHECK_BYTES_MAX
from contracts.reasons import because
from durable_objects.shared.js import chunks, js_object

HEADERS = {"accept": "application/json", "user-agent": "Berth"}


async def get(url: str) -> bytes:
    """The body of a 200. Raises `invalid_request`; who waits bounds the time."""
    stop = js.AbortController.new()
    asked = js_object({"method": "GET", "headers": HEADERS, "redirect": "manual"})
    asked.signal = stop.signal
    try:
        response = await js.fetch(url, asked)
        if int(response.status) != 200:
            raise because(ErrorCode.INVALID_REQUEST, "check_status", status=int(response.status))
        return await _body(response.body)
    except JsException as error:
        raise because(ErrorCode.INVALID_REQUEST, "check_unreached") from error
    finally:
        # Also where nobody waits any more: what is still on its way is let go.
        stop.abort()


async def _body(stream: object) -> bytes:
    found = bytearray()
    async with aclosing(chunks(stream)) as arriving:
        async for chunk in arriving:
            found += chunk
            if len(found) > ROUTINE_CHECK_BYTES_MAX:
                raise because(ErrorCode.INVALID_REQUEST, "check_too_large", most=ROUTINE_CHECK_BYTES_MAX)
    return bytes(found)
