"""The routes that take bytes in, beside FastAPI: a file whole or by parts, to R2 and never through Python.

The body's length is fixed before its first byte, by what its sender said and what is allowed; a body that
breaks off stores nothing.
"""

import asyncio
import json
import re
from typing import Any

import js
from pyodide.ffi import JsException

from api.bodies import refused
from api.owner import OwnerObject
from contracts.errors import BerthError, ErrorCode
from contracts.limits import UPLOAD_NAME_CHARACTERS_MAX
from contracts.people import Caller
from contracts.reasons import because
from durable_objects.bot_owner.files import OCTETS, clean_media_type
from durable_objects.bot_owner.multipart import store_error
from durable_objects.shared.js import js_object

UPLOADS = re.compile(r"/api/threads/([A-Za-z0-9_]{1,64})/uploads")
COUNTING = "FixedLengthStream"
PARTS = re.compile(r"/api/uploads/([A-Za-z0-9_]{1,64})/parts/([0-9]{1,4})")

UPLOAD: dict[str, Any] = {
    "post": {
        "tags": ["files"],
        "summary": "Upload",
        "description": (
            "The body is the file itself, with its length and type in the headers. It is sent to the "
            "computer with the message that names its id."
        ),
        "parameters": [
            {"name": "thread_id", "in": "path", "required": True, "schema": {"type": "string"}},
            {
                "name": "name",
                "in": "query",
                "required": True,
                "schema": {"type": "string", "minLength": 1, "maxLength": UPLOAD_NAME_CHARACTERS_MAX},
            },
        ],
        "requestBody": {"required": True, "content": {OCTETS: {}}},
        "responses": {"201": {"description": "The upload", "content": {"application/json": {}}}},
    }
}
PART: dict[str, Any] = {
    "put": {
        "tags": ["files"],
        "summary": "Upload Part",
        "description": (
            "The body is one part of an upload that was begun: `part_bytes` long, the last one what is left. "
            "Parts may come in any order, and again."
        ),
        "parameters": [
            {"name": "upload_id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "number", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}},
        ],
        "requestBody": {"required": True, "content": {OCTETS: {}}},
        "responses": {"200": {"description": "What is there", "content": {"application/json": {}}}},
    }
}
OPENAPI: dict[str, Any] = {
    "/api/threads/{thread_id}/uploads": UPLOAD,
    "/api/uploads/{upload_id}/parts/{number}": PART,
}


def upload_to(method: str, path: str) -> str | None:
    """The id of the thread that a file is sent to, or None."""
    found = UPLOADS.fullmatch(path) if method == "POST" else None
    return found.group(1) if found else None


def part_of(method: str, path: str) -> tuple[str, int] | None:
    """The id of the upload and the number of the part that is sent, or None."""
    found = PARTS.fullmatch(path) if method == "PUT" else None
    return (found.group(1), int(found.group(2))) if found else None


async def take_upload(request: Any, env: Any, caller: Caller, thread_id: str, query: str) -> Any:
    """`request` is the JavaScript request, whose length was checked. Returns a JavaScript response."""
    try:
        owner = OwnerObject(env, caller)
        name = _name(query)
        reserved = await owner.call("new_upload", thread_id=thread_id)
        size = int(request.headers.get("content-length") or 0)
        await _store(owner.env.BUCKET, reserved["key"], request.body, size)
        media_type = clean_media_type(str(request.headers.get("content-type") or ""))
        about = {"name": name, "media_type": media_type, "size": size}
        made = await _added(owner, reserved, thread_id, about)
    except BerthError as error:
        return await refused(request, error)
    return _json(made, 201)


async def take_part(request: Any, env: Any, caller: Caller, upload_id: str, number: int) -> Any:
    """`request` is the JavaScript request; its bytes are counted here, whatever length it says."""
    try:
        owner = OwnerObject(env, caller)
        place = await owner.call("upload_part", id=upload_id, number=number)
        said = request.headers.get("content-length") or None
        if not request.body or said not in {None, str(place["size"])}:
            raise _wrong_size(place["size"])
        etag = await _store_part(owner.env.BUCKET, place, number, request.body)
        state = await owner.call("add_part", id=upload_id, number=number, etag=etag)
    except BerthError as error:
        return await refused(request, error)
    return _json(state, 200)


async def _added(owner: OwnerObject, reserved: Any, thread_id: str, about: dict[str, Any]) -> Any:
    """Note what was stored; where it has no place any more, nothing of it stays."""
    try:
        return await owner.call("add_upload", **reserved, thread_id=thread_id, **about)
    except BerthError as error:
        if error.code in {ErrorCode.NOT_FOUND, ErrorCode.BEING_DELETED}:
            await owner.env.BUCKET.delete(reserved["key"])
        raise


def _json(fields: Any, status: int) -> Any:
    headers = {"content-type": "application/json", "cache-control": "no-store"}
    return js.Response.new(json.dumps(fields), js_object({"status": status, "headers": headers}))


def _name(query: str) -> str:
    name = str(js.URLSearchParams.new(query).get("name") or "")
    if not 0 < len(name) <= UPLOAD_NAME_CHARACTERS_MAX:
        raise because(ErrorCode.INVALID_REQUEST, "upload_name")
    return name


async def _store(bucket: Any, key: str, body: Any, size: int) -> None:
    if not body or size == 0:
        await bucket.put(key, "")
        return
    fixed = js.FixedLengthStream.new(size)
    try:
        await asyncio.gather(body.pipeTo(fixed.writable), bucket.put(key, fixed.readable))
    except JsException as error:
        raise because(ErrorCode.INVALID_REQUEST, "file_not_whole") from error


async def _store_part(bucket: Any, place: Any, number: int, body: Any) -> str:
    """Stream one part to R2 and return R2's tag for it; a body of another length stores nothing."""
    fixed = js.FixedLengthStream.new(place["size"])
    upload = bucket.resumeMultipartUpload(place["key"], place["multipart_id"])
    piped: Any
    stored: Any
    piped, stored = await asyncio.gather(
        body.pipeTo(fixed.writable), upload.uploadPart(number, fixed.readable), return_exceptions=True
    )
    for error in (piped, stored):
        if isinstance(error, JsException):
            # The stream that counts says so itself: too many bytes, or not all of them.
            raise _wrong_size(place["size"]) if COUNTING in str(error) else store_error(error) from error
    return str(stored.etag)


def _wrong_size(size: int) -> BerthError:
    return because(ErrorCode.INVALID_REQUEST, "part_size", size=size)
