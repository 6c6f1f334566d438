"""Builds an owner's archive by the alarm, a file a step, and says what goes into the download.

A step writes the texts of one file to R2 and then its row: one that died before is done again and writes the
same keys. What is gone when its turn comes is missing, and the archive's own list says so. R2 that does not
answer is asked again a while later, `ARCHIVE_TRIES` times.
"""

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from contracts.archive import Archive, ArchiveState
from contracts.errors import BerthError, ErrorCode
from contracts.limits import ARCHIVE_DAYS, ARCHIVE_FILES_MAX, ARCHIVE_PIECE_BYTES, ARCHIVE_TRIES
from contracts.reasons import because
from durable_objects.bot_owner.archive.documents import Documents
from durable_objects.bot_owner.archive.plan import planned
from durable_objects.bot_owner.archive.tar import END, header, padding
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

AGAIN_MS = 10_000
DAY_MS = 24 * 3_600_000
# So that what is unpacked lies together.
FOLDER = "berth/"
LIST = "contents.json"


class Store(Protocol):
    """R2. Raises BerthError where it does not answer."""

    async def put(self, key: str, content: bytes) -> None: ...

    async def digest(self, key: str) -> tuple[int, str] | None:
        """(bytes, SHA-256 as hex) of an object, which is not held in memory; None where there is none."""
        ...

    async def clear(self, prefix: str) -> None:
        """Every object whose key begins so."""
        ...


@dataclass(frozen=True)
class Member:
    """A file of the download: what stands before it, the objects that are its bytes, and its padding."""

    head: bytes
    keys: tuple[str, ...]
    tail: bytes


