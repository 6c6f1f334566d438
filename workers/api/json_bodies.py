"""A limit on the nesting of JSON bodies, before the framework parses them (see `shared/json_text.py`)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import problem
from contracts.errors import BerthError, ErrorCode
from durable_objects.shared.json_text import DEPTH_MAX, too_deep


class BoundedJson:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_json(scope):
            await self._app(scope, receive, send)
            return
        body = await _whole(receive)
        if too_deep(body.decode("utf-8", "replace")):
            error = BerthError(ErrorCode.INVALID_REQUEST, f"The body nests deeper than {DEPTH_MAX}.")
            await problem(error)(scope, receive, send)
            return
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)


def _is_json(scope: Scope) -> bool:
    return any(name == b"content-type" and b"json" in value.lower() for name, value in scope["headers"])


async def _whole(receive: Receive) -> bytes:
    parts, more = [], True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)
