"""The routes that take a file or a folder out of the computer, or put a file into it, beside FastAPI.

The bytes never pass through Python. So a reader's pace is the computer's pace, one that hangs up
ends the work there, and a stream that breaks off in the computer breaks off here too instead of ending as if
it were whole. One that is put and breaks off leaves nothing behind. Nothing wakes the computer.
"""

from typing import Any
from urllib.parse import quote, unquote

import js

from api.bodies import refused
from api.contents import YES
from api.door import refusal
from api.owner import OwnerObject
from contracts.errors import BerthError, ErrorCode
from contracts.limits import PATH_CHARACTERS_MAX
from contracts.people import Caller
from contracts.reasons import because
from durable_objects.bot_owner.files import OCTETS, clean_name, content_disposition
from durable_objects.shared.js import js_object

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


OPENAPI["/api/files/content"]["put"] = {
    "tags": ["files"],
    "summary": "Put",
    "description": (
        "The body is the file itself, with its length in the headers. It gets this path, or a free name "
        "beside it where there is something already. While commands run it needs `while_running`."
    ),
    "parameters": [
        *OPENAPI["/api/files/content"]["get"]["parameters"],
        {"name": "while_running", "in": "query", "schema": {"type": "boolean", "default": False}},
    ],
    "requestBody": {"required": True, "content": {OCTETS: {}}},
    "responses": {"201": {"description": "Where it is", "content": {"application/json": {}}}},
}


def is_put(method: str, path: str) -> bool:
    """Whether a file is put into the computer."""
    return method == "PUT" and path == "/api/files/content"


async def put_file(request: Any, env: Any, caller: Caller, query: str) -> Any:
    """`request` is the JavaScript request, whose length was checked. Returns a JavaScript response."""
    asked = js.URLSearchParams.new(query)
    path = str(asked.get("path") or "")
    anyhow = "1" if str(asked.get("while_running") or "").lower() in YES else ""
    if not 0 < len(path) <= PATH_CHARACTERS_MAX:
        return await refused(request, because(ErrorCode.INVALID_REQUEST, "path_missing"))
    try:
        # An empty file has no body at all.
        target = f"put?path={quote(path, safe='')}&anyhow={anyhow}"
        found = await OwnerObject(env, caller).put_to_computer(target, request.body or "")
    except BerthError as error:
        return await refused(request, error)
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    return js.Response.new(found.body, js_object({"status": 201, "headers": headers}))


def download_of(method: str, path: str) -> str | None:
    """What is asked for, a file or a folder; None where it is neither."""
    return ROUTES.get(path) if method == "GET" else None


async def take_away(env: Any, caller: Caller, what: str, query: str) -> Any:
    """Returns a JavaScript response."""
    path = str(js.URLSearchParams.new(query).get("path") or "")
    if len(path) > PATH_CHARACTERS_MAX:
        return refusal(because(ErrorCode.INVALID_REQUEST, "path_too_long"))
    try:
        found = await OwnerObject(env, caller).fetch_computer(f"{what}?path={quote(path, safe='')}")
    except BerthError as error:
        return refusal(error)
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
