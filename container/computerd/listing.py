"""What is in a folder: sorted, a page at a time, nothing opened and no link followed."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from . import limits


class Entry(NamedTuple):
    name: str
    kind: str
    """`file`, `folder`, `link` or `other`."""
    size: int
    modified_ms: int


def entries(folder: int) -> tuple[list[Entry], bool]:
    """Everything in an open folder, and whether there is more than is looked at."""
    found: list[Entry] = []
    with os.scandir(folder) as names:
        for entry in names:
            if len(found) >= limits.LIST_ENTRIES:
                return found, True
            try:
                state = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                # Gone since the folder was read.
                continue
            found.append(
                Entry(entry.name, _kind(state.st_mode), state.st_size, state.st_mtime_ns // 1_000_000)
            )
    return found, False


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "other"


def ordered(found: list[Entry], sort: str, descending: bool) -> list[Entry]:
    """Folders first; equal ones by name."""
    found = sorted(found, key=lambda entry: (entry.name.casefold(), entry.name))
    if sort == "size":
        found.sort(key=lambda entry: entry.size, reverse=descending)
    elif sort == "time":
        found.sort(key=lambda entry: entry.modified_ms, reverse=descending)
    elif descending:
        found.reverse()
    return sorted(found, key=lambda entry: entry.kind != "folder")
