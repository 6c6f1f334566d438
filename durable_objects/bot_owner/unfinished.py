"""Uploads that come in parts: begun, continued after any pause, then finished into an upload or given up.

The bytes of a part go from the Worker to R2; here is which of them are there. An unfinished upload ends by
its time. Giving it up sets that time to now, so that one sweep tidies up after both, also after a crash.
"""

import logging
from collections.abc import Callable
from typing import Any, Protocol

from contracts.api import UploadBegin
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    MIB,
    UNFINISHED_UPLOAD_SECONDS,
    UNFINISHED_UPLOADS_MAX,
    UPLOAD_BYTES_MAX,
    UPLOAD_PART_BYTES,
)
from contracts.reasons import because
from contracts.records import UnfinishedUpload, Upload
from durable_objects.bot_owner.files import FileShelf, clean_media_type, clean_name
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

# How soon a sweep that R2 did not answer is tried again.
SWEEP_AGAIN_MS = 60_000


class Multipart(Protocol):
    """R2's multipart uploads; raises BerthError where R2 does not answer, or does not know the upload."""

    async def begin(self, key: str) -> str: ...

    async def complete(self, key: str, multipart_id: str, parts: list[tuple[int, str]]) -> int | None:
        """Return the size of the object, also where it was completed before; None where a part is not
        the one that R2 has."""
        ...

    async def abort(self, key: str, multipart_id: str) -> None:
        """Remove its parts, or the object where it was completed meanwhile."""
        ...