class ArchiveBuilder:
    def __init__(
        self,
        context: Context,
        owner_id: str,
        documents: Documents,
        store: Store,
        ring_by: Callable[[int], None],
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id
        self._documents = documents
        self._store = store
        self._ring_by = ring_by

    def shown(self) -> Archive:
        row = self._row()
        if row is None:
            return Archive()
        counts = self._sql.execute(
            "SELECT COUNT(*) AS files, SUM(made) AS made, SUM(made AND size IS NULL) AS missing"
            " FROM archive_files"
        )[0]
        return Archive(
            state=ArchiveState(row["state"]),
            id=row["id"],
            created_ms=row["created_ms"],
            until_ms=row["until_ms"],
            files=counts["files"],
            made=counts["made"] or 0,
            missing=counts["missing"] or 0,
            left_out=row["left_out"],
            size=row["size"],
        )

    async def begin(self) -> Archive:
        """Plan one and have it built; one that is being built is joined, one that is ready is replaced."""
        row = self._row()
        if row is not None and row["state"] == ArchiveState.BUILDING:
            return self.shown()
        await self.remove()
        if self._row() is None:
            # Of two that asked at once, the other one has planned it.
            self._sql.transaction(self._plan)
        self._ring_by(self._context.now_ms())
        return self.shown()

    def _plan(self) -> None:
        now = self._context.now_ms()
        all_files = planned(self._sql, self._owner_id)
        for n, file in enumerate(islice(all_files, ARCHIVE_FILES_MAX)):
            self._sql.run(
                "INSERT INTO archive_files (n, name, kind, subject, stored) VALUES (?, ?, ?, ?, ?)",
                n,
                file.name,
                file.kind,
                file.subject,
                file.stored,
            )
        self._sql.run(
            "INSERT INTO archive (one, id, state, created_ms, until_ms, left_out) VALUES (1, ?, ?, ?, ?, ?)",
            self._context.new_id("arc"),
            ArchiveState.BUILDING,
            now,
            now + ARCHIVE_DAYS * DAY_MS,
            sum(1 for _ in all_files),
        )

    async def remove(self) -> None:
        """Forget the archive, and what was written for it. What it only names stays."""
        row = self._row()
        if row is None:
            return
        await self._store.clear(self._prefix(row))
        self._sql.transaction(lambda: self._forget(row["id"]))

    def _forget(self, archive_id: str) -> None:
        if self._sql.execute("DELETE FROM archive WHERE id = ? RETURNING id", archive_id):
            self._sql.run("DELETE FROM archive_files")

    async def sweep(self) -> None:
        """The alarm's part: build what is not built, remove what is too old."""
        row = self._row()
        if row is None:
            return
        if self._context.now_ms() >= row["until_ms"]:
            await self._tried(row, self.remove())
        elif row["state"] == ArchiveState.BUILDING:
            await self._tried(row, self._build(row))
        self.remind()

    def remind(self) -> None:
        """See that the alarm goes on with what is not built, or removes what is too old."""
        row = self._row()
        if row is not None:
            soon = self._context.now_ms() + AGAIN_MS * max(row["failures"], 1)
            building = row["state"] == ArchiveState.BUILDING
            self._ring_by(soon if building else max(row["until_ms"], soon))

    async def _tried(self, row: Row, work: Awaitable[None]) -> None:
        try:
            await work
        except BerthError as error:
            log.warning("an archive waits: %s", error)
            failures = row["failures"] + 1
            given_up = failures >= ARCHIVE_TRIES and row["state"] == ArchiveState.BUILDING
            state = ArchiveState.FAILED if given_up else row["state"]
            self._sql.run("UPDATE archive SET failures = ?, state = ?", failures, state)

    async def _build(self, row: Row) -> None:
        while files := self._sql.execute("SELECT * FROM archive_files WHERE made = 0 ORDER BY n LIMIT 1"):
            file = files[0]
            try:
                pieces, size, sha256 = await self._made(row, file)
            except BerthError as error:
                if error.code != ErrorCode.NOT_FOUND:
                    raise
                pieces, size, sha256 = 0, None, None
            if self._row() != row:
                # Another one was begun meanwhile, or none is wanted any more.
                await self._store.clear(self._prefix(row))
                return
            self._sql.run(
                "UPDATE archive_files SET made = 1, pieces = ?, size = ?, sha256 = ? WHERE n = ?",
                pieces,
                size,
                sha256,
                file["n"],
            )
        size = self._bytes() + sum(map(len, _fixed(self._members(row))))
        self._sql.run("UPDATE archive SET state = ?, failures = 0, size = ?", ArchiveState.READY, size)

    async def _made(self, row: Row, file: Row) -> tuple[int, int | None, str | None]:
        """(pieces, bytes, SHA-256) of one file."""
        if file["stored"]:
            found = await self._store.digest(file["stored"])
            return (0, *found) if found else (0, None, None)
        digest, pieces, size = hashlib.sha256(), 0, 0
        for piece in _cut(await self._documents.text(file["kind"], file["subject"])):
            await self._store.put(f"{self._prefix(row)}{file['n']}-{pieces}", piece)
            digest.update(piece)
            pieces, size = pieces + 1, size + len(piece)
        return pieces, size, digest.hexdigest()

    def download(self) -> tuple[int, Iterator[Member]]:
        """(bytes, the files in order) of the archive that is ready. Raises `not_found`."""
        row = self._row()
        ready = row is not None and row["state"] == ArchiveState.READY
        if row is None or not ready or self._context.now_ms() >= row["until_ms"]:
            raise because(ErrorCode.NOT_FOUND, "archive_gone")
        return row["size"], self._members(row)

    def _members(self, row: Row) -> Iterator[Member]:
        at_ms = row["created_ms"]
        contents = self._contents(row).encode()
        yield Member(header(f"{FOLDER}{LIST}", len(contents), at_ms) + contents, (), padding(len(contents)))
        for file in self._files():
            if file["size"] is not None:
                keys = (file["stored"],) if file["stored"] else tuple(_keys(self._prefix(row), file))
                yield Member(
                    header(f"{FOLDER}{file['name']}", file["size"], at_ms), keys, padding(file["size"])
                )
        yield Member(b"", (), END)

    def _contents(self, row: Row) -> str:
        """The archive's own list: each file with its hash, and what is not in it."""
        listed = [
            {"name": file["name"], "size": file["size"], "sha256": file["sha256"]}
            for file in self._files()
            if file["size"] is not None
        ]
        missing = [file["name"] for file in self._files() if file["size"] is None]
        about = {
            "format": "berth.archive",
            "version": 1,
            "owner": self._owner_id,
            "created_ms": row["created_ms"],
            "files": listed,
            "missing": missing,
            "left_out": row["left_out"],
            "not_here": ["the computer's own files: /api/files/archive", "keys and secrets"],
        }
        return json.dumps(about, ensure_ascii=False, indent=1) + "\n"

    def _bytes(self) -> int:
        return int(self._sql.execute("SELECT COALESCE(SUM(size), 0) AS n FROM archive_files")[0]["n"])

    def _prefix(self, row: Row) -> str:
        return f"owners/{self._owner_id}/archive/{row['id']}/"

    def _files(self) -> list[Row]:
        return self._sql.execute("SELECT * FROM archive_files ORDER BY n")

    def _row(self) -> Row | None:
        rows = self._sql.execute("SELECT * FROM archive")
        return rows[0] if rows else None


def _keys(prefix: str, file: Row) -> list[str]:
    return [f"{prefix}{file['n']}-{piece}" for piece in range(file["pieces"])]


def _fixed(members: Iterable[Member]) -> Iterator[bytes]:
    """What of a download is no file's bytes."""
    for member in members:
        yield member.head
        yield member.tail


def _cut(texts: Iterable[str]) -> Iterator[bytes]:
    """The texts as bytes, in pieces of `ARCHIVE_PIECE_BYTES` and a shorter last one; no text has none."""
    waiting = bytearray()
    for text in texts:
        waiting += text.encode("utf-8", "replace")
        while len(waiting) >= ARCHIVE_PIECE_BYTES:
            yield bytes(waiting[:ARCHIVE_PIECE_BYTES])
            del waiting[:ARCHIVE_PIECE_BYTES]
    if waiting:
        yield bytes(waiting)
