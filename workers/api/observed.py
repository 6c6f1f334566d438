"""What is told of each request: a span, a counter and a line in the log, with its route and never with its
path.

A path has ids of things and a query may have words; a route is one of ours. Whatever breaks out of an answer
ends here, so that the platform never logs it with its text.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from pyodide.ffi import JsException

from api.door import let_out, owner_in, refusal
from api.rights import route_of
from contracts.errors import ErrorCode
from contracts.reasons import because
from durable_objects.shared.js import raw
from telemetry.counters import count
from telemetry.shell import event
from telemetry.trace import current, noted

log = logging.getLogger(__name__)

REQUEST_ID = "x-request-id"


async def observed(asked: Any, env: Any, ctx: Any, answer: Callable[[], Awaitable[Any]]) -> Any:
    """The answer to a JavaScript request, with the request's id on it where it can carry one."""
    began = time.monotonic()
    url = urlsplit(asked.url)
    route = route_of(asked.method, owner_in(url.path)[1])
    with event(raw(env), ctx, "request", route=route) as about, noted() as notes:
        try:
            response = await answer()
        except Exception:
            log.exception("a request failed")
            response = let_out(refusal(because(ErrorCode.INTERNAL, "our_side")), url.scheme)
        response = getattr(response, "js_object", response)
        status = int(response.status)
        about |= {"status": status, **notes}
        count("requests", route=route, status=f"{status // 100}xx", code=notes.get("code"))
        took = round((time.monotonic() - began) * 1000)
        log.info(
            "a request was answered",
            extra={"fields": {"route": route, "status": status, "ms": took, **notes}},
        )
        _name(response)
    return response


def _name(response: Any) -> None:
    trace = current()
    try:
        response.headers.set(REQUEST_ID, trace.request_id if trace else "")
    except JsException:
        # An answer that comes from elsewhere as it is: a socket, a stored file.
        return