class UnfinishedUploads:
    def __init__(
        self, context: Context, files: FileShelf, multipart: Multipart, ring_by: Callable[[int], None]
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._files = files
        self._multipart = multipart
        self._ring_by = ring_by

    async def begin(self, thread_id: str, wanted: UploadBegin) -> UnfinishedUpload:
        _check_size(wanted.size)
        # Counted and written down before anything is waited for, so that two at once do not both fit.
        if self._count() >= UNFINISHED_UPLOADS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "uploads_many", most=UNFINISHED_UPLOADS_MAX)
        upload_id, key = self._files.new_upload_key()
        self._sql.run(
            "INSERT INTO unfinished_uploads (id, thread_id, name, media_type, size, key, until_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            upload_id,
            thread_id,
            clean_name(wanted.name),
            clean_media_type(wanted.media_type),
            wanted.size,
            key,
            self._context.now_ms() + UNFINISHED_UPLOAD_SECONDS * 1000,
        )
        self._remind()
        try:
            multipart_id = await self._multipart.begin(key)
        except BerthError:
            self._forget(upload_id)
            raise
        self._sql.run("UPDATE unfinished_uploads SET multipart_id = ? WHERE id = ?", multipart_id, upload_id)
        return self.state(upload_id)

    def state(self, upload_id: str) -> UnfinishedUpload:
        row = self._row(upload_id)
        return UnfinishedUpload(
            part_bytes=UPLOAD_PART_BYTES,
            parts=[number for number, _etag in self._parts(upload_id)],
            **{name: row[name] for name in ("id", "name", "media_type", "size", "until_ms")},
        )

    def part(self, upload_id: str, number: int) -> dict[str, Any]:
        """Where the bytes of a part go, and how many they have to be."""
        row = self._row(upload_id)
        count = part_count(row["size"])
        if not 1 <= number <= count:
            raise because(ErrorCode.INVALID_REQUEST, "upload_parts", most=count, given=number)
        last = row["size"] - (count - 1) * UPLOAD_PART_BYTES
        size = UPLOAD_PART_BYTES if number < count else last
        return {"key": row["key"], "multipart_id": row["multipart_id"], "size": size}

    def add_part(self, upload_id: str, number: int, etag: str) -> UnfinishedUpload:
        """Note a part that R2 has; one that is sent again takes the place of the first."""
        self._row(upload_id)
        self._sql.run(
            "INSERT OR REPLACE INTO upload_parts (upload_id, number, etag) VALUES (?, ?, ?)",
            upload_id,
            number,
            etag,
        )
        return self.state(upload_id)

    async def finish(self, upload_id: str) -> Upload:
        """Make it an upload. Again, it answers with the same one."""
        if known := self._files.upload(upload_id):
            return known
        row = self._row(upload_id)
        parts = self._parts(upload_id)
        missing = sorted(set(range(1, part_count(row["size"]) + 1)) - {number for number, _etag in parts})
        if missing:
            raise _incomplete("upload_incomplete", missing)
        size = await self._multipart.complete(row["key"], row["multipart_id"], parts)
        if size is None:
            # A part that came twice at once was stored in one order and noted in the other.
            self._sql.run("DELETE FROM upload_parts WHERE upload_id = ?", upload_id)
            raise _incomplete("upload_unfit", [n for n, _ in parts])
        return self._sql.transaction(lambda: self._finished(upload_id, size))

    def _finished(self, upload_id: str, size: int) -> Upload:
        if known := self._files.upload(upload_id):
            return known
        # Given up while R2 put it together: the row is not there any more, and the sweep takes the object.
        row = self._row(upload_id)
        about = (row["key"], row["thread_id"], row["name"], row["media_type"])
        made = self._files.add_upload(upload_id, *about, size)
        self._forget(upload_id)
        return made

    async def give_up(self, upload_id: str) -> None:
        self._row(upload_id)
        self._sql.run("UPDATE unfinished_uploads SET until_ms = 0 WHERE id = ?", upload_id)
        await self.sweep()

    async def give_up_thread(self, thread_id: str) -> None:
        self._sql.run("UPDATE unfinished_uploads SET until_ms = 0 WHERE thread_id = ?", thread_id)
        await self.sweep()

    async def give_up_all(self) -> None:
        """Raises where R2 did not answer for one of them."""
        self._sql.run("UPDATE unfinished_uploads SET until_ms = 0")
        await self.sweep()
        if self._count():
            raise because(ErrorCode.INTERNAL, "uploads_not_removed")

    async def sweep(self) -> None:
        """Abort in R2 what has ended; what R2 does not answer for stays until the next sweep."""
        ended = self._sql.execute(
            "SELECT * FROM unfinished_uploads WHERE until_ms <= ?", self._context.now_ms()
        )
        for row in ended:
            try:
                await self._multipart.abort(row["key"], row["multipart_id"])
            except BerthError as error:
                log.warning("an unfinished upload could not be removed: %s", error)
            else:
                self._forget(row["id"])
        self._remind()

    def _remind(self) -> None:
        """See that the alarm rings when the next one ends.

        Not for an object that was only just made: that may be for this very alarm, and one that is set then
        takes its place.
        """
        until = self._sql.execute("SELECT MIN(until_ms) AS ms FROM unfinished_uploads")[0]["ms"]
        if until is not None:
            self._ring_by(max(until, self._context.now_ms() + SWEEP_AGAIN_MS))

    def _row(self, upload_id: str) -> Row:
        rows = self._sql.execute(
            "SELECT * FROM unfinished_uploads WHERE id = ? AND until_ms > ? AND multipart_id <> ''",
            upload_id,
            self._context.now_ms(),
        )
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "upload_gone")
        return rows[0]

    def _parts(self, upload_id: str) -> list[tuple[int, str]]:
        rows = self._sql.execute(
            "SELECT number, etag FROM upload_parts WHERE upload_id = ? ORDER BY number", upload_id
        )
        return [(row["number"], row["etag"]) for row in rows]

    def _count(self) -> int:
        return int(self._sql.execute("SELECT COUNT(*) AS n FROM unfinished_uploads")[0]["n"])

    def _forget(self, upload_id: str) -> None:
        self._sql.run("DELETE FROM upload_parts WHERE upload_id = ?", upload_id)
        self._sql.run("DELETE FROM unfinished_uploads WHERE id = ?", upload_id)


def part_count(size: int) -> int:
    return -(-size // UPLOAD_PART_BYTES)


def _check_size(size: int) -> None:
    if size > UPLOAD_BYTES_MAX:
        raise because(
            ErrorCode.UPLOAD_TOO_LARGE,
            "upload_too_large",
            size=f"{size / MIB:.1f}",
            most=UPLOAD_BYTES_MAX // MIB,
        )
    if size <= UPLOAD_PART_BYTES:
        raise because(ErrorCode.INVALID_REQUEST, "upload_whole", most=UPLOAD_PART_BYTES // MIB)


def _incomplete(reason: str, missing: list[int]) -> BerthError:
    return because(ErrorCode.INVALID_REQUEST, reason, details={"missing": missing})
