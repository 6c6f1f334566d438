"""Request bodies, checked once: what comes out of here is valid, or a refusal was raised."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from . import http_wire, limits
from .commands import Order
from .errors import InvalidRequest, TooLarge

if TYPE_CHECKING:
    from .http_wire import Head

_LINE_MAX = 10**12
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ReadOrder(NamedTuple):
    """Which lines of which file."""

    path: str
    first: int
    lines: int


class Place(NamedTuple):
    """From where on a reader wants the output; of what is there already, the last `tail` bytes at most."""

    offset: int
    tail: int | None


class EditOrder(NamedTuple):
    """Which text of which file becomes which."""

    path: str
    old: str
    new: str
    id: str


class BackupOrder(NamedTuple):
    """Which backup the new one follows, and whether this computer woke with just that."""

    previous: str | None
    tree_known: bool


def parse_order(body: bytes) -> Order:
    """Check everything about a command before anything happens."""
    value = _object(body)
    identifier, script = value.get("id"), value.get("command")
    timeout_s = value.get("timeout_s", limits.TIMEOUT_DEFAULT_S)
    if not isinstance(identifier, str):
        raise InvalidRequest("`id` must be a string.")
    if not isinstance(script, str) or "\0" in script:
        raise InvalidRequest("`command` must be a string without NUL characters.")
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float):
        raise InvalidRequest("`timeout_s` must be a number.")
    if not 1 <= timeout_s <= limits.TIMEOUT_MAX_S:
        raise InvalidRequest(f"`timeout_s` must lie between 1 and {limits.TIMEOUT_MAX_S:.0f}.")
    try:
        data = script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidRequest("`command` holds half of a surrogate pair.") from error
    if len(data) > limits.COMMAND_BYTES:
        raise TooLarge(
            f"A command may have {limits.COMMAND_BYTES:,} bytes, not {len(data):,}.",
            reason="command_too_long",
            most=limits.COMMAND_BYTES,
            size=len(data),
        )
    return Order(identifier, data, float(timeout_s))


def parse_read(body: bytes) -> ReadOrder:
    value = _object(body)
    return ReadOrder(
        _path(value),
        _number(value, "offset", 1, _LINE_MAX),
        _number(value, "limit", limits.READ_LINES, limits.READ_LINES),
    )


def parse_edit(body: bytes) -> EditOrder:
    value = _object(body)
    old, new = value.get("oldText"), value.get("newText")
    if not isinstance(old, str) or not isinstance(new, str):
        raise InvalidRequest("`oldText` and `newText` must be strings.")
    identifier = value.get("id", "")
    if not isinstance(identifier, str):
        raise InvalidRequest("`id` must be a string.")
    if not old:
        raise InvalidRequest("`oldText` is empty. To write a new file use write_file.", reason="edit_empty")
    if old == new:
        raise InvalidRequest("`oldText` and `newText` are the same.", reason="edit_same")
    return EditOrder(_path(value), old, new, identifier)


def parse_move(body: bytes) -> tuple[str, str]:
    """From where, and to where."""
    value = _object(body)
    return _named(value, "path"), _named(value, "to")


def parse_remove(body: bytes) -> str:
    return _named(_object(body), "path")


def parse_backup(body: bytes) -> BackupOrder:
    value = _object(body)
    previous, tree_known = value.get("previous"), value.get("tree_known", False)
    if not isinstance(tree_known, bool):
        raise InvalidRequest("`tree_known` must be true or false.")
    return BackupOrder(None if previous is None else _sha256(previous, "previous"), tree_known)


def parse_restore(body: bytes) -> str:
    """The SHA-256 of a manifest."""
    return _sha256(_object(body).get("manifest"), "manifest")


def parse_piece(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise InvalidRequest("A piece is named by its number.")
    return int(text)


def parse_place(head: Head) -> Place:
    query = http_wire.parse_query(head.query)
    tail = query.get("tail")
    return Place(_bytes(query.get("offset", "0"), "offset"), None if tail is None else _bytes(tail, "tail"))


def _bytes(text: str, name: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 15:
        raise InvalidRequest(f"`{name}` must be a number of bytes.")
    return int(text)


def _number(value: dict[str, object], name: str, default: int, most: int) -> int:
    number = value.get(name)
    if number is None:
        return default
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
        raise InvalidRequest(f"`{name}` must be a whole number from 1 to {most:,}.")
    return number


def _sha256(value: object, name: str) -> str:
    if not isinstance(value, str) or not _SHA256.fullmatch(value):
        raise InvalidRequest(f"`{name}` must be a SHA-256 in 64 hexadecimal digits.")
    return value


def _named(value: dict[str, object], name: str) -> str:
    path = value.get(name)
    if not isinstance(path, str) or not path or "\0" in path:
        raise InvalidRequest(f"`{name}` must be a path without NUL characters.")
    return path


def _path(value: dict[str, object]) -> str:
    path = value.get("path")
    if not isinstance(path, str) or not path:
        raise InvalidRequest("`path` must be a string that is not empty.")
    return path


def _object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The body is not JSON.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The body is not a JSON object.")
    return value
