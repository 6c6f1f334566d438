"""A limit on request bodies before anything reads them.

The ASGI adapter takes a whole body into memory before the application sees it. So a body must say
its length, and say one that fits, or the request goes no further.
"""

from typing import Any

import js

from api.door import refusal
from contracts.errors import BerthError, ErrorCode
from contracts.limits import MIB, UPLOAD_BYTES_MAX
from contracts.reasons import because

BODY_BYTES_MAX = UPLOAD_BYTES_MAX
DRAINED_BYTES_MAX = 4 * BODY_BYTES_MAX


def check_length(method: str, header: str | None, *, has_body: bool) -> BerthError | None:
    """What is wrong with the length of a body, if anything."""
    if method in {"GET", "HEAD"} or not has_body:
        return None
    if header is None or not header.isdecimal():
        return BerthError(ErrorCode.INVALID_REQUEST, "Send the length of the body (Content-Length).")
    if int(header) > BODY_BYTES_MAX:
        return because(
            ErrorCode.UPLOAD_TOO_LARGE,
            "body_too_large",
            size=f"{int(header) / MIB:.1f}",
            most=BODY_BYTES_MAX // MIB,
        )
    return None


async def refusal_of(request: Any) -> Any:
    """The JavaScript response that refuses this request's body, or None."""
    length = request.headers.get("content-length") or None
    error = check_length(request.method, length, has_body=bool(request.body))
    if error is None:
        return None
    return await refused(request, error)


async def refused(request: Any, error: BerthError) -> Any:
    """The JavaScript response with an error; the body is taken to its end first, where it is not too long.

    A client that is still sending would see a broken connection and not the answer.
    """
    length = request.headers.get("content-length") or ""
    if length.isdecimal() and int(length) <= DRAINED_BYTES_MAX and request.body and not request.bodyUsed:
        await request.body.pipeTo(js.WritableStream.new())
    return refusal(error)
