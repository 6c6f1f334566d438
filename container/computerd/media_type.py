"""What kind of file some bytes are, from a short list; anything else is a stream of octets.

The first bytes decide. A name decides only between kinds of text, because text has no marks of
its own. The answer is for showing a file to a person, never for trusting it.
"""

from __future__ import annotations

from .text import incomplete_tail

SNIFF_BYTES = 4096
UNKNOWN = "application/octet-stream"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"\x7fELF", "application/x-executable"),
)
_ZIPPED = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_TEXT = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
}


def sniff(name: str, head: bytes) -> str:
    """The media type of a file with this name that begins with these bytes."""
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    for magic, media_type in _MAGIC:
        if head.startswith(magic):
            return media_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head.startswith(b"PK\x03\x04"):
        return _sniff_zip(extension, head)
    if not is_text(head):
        return UNKNOWN
    if is_svg(head):
        return "image/svg+xml"
    return _TEXT.get(extension, "text/plain")


def _sniff_zip(extension: str, head: bytes) -> str:
    """An OpenDocument says what it is in its first entry; for the others only the name does."""
    if head[30:38] == b"mimetype" and head[38:].startswith(_OPEN_DOCUMENT.encode()):
        return _OPEN_DOCUMENT
    return _ZIPPED.get(extension, "application/zip")


def is_text_type(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type in ("application/json", "image/svg+xml")


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file can be UTF-8 text; the last character may be cut."""
    if b"\0" in head:
        return False
    try:
        head[: len(head) - incomplete_tail(head)].decode()
    except UnicodeDecodeError:
        return False
    return True


def is_svg(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!--")) and b"<svg" in start)
