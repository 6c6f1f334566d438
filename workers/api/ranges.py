"""Which bytes of a stored file a request wants: ranges and conditions of RFC 9110.

The files never change. One range is served; what is no range, and several at once, are answered with the
whole file, as the RFC allows.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """Bytes `start` up to `end`, which is not part of it any more."""

    start: int
    end: int

    def content_range(self, size: int) -> str:
        return f"bytes {self.start}-{self.end - 1}/{size}"


Wanted = Part | Literal["whole", "known", "beyond"]
"""`known`: the client has it (304); `beyond`: there are no such bytes (416)."""


def wanted(headers: Mapping[str, str], size: int, etag: str) -> Wanted:
    # `*` is any content at all, and there is some.
    if {etag, "*"} & set(_tags(headers.get("if-none-match", ""))):
        return "known"
    found = RANGE.fullmatch(headers.get("range", "").replace(" ", ""))
    if_range = headers.get("if-range")
    if found is None or (if_range is not None and if_range != etag):
        return "whole"
    first, last = found.groups()
    if not first:
        return _suffix(last, size)
    start = int(first)
    if last and int(last) < start:
        return "whole"
    if start >= size:
        return "beyond"
    return Part(start, min(int(last) + 1, size) if last else size)


def _suffix(last: str, size: int) -> Wanted:
    if not last:
        return "whole"
    length = min(int(last), size)
    return Part(size - length, size) if length else "beyond"


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]
