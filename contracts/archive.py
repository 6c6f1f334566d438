"""The archive of everything that an owner has, as its person is told of it."""

from enum import StrEnum

from contracts.records import Record


class ArchiveState(StrEnum):
    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


class Archive(Record):
    """`made` of `files` are in it so far; `missing` were gone when it came to them, `left_out` were too many.

    `size` is that of the file to download, known once it is ready; `until_ms` is when it is removed.
    """

    state: ArchiveState = ArchiveState.NONE
    id: str = ""
    created_ms: int | None = None
    until_ms: int | None = None
    files: int = 0
    made: int = 0
    missing: int = 0
    left_out: int = 0
    size: int | None = None
