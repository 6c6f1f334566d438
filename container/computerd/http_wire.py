"""HTTP/1.1 as bytes: request heads in, response heads and chunks out. No I/O.

Strict where two readers could disagree about where a request ends: one framing only, no folded
lines, no blanks before a colon, decimal lengths. What is not understood closes the connection.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from . import limits
from .errors import InvalidRequest, MalformedHttp

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TARGET = re.compile(rb"/[!-~]*")
_VALUE = re.compile(rb"[\t -~\x80-\xff]*")
_LENGTH = re.compile(rb"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?")

REASONS = {
    100: "Continue",
    200: "OK",
    202: "Accepted",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    500: "Internal Server Error",
    503: "Service Unavailable",
    507: "Insufficient Storage",
}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
END = b"0\r\n\r\n"
LAST_CHUNK = b"\r\n" + END


class Head(NamedTuple):
    """The head of a request."""

    method: str
    path: bytes
    """Still percent-encoded, as is the query."""
    query: bytes
    headers: Mapping[str, bytes]
    keep_alive: bool
    chunked_ok: bool
    """False for HTTP/1.0, whose clients know no chunks."""
    length: int | None
    """Length of the body; None when it comes in chunks."""


def parse_head(data: bytes) -> Head:
    """Parse everything before the blank line."""
    request_line, *lines = data.split(b"\r\n")
    words = request_line.split(b" ")
    if len(words) != 3 or not _TOKEN.fullmatch(words[0]) or not _TARGET.fullmatch(words[1]):
        raise MalformedHttp(f"not a request line: {request_line[:80]!r}")
    if words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise MalformedHttp(f"not a version of HTTP spoken here: {words[2][:20]!r}")
    headers = _headers(lines)
    path, _, query = words[1].partition(b"?")
    modern = words[2] == b"HTTP/1.1"
    connection = headers.get("connection", b"").lower()
    keep_alive = b"close" not in connection if modern else b"keep-alive" in connection
    length = _body_length(headers, modern)
    return Head(words[0].decode(), path, query, headers, keep_alive, modern, length)


def _headers(lines: list[bytes]) -> dict[str, bytes]:
    if len(lines) > limits.HEADERS:
        raise MalformedHttp(f"more than {limits.HEADERS} headers")
    headers: dict[str, bytes] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        value = value.strip(b" \t")
        if not colon or not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise MalformedHttp(f"not a header: {line[:80]!r}")
        key = name.decode().lower()
        if key in headers and key in ("content-length", "transfer-encoding", "host"):
            raise MalformedHttp(f"{key} is there twice")
        headers[key] = value
    return headers


def _body_length(headers: Mapping[str, bytes], modern: bool) -> int | None:
    length = headers.get("content-length")
    coding = headers.get("transfer-encoding")
    if coding is not None:
        if length is not None or not modern or coding.lower() != b"chunked":
            raise MalformedHttp("transfer-encoding may only be chunked, without content-length")
        return None
    if length is None:
        return 0
    if not _LENGTH.fullmatch(length):
        raise MalformedHttp(f"not a length: {length[:40]!r}")
    return int(length)


def parse_chunk_size(line: bytes) -> int:
    match = _CHUNK_SIZE.fullmatch(line)
    if not match:
        raise MalformedHttp(f"not a chunk size: {line[:40]!r}")
    return int(match[1], 16)


def response_head(status: int, fields: Mapping[str, str | int]) -> bytes:
    lines = [f"HTTP/1.1 {status} {REASONS[status]}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def chunk(data: bytes, before: bytes = b"", last: bool = False) -> bytes:
    """One chunk of a body, after what goes before it and with the end if it is the last."""
    return b"".join([before, b"%x\r\n" % len(data), data, LAST_CHUNK if last else b"\r\n"])


def unquote(data: bytes, plus: bool = False) -> str:
    """Percent-decode; bytes that are no UTF-8 keep their value as lone surrogates."""
    if plus:
        data = data.replace(b"+", b" ")
    first, *rest = data.split(b"%")
    parts = [first]
    for part in rest:
        try:
            parts += [bytes.fromhex(part[:2].decode("ascii")), part[2:]]
        except ValueError as error:
            raise InvalidRequest("A percent sign is not followed by two hex digits.") from error
        if len(part) < 2 or part[:2].strip() != part[:2]:
            raise InvalidRequest("A percent sign is not followed by two hex digits.")
    return b"".join(parts).decode("utf-8", "surrogateescape")


def quote(text: str) -> str:
    """Percent-encode all but letters, digits and `._-~`."""
    data = text.encode("utf-8", "surrogateescape")
    return "".join(chr(b) if (chr(b).isalnum() and b < 128) or b in b"._-~" else f"%{b:02X}" for b in data)


def parse_query(query: bytes) -> dict[str, str]:
    """The last value of each name."""
    pairs = (part.partition(b"=") for part in query.split(b"&") if part)
    return {unquote(name, plus=True): unquote(value, plus=True) for name, _, value in pairs}
