"""Reading what computerd says about files: JSON from an untrusted machine, checked once.

Whatever it says is cut to what we promise, so that a hostile computer can fill neither a row nor a screen.
"""

import json
from collections.abc import Mapping
from typing import Any

from contracts.limits import (
    DIFF_CHARACTERS,
    ENTRIES_A_PAGE,
    PATH_CHARACTERS_MAX,
    PICTURE_BYTES_MAX,
    READ_CHARACTERS,
    READ_LINE_CHARACTERS,
)
from contracts.records import FileChange, FolderEntry, Listing, Picture
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.output import valid_text

# 255 bytes, of which each may have to be told by three characters.
NAME_CHARACTERS_MAX = 765
ROW_BYTES = 1_800_000
PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def changed(answer: Mapping[str, Any]) -> tuple[FileChange, str]:
    """What a write or an edit did, and its diff."""
    diff = answer.get("diff")
    fields: Mapping[str, Any] = diff if isinstance(diff, dict) else {}
    created = answer.get("created") is True
    change = FileChange(
        path=text(answer, "path")[:PATH_CHARACTERS_MAX],
        size=number(answer, "size"),
        created=created,
        compared=created or bool(fields),
        added=number(fields, "added") if fields else 0,
        removed=number(fields, "removed") if fields else 0,
        cut=fields.get("cut") is True,
    )
    return change, text(fields, "text")[:DIFF_CHARACTERS] if fields else ""


def read(answer: Mapping[str, Any]) -> str:
    """What is told of a file that is no picture: the numbered lines of its text, if it has one."""
    kind = answer.get("kind")
    if kind == "binary":
        return _described(answer)
    lines, more = _bounded(text(answer, "text")), answer.get("more_from_line")
    notes = [f"(more from line {number(answer, 'more_from_line')})"] if more is not None else []
    if kind == "document":
        notes.append(f"(the text of {_media_type(answer)}, {number(answer, 'size'):,} bytes)")
    elif (encoding := text(answer, "encoding")[:20]) != "utf-8":
        notes.append(f"(the file's encoding is {encoding})")
    return "\n".join([lines.removesuffix("\n") if notes else lines, *notes])


def _bounded(lines: str) -> str:
    """What fits into a row, which holds 2 MB: computerd stops there by itself, an impostor does not."""
    lines = lines[: READ_CHARACTERS + READ_LINE_CHARACTERS + 100]
    return (
        lines if len(json.dumps(lines, ensure_ascii=False).encode()) < ROW_BYTES else lines[: ROW_BYTES // 6]
    )


def _described(answer: Mapping[str, Any]) -> str:
    sha256 = answer.get("sha256")
    said = f"This is no text: {_media_type(answer)}, {number(answer, 'size'):,} bytes"
    if isinstance(sha256, str):
        said += f", SHA-256 {valid_text(sha256)[:64]}"
    note = answer.get("note")
    return f"{said}. {valid_text(note)[:300]}" if isinstance(note, str) else f"{said}."


def _media_type(answer: Mapping[str, Any]) -> str:
    return text(answer, "media_type")[:100]


def picture(answer: Mapping[str, Any], said: str, size: int) -> tuple[Picture, str]:
    """A picture that was made for looking at, and what is told of it. `said` is JSON of the computer."""
    try:
        facts = json.loads(said)
    except ValueError as error:
        raise UnreachableError("the service did not say what the picture is") from error
    if (
        not isinstance(facts, dict)
        or facts.get("media_type") not in PICTURE_TYPES
        or size > PICTURE_BYTES_MAX
    ):
        raise UnreachableError("the service made too large a picture")
    width, height = number(facts, "width"), number(facts, "height")
    shown = Picture(
        media_type=facts["media_type"],
        width=number(facts, "shown_width"),
        height=number(facts, "shown_height"),
        size=size,
    )
    told = f"{_media_type(answer)}, {width} x {height} pixels, {number(answer, 'size'):,} bytes"
    same = (shown.width, shown.height) == (width, height)
    smaller = "" if same else f"; shown at {shown.width} x {shown.height}"
    return shown, f"A picture: {told}{smaller}."


def listing(answer: Mapping[str, Any], at_ms: int) -> Listing:
    """A page of a folder."""
    entries = answer.get("entries")
    if not isinstance(entries, list) or len(entries) > ENTRIES_A_PAGE:
        raise UnreachableError("the service did not list a folder")
    return Listing(
        path=text(answer, "path")[:PATH_CHARACTERS_MAX],
        entries=[_entry(entry) for entry in entries],
        total=number(answer, "total"),
        cut=answer.get("cut") is True,
        at_ms=at_ms,
        live=True,
    )


def _entry(entry: Any) -> FolderEntry:
    if not isinstance(entry, dict) or entry.get("kind") not in ("file", "folder", "link", "other"):
        raise UnreachableError("the service did not list a folder")
    modified = entry.get("modified_ms")
    return FolderEntry(
        name=_name(entry),
        kind=entry["kind"],
        size=number(entry, "size"),
        # A file may say that it is older than the epoch, or from the far future.
        modified_ms=max(0, min(modified, 2**52)) if isinstance(modified, int) else 0,
    )


def _name(entry: Mapping[str, Any]) -> str:
    """The computer tells bytes that are no characters as text; what it still says wrongly becomes U+FFFD."""
    name = entry.get("name")
    if not isinstance(name, str):
        raise UnreachableError("the service did not say name")
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")[:NAME_CHARACTERS_MAX]


def text(answer: Mapping[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str):
        raise UnreachableError(f"the service did not say {name}")
    return valid_text(value)


def number(answer: Mapping[str, Any], name: str) -> int:
    value = answer.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise UnreachableError(f"the service did not say {name}")
    return value
