"""The border of notices: a POST by the Worker's fetch, which follows no redirect and waits for no body."""

import asyncio
from collections.abc import Mapping

import js
from pyodide.ffi import JsException, to_js

from contracts.limits import NOTICE_SEND_SECONDS
from durable_objects.bot_owner.notices.carriers import Answered, UnreachableError
from durable_objects.shared.js import js_object


async def post(url: str, headers: Mapping[str, str], body: bytes) -> Answered:
    """Raises UnreachableError."""
    stop = js.AbortController.new()
    asked = js_object({"method": "POST", "headers": dict(headers), "redirect": "manual"})
    asked.body, asked.signal = to_js(body), stop.signal
    try:
        async with asyncio.timeout(NOTICE_SEND_SECONDS):
            response = await js.fetch(url, asked)
    except JsException as error:
        raise UnreachableError("the other side could not be reached") from error
    except TimeoutError as error:
        raise UnreachableError("the other side was silent") from error
    finally:
        # Its head is all that is wanted: what else it sends, however long, is not taken.
        stop.abort()
    return Answered(int(response.status), _seconds(response.headers.get("retry-after")))


def _seconds(text: object) -> float | None:
    """Of `Retry-After` the kind that is a number; the other kind, a date, is left out."""
    found = str(text or "")
    return float(found) if found.isdecimal() and len(found) <= 9 else None
