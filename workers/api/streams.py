"""Routes beside FastAPI: a thread's event stream and its export, handed to the owner's object.

A WebSocket must reach the object that accepts it, and its bytes then no longer pass through here.
"""

import re
from http import HTTPStatus
from typing import Any

import js

from api.door import refusal
from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.export import ENDINGS
from durable_objects.bot_owner.files import content_disposition
from durable_objects.shared.js import js_object, raw

JSON = "application/json"
# Every seq that a client could have seen is shorter.
SEQ_DIGITS_MAX = 15
STREAM = re.compile(r"/api/threads/([A-Za-z0-9_]{1,64})/stream")
EXPORT = re.compile(r"/api/threads/([A-Za-z0-9_]{1,64})/export")

STREAM_ROUTE: dict[str, Any] = {
    "get": {
        "tags": ["threads"],
        "summary": "Stream",
        "description": (
            "The thread's events after `after`, then new ones as they happen: over a WebSocket, or as "
            "server-sent events. Persisted events carry `seq`; live frames do not."
        ),
        "parameters": [
            {"name": "thread_id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "after", "in": "query", "schema": {"type": "integer", "minimum": 0, "default": 0}},
        ],
        "responses": {
            "101": {"description": "WebSocket"},
            "200": {"description": "Event stream", "content": {"text/event-stream": {}}},
        },
    }
}
EXPORT_ROUTE: dict[str, Any] = {
    "get": {
        "tags": ["threads"],
        "summary": "Export",
        "description": (
            "The thread as a file, made while it is sent: Markdown to read, or JSON with every event. The "
            "last line says whether it is whole; an answer without it broke off."
        ),
        "parameters": [
            {"name": "thread_id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "as", "in": "query", "schema": {"enum": sorted(ENDINGS), "default": "markdown"}},
        ],
        "responses": {"200": {"description": "The file", "content": {"text/markdown": {}, JSON: {}}}},
    }
}
OPENAPI: dict[str, Any] = {
    "/api/threads/{thread_id}/stream": STREAM_ROUTE,
    "/api/threads/{thread_id}/export": EXPORT_ROUTE,
}


def stream_of(method: str, path: str) -> str | None:
    """The id of the thread whose stream is asked for, or None."""
    found = STREAM.fullmatch(path) if method == "GET" else None
    return found.group(1) if found else None


def export_of(method: str, path: str) -> str | None:
    """The id of the thread that is to be exported, or None."""
    found = EXPORT.fullmatch(path) if method == "GET" else None
    return found.group(1) if found else None


async def take_export(env: Any, owner_id: str, thread_id: str, query: str) -> Any:
    """Returns a JavaScript response."""
    kind = str(js.URLSearchParams.new(query).get("as") or "markdown")
    if kind not in ENDINGS:
        return refusal(BerthError(ErrorCode.INVALID_REQUEST, "A thread is exported as markdown or as json."))
    found = await raw(env).BOT_OWNER.getByName(owner_id).fetch(f"http://owner/export/{thread_id}?as={kind}")
    if found.status != HTTPStatus.OK:
        return refusal(BerthError(ErrorCode.NOT_FOUND, "This thread is not there."))
    headers = {
        "content-type": found.headers.get("content-type"),
        "content-disposition": content_disposition(f"{thread_id}.{ENDINGS[kind]}"),
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-store",
    }
    return js.Response.new(found.body, js_object({"headers": headers}))


async def open_stream(request: Any, env: Any, owner_id: str, thread_id: str, query: str) -> Any:
    """`request` is the JavaScript request. Returns a JavaScript response."""
    upgrade = (request.headers.get("upgrade") or "").lower() == "websocket"
    after = _after(query, request.headers.get("last-event-id") or "")
    address = f"http://owner/stream/{thread_id}?after={after}"
    forwarded = js.Request.new(address, js_object({"headers": {"upgrade": "websocket"}} if upgrade else {}))
    response = await raw(env).BOT_OWNER.getByName(owner_id).fetch(forwarded)
    if response.status == HTTPStatus.NOT_FOUND:
        return refusal(BerthError(ErrorCode.NOT_FOUND, "This thread is not there."))
    return response


def _after(query: str, last_event_id: str) -> int:
    """Where to go on: a reconnecting EventSource names its last event, else `?after=`."""
    for text in (last_event_id, js.URLSearchParams.new(query).get("after") or ""):
        if text.isascii() and text.isdecimal() and len(text) <= SEQ_DIGITS_MAX:
            return int(text)
    return 0
