"""The routes that take a file or a folder out of the computer, beside FastAPI.

The bytes never pass through Python. So a reader's pace is the computer's pace, one that hangs up
ends the work there, and a stream that breaks off in the computer breaks off here too instead of ending as if
it were whole. Nothing wakes the computer.
"""

import json
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote

import js

from api.door import refusal
from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.files import OCTETS, clean_name, content_disposition
from durable_objects.shared.js import js_object, raw

PATH_CHARACTERS_MAX = 4_096
ROUTES = {"/api/files/content": "content", "/api/files/archive": "archive"}


def _described(summary: str, description: str) -> dict[str, Any]:
    path = {"name": "path", "in": "query", "schema": {"type": "string", "maxLength": PATH_CHARACTERS_MAX}}
    answer = {"description": "The bytes, as an attachment", "content": {OCTETS: {}}}
    return {
        "get": {
            "tags": ["files"],
            "summary": summary,
            "description": description,
            "parameters": [path],
            "responses": {"200": answer},
        }
    }


OPENAPI = {
    "/api/files/content": _described("Content", "A file of the computer, while it runs."),
    "/api/files/archive": _described(
        "Archive",
        "A folder as a zip, made in the computer while it is sent; links are not followed. An answer that "
        "breaks off is no whole archive.",
    ),
}


def download_of(method: str, path: str) -> str | None:
    """What is asked for, a file or a folder; None where it is neither."""
    return ROUTES.get(path) if method == "GET" else None


async def take_away(env: Any, owner_id: str, what: str, query: str) -> Any:
    """Returns a JavaScript response."""
    path = str(js.URLSearchParams.new(query).get("path") or "")
    if len(path) > PATH_CHARACTERS_MAX:
        return refusal(BerthError(ErrorCode.INVALID_REQUEST, "The path is too long."))
    machine = raw(env).BOT_COMPUTER.getByName(owner_id)
    found = await machine.fetch(f"http://computer/{what}?path={quote(path, safe='')}")
    if found.status != HTTPStatus.OK:
        return refusal(BerthError.from_dict(json.loads(await found.text())))
    name = clean_name(unquote(found.headers.get("x-berth-name") or "", errors="replace"))
    headers = {
        "content-type": OCTETS,
        "content-disposition": content_disposition(name),
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-store",
    }
    return js.Response.new(found.body, js_object({"headers": headers}))
