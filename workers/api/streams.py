"""Routes beside FastAPI: a thread's event stream and what is taken away as a file, from the owner's object.

A WebSocket must reach the object that accepts it, and its bytes then no longer pass through here.
"""

import re
from typing import Any
from urllib.parse import urlencode

import js

from api.door import refusal
from api.owner import OwnerObject
from contracts.allowance import DAY_PATTERN
from contracts.errors import BerthError, ErrorCode
from contracts.people import Caller
from contracts.reasons import because
from durable_objects.bot_owner.export import ENDINGS
from durable_objects.bot_owner.files import content_disposition
from durable_objects.shared.js import js_object

JSON = "application/json"
# Every seq that a client could have seen is shorter.
SEQ_DIGITS_MAX = 15
STREAM = re.compile(r"/api/threads/([A-Za-z0-9_]{1,64})/stream")
USAGE = "usage.csv"
ARCHIVE = "me/archive/content"
FILE = re.compile(
    r"/api/(?P<whole>usage\.csv|me/archive/content|threads/(?P<thread_id>[A-Za-z0-9_]{1,64})/export)"
)

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
USAGE_ROUTE: dict[str, Any] = {
    "get": {
        "tags": ["allowance"],
        "summary": "Usage as a table",
        "description": (
            "Every debit of these days, both included, as a file that spreadsheets open. Without days it is "
            "this month."
        ),
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": "string", "pattern": DAY_PATTERN}}
            for name in ("first_day", "last_day")
        ],
        "responses": {"200": {"description": "The file", "content": {"text/csv": {}}}},
    }
}
ARCHIVE_ROUTE: dict[str, Any] = {
    "get": {
        "tags": ["bots"],
        "summary": "Archive",
        "description": (
            "The finished archive as a tar file. `contents.json` in it lists every file with its hash, and "
            "what is missing. An answer that is shorter than its length broke off."
        ),
        "responses": {"200": {"description": "The file", "content": {"application/x-tar": {}}}},
    }
}
OPENAPI: dict[str, Any] = {
    "/api/me/archive/content": ARCHIVE_ROUTE,
    "/api/usage.csv": USAGE_ROUTE,
    "/api/threads/{thread_id}/stream": STREAM_ROUTE,
    "/api/threads/{thread_id}/export": EXPORT_ROUTE,
}


def stream_of(method: str, path: str) -> str | None:
    """The id of the thread whose stream is asked for, or None."""
    found = STREAM.fullmatch(path) if method == "GET" else None
    return found.group(1) if found else None


def file_of(method: str, path: str) -> str | None:
    """The id of the thread that is to be exported, `USAGE` or `ARCHIVE`, or None."""
    found = FILE.fullmatch(path) if method == "GET" else None
    return (found["thread_id"] or found["whole"]) if found else None


async def take_file(env: Any, caller: Caller, file: str, query: str) -> Any:
    """The file that `file_of` names, as a JavaScript response."""
    owner = OwnerObject(env, caller)
    try:
        if file == ARCHIVE:
            return _file(await owner.fetch("archive/tar"), "berth.tar")
        return await (_take_usage(owner, query) if file == USAGE else _take_export(owner, file, query))
    except BerthError as error:
        return refusal(error)


async def _take_usage(owner: OwnerObject, query: str) -> Any:
    asked = js.URLSearchParams.new(query)
    days = {name: str(asked.get(name) or "") for name in ("first_day", "last_day")}
    if any(day and not re.match(DAY_PATTERN, day) for day in days.values()):
        raise because(ErrorCode.INVALID_REQUEST, "day_wrong")
    return _file(await owner.fetch(f"usage/csv?{urlencode(days)}"), USAGE)


async def _take_export(owner: OwnerObject, thread_id: str, query: str) -> Any:
    kind = str(js.URLSearchParams.new(query).get("as") or "markdown")
    if kind not in ENDINGS:
        raise because(ErrorCode.INVALID_REQUEST, "export_kind")
    return _file(await owner.fetch(f"export/{thread_id}?as={kind}"), f"{thread_id}.{ENDINGS[kind]}")


def _file(found: Any, name: str) -> Any:
    length = found.headers.get("content-length")
    headers = {
        **({"content-length": length} if length else {}),
        "content-type": found.headers.get("content-type"),
        "content-disposition": content_disposition(name),
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-store",
    }
    return js.Response.new(found.body, js_object({"headers": headers}))


async def open_stream(request: Any, env: Any, caller: Caller, thread_id: str, query: str) -> Any:
    """`request` is the JavaScript request. Returns a JavaScript response."""
    upgrade = (request.headers.get("upgrade") or "").lower() == "websocket"
    after = _after(query, request.headers.get("last-event-id") or "")
    headers = {"upgrade": "websocket"} if upgrade else {}
    try:
        found = await OwnerObject(env, caller).fetch(f"stream/{thread_id}?after={after}", **headers)
        # Headers of what another object answers cannot be changed.
        return found if upgrade else js.Response.new(found.body, found)
    except BerthError as error:
        return refusal(error)


def _after(query: str, last_event_id: str) -> int:
    """Where to go on: a reconnecting EventSource names its last event, else `?after=`."""
    for text in (last_event_id, js.URLSearchParams.new(query).get("after") or ""):
        if text.isascii() and text.isdecimal() and len(text) <= SEQ_DIGITS_MAX:
            return int(text)
    return 0
