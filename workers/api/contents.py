"""The routes that serve what lies in R2, beside FastAPI: what was uploaded, exported, looked at.

What is served is somebody's bytes, maybe hostile: it is sent as an attachment, or for a preview as a type
of a short list, with a policy under which nothing in it can run even when it is opened by its address. The
bytes go from R2 to the reader and not through Python, so their length is said and a stream that breaks off
looks so.
"""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import js
from pyodide.ffi import JsException

from api import ranges
from api.door import refusal
from api.frame_origins import EMBED_ORIGINS, origins_of
from api.owner import OwnerObject
from contracts.errors import BerthError, ErrorCode
from contracts.people import Caller
from contracts.reasons import because
from durable_objects.bot_owner.files import OCTETS, PREVIEWABLE, served_headers
from durable_objects.shared.js import is_missing, js_object, setting_of

CONTENTS = re.compile(r"/api/(uploads|artifacts|pictures)/([A-Za-z0-9_]{1,64})/content")
YES = {"1", "true", "on", "yes"}


def _described(summary: str, parameter: str) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "preview", "in": "query", "schema": {"type": "boolean", "default": False}},
    ]
    answers = {
        "200": {"description": "The bytes", "content": {OCTETS: {}}},
        "206": {"description": "The range of them that was asked for", "content": {OCTETS: {}}},
    }
    return {"get": {"tags": ["files"], "summary": summary, "parameters": parameters, "responses": answers}}


OPENAPI: dict[str, Any] = {
    "/api/uploads/{upload_id}/content": _described("Upload Content", "upload_id"),
    "/api/artifacts/{artifact_id}/content": _described("Artifact Content", "artifact_id"),
    "/api/pictures/{tool_call_id}/content": _described(
        "Picture Content: what a call of computer__read_file showed to the model", "tool_call_id"
    ),
}


@dataclass(frozen=True)
class Stored:
    """Bytes in R2 that never change, so that `tag` can stand for them."""

    key: str
    name: str
    media_type: str
    size: int
    tag: str


def content_of(method: str, path: str) -> tuple[str, str] | None:
    """Of what kind and which one is asked for; None where it is neither."""
    found = CONTENTS.fullmatch(path) if method in {"GET", "HEAD"} else None
    return (found[1], found[2]) if found else None


async def serve_content(request: Any, env: Any, caller: Caller, kind: str, identifier: str) -> Any:
    """`request` is the JavaScript request. Returns a JavaScript response."""
    try:
        owner = OwnerObject(env, caller)
        stored = await _stored(owner, kind, identifier)
        preview = str(js.URL.new(request.url).searchParams.get("preview") or "").lower() in YES
        return await _served(owner, request, stored, preview=preview or kind == "pictures")
    except BerthError as error:
        return refusal(error)


async def _stored(owner: OwnerObject, kind: str, identifier: str) -> Stored:
    if kind != "artifacts":
        return Stored(**await owner.call(kind.removesuffix("s"), id=identifier))
    found = await owner.call("artifact", id=identifier)
    about = found["artifact"]
    return Stored(found["key"], about["name"], about["media_type"], about["size"], about["sha256"])


async def _served(owner: OwnerObject, request: Any, stored: Stored, *, preview: bool) -> Any:
    shown = preview and stored.media_type in PREVIEWABLE
    etag = f'"{stored.tag}"'
    parents, _ = origins_of(setting_of(owner.env, EMBED_ORIGINS))
    headers = served_headers(stored.name, stored.media_type, etag, shown=shown, parents=parents)
    asked = {
        name: str(value)
        for name in ("range", "if-range", "if-none-match")
        if (value := request.headers.get(name))
    }
    wanted = ranges.wanted(asked, stored.size, etag)
    if wanted == "known":
        return _response(None, HTTPStatus.NOT_MODIFIED, headers)
    if wanted == "beyond":
        beyond = {"content-range": f"bytes */{stored.size}"}
        return _response(None, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers | beyond)
    headers |= {"content-type": stored.media_type if shown else OCTETS, "content-length": str(stored.size)}
    status, options = HTTPStatus.OK, {}
    if isinstance(wanted, ranges.Part):
        length = wanted.end - wanted.start
        status, options = HTTPStatus.PARTIAL_CONTENT, {"range": {"offset": wanted.start, "length": length}}
        headers |= {"content-range": wanted.content_range(stored.size), "content-length": str(length)}
    try:
        found = await owner.env.BUCKET.get(stored.key, js_object(options))
    except JsException as error:
        raise because(ErrorCode.INTERNAL, "file_unreadable") from error
    if is_missing(found):
        raise because(ErrorCode.NOT_FOUND, "bytes_gone")
    return _response(found.body, status, headers)


def _response(body: Any, status: HTTPStatus, headers: dict[str, str]) -> Any:
    return js.Response.new(body, js_object({"status": int(status), "headers": headers}))
