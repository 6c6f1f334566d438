"""Moving files between the computer and R2 as streams: uploads in, artifacts out.

Sizes, types and names come from an untrusted machine: the length is fixed before the first byte,
the hash is taken here, and the type must be one of a short list.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import js
from pyodide.ffi import JsException

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ARTIFACT_BYTES_MAX, MIB
from contracts.reasons import because
from contracts.records import Picture
from durable_objects.bot_computer import answers
from durable_objects.bot_computer.cloudflare import ComputerdWire
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.output import valid_text
from durable_objects.shared.js import is_missing, js_object, pour

log = logging.getLogger(__name__)

T = TypeVar("T")

# For the largest file that is moved, with patience.
STORE_SECONDS = 120.0
WORKSPACE = "/workspace/"
OCTETS = "application/octet-stream"
MEDIA_TYPES = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/svg+xml",
        "text/csv",
        "text/tab-separated-values",
        "text/markdown",
        "text/plain",
        "text/html",
        "application/json",
        "application/pdf",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/zip",
        "application/gzip",
    }
)


async def export(wire: ComputerdWire, bucket: Any, path: str, key: str) -> dict[str, Any]:
    """Copy a file of the computer to R2; returns {name, media_type, size, sha256}.

    Raises `artifact_too_large`, and what the computer says of the path.
    """
    response = await wire.fetch(
        "GET", f"/files/content?path={quote(path, safe='', errors='surrogateescape')}"
    )
    try:
        size = _length(response.headers.get("content-length") or None)
    except BerthError:
        await response.body.cancel()
        raise
    media_type = response.headers.get("x-berth-media-type")
    copying = _put(bucket, key, response, size)
    digest = await _moved(copying, "export_broke")
    return {
        "name": valid_text(unquote(response.headers.get("x-berth-name") or "", errors="replace")),
        "media_type": media_type if media_type in MEDIA_TYPES else OCTETS,
        "size": size,
        "sha256": digest,
    }


async def download(wire: ComputerdWire, what: str, path: str) -> Any:
    """The JavaScript response with a file's bytes (`/content`) or a folder's zip (`/archive`), streamed."""
    wanted = quote(path, safe="", errors="surrogateescape")
    response = await wire.fetch("GET", f"/files{what}?path={wanted}")
    headers = {"x-berth-name": (response.headers.get("x-berth-name") or "")[:2_000]}
    return js.Response.new(response.body, js_object({"headers": headers}))


async def look(
    wire: ComputerdWire, bucket: Any, path: str, key: str, about: Mapping[str, Any]
) -> tuple[Picture, str]:
    """Copy a picture, made small enough for a model, to R2; returns it and what is told of it."""
    response = await wire.fetch(
        "GET", f"/files/picture?path={quote(path, safe='', errors='surrogateescape')}"
    )
    said = unquote(response.headers.get("x-berth-picture") or "", errors="replace")
    try:
        size = _length(response.headers.get("content-length") or None)
        shown, told = answers.picture(about, said, size)
    except (BerthError, UnreachableError):
        await response.body.cancel()
        raise
    await _moved(_put(bucket, key, response, size), "picture_not_kept")
    return shown, told


async def _moved(work: Awaitable[T], reason: str) -> T:
    """What R2 answers. Raises `computer_unavailable` for this reason where it fails or takes too long."""
    try:
        async with asyncio.timeout(STORE_SECONDS):
            return await work
    except (JsException, TimeoutError) as error:
        log.warning("R2: %r", error)
        raise because(ErrorCode.COMPUTER_UNAVAILABLE, reason) from error


def _length(header: str | None) -> int:
    if header is None or not header.isdecimal():
        raise because(ErrorCode.COMPUTER_UNAVAILABLE, "length_unknown")
    size = int(header)
    if size > ARTIFACT_BYTES_MAX:
        raise because(
            ErrorCode.ARTIFACT_TOO_LARGE,
            "export_too_large",
            size=f"{size / MIB:.1f}",
            most=ARTIFACT_BYTES_MAX // MIB,
        )
    return size


async def _put(bucket: Any, key: str, response: Any, size: int) -> str:
    """Stream to R2 and return the SHA-256 in hex; a body of another length is an error and stores nothing."""
    if size == 0:
        await response.arrayBuffer()
        await bucket.put(key, "")
        return hashlib.sha256().hexdigest()
    digest = js.crypto.DigestStream.new("SHA-256")
    fixed = js.FixedLengthStream.new(size)
    await asyncio.gather(pour(response.body, digest, fixed.writable), bucket.put(key, fixed.readable))
    return bytes((await digest.digest).to_py()).hex()


async def deliver(wire: ComputerdWire, bucket: Any, upload: Mapping[str, Any]) -> str | None:
    """Put an upload into the workspace and return its path; None where its bytes are gone."""
    stored = await _moved(bucket.get(upload["key"]), "attached_unread")
    if is_missing(stored):
        return None
    target = quote(f"uploads/{upload['name']}", safe="")
    response = await wire.fetch(
        "PUT", f"/files/content?path={target}&exclusive=1&id={upload['id']}", stored.body
    )
    path = valid_text(str((await response.json()).path))[:4096]
    return path if path.startswith(WORKSPACE) else WORKSPACE + path
