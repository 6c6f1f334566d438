"""Uploads on their way into the computer and artifacts on their way out, as rows.

The bytes are in R2 under keys made here and never from a name. An upload waits until the computer
is next awake; an artifact is counted against its run when it is reserved, before any byte moves.
"""

import unicodedata
from collections.abc import Iterable
from urllib.parse import quote

from contracts.errors import ErrorCode
from contracts.limits import ARTIFACTS_A_RUN
from contracts.reasons import because
from contracts.records import Artifact, Upload
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

NAME_BYTES_MAX = 200
FALLBACK_NAME = "file"

OCTETS = "application/octet-stream"
HTML = "text/html"
PDF = "application/pdf"
PREVIEWABLE = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/svg+xml",
        "text/csv",
        "text/tab-separated-values",
        "text/plain",
        "text/markdown",
        HTML,
        "application/json",
        PDF,
    }
)
# A page of a null origin in which nothing runs and nothing is loaded from anywhere. Last stands who may frame
# it.
SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
# A browser shows no PDF in a sandbox; its viewer is one, and knows nothing of our origin.
VIEWER = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'self'"


def clean_name(name: str) -> str:
    """A file name for people and headers: the last component, no control or direction characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(
        c for c in last if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    )
    kept = kept.strip().lstrip(".") or FALLBACK_NAME
    while len(kept.encode()) > NAME_BYTES_MAX:
        stem, dot, ending = kept.rpartition(".")
        kept = stem[:-1] + dot + ending if dot and len(ending) <= 10 and stem else kept[:-1]
    return kept


def clean_media_type(said: str) -> str:
    """A media type as its sender said it, without parameters."""
    return said.partition(";")[0].strip().lower()[:100] or OCTETS


def content_disposition(name: str) -> str:
    """RFC 6266: an ASCII `filename` for old clients and the true one as RFC 5987 `filename*`."""
    ascii_name = "".join(c if c.isascii() and (c.isalnum() or c in " ._-()") else "_" for c in name)
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"


def served_headers(
    name: str, media_type: str, etag: str, *, shown: bool, parents: Iterable[str] = ()
) -> dict[str, str]:
    """What every file is served with; `shown` for a preview, which is only for types of the short list.

    `parents` are the origins whose pages may frame a view of Berth. A page that is shown stands in a frame of
    that view: it is asked about all that are around it, and a view demands of it what it says itself.
    """
    disposition = content_disposition(name)
    policy, framed = (VIEWER if shown and media_type == PDF else SANDBOX), {}
    if shown and media_type == HTML:
        policy = " ".join((SANDBOX, *parents))
        framed = {"cross-origin-embedder-policy": "require-corp"}
    return {
        **framed,
        "content-disposition": "inline" + disposition.removeprefix("attachment") if shown else disposition,
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, no-cache",
        "accept-ranges": "bytes",
        "etag": etag,
    }


class FileShelf:
    def __init__(self, context: Context, owner_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id

    def new_upload_key(self) -> tuple[str, str]:
        """(upload id, R2 key) for bytes that are about to come."""
        upload_id = self._context.new_id("upl")
        return upload_id, f"owners/{self._owner_id}/uploads/{upload_id}"

    def add_upload(
        self, upload_id: str, key: str, thread_id: str, name: str, media_type: str, size: int
    ) -> Upload:
        self._sql.run(
            "INSERT INTO uploads (id, thread_id, name, media_type, size, key, created_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            upload_id,
            thread_id,
            clean_name(name),
            media_type,
            size,
            key,
            self._context.now_ms(),
        )
        return _upload(self._sql.execute("SELECT * FROM uploads WHERE id = ?", upload_id)[0])

    def take(self, thread_id: str, upload_ids: list[str]) -> list[Upload]:
        """Mark uploads as sent with a message; each belongs to its thread and is sent once."""
        taken = []
        for upload_id in dict.fromkeys(upload_ids):
            rows = self._sql.execute(
                "UPDATE uploads SET sent = 1 WHERE id = ? AND thread_id = ? AND sent = 0 RETURNING *",
                upload_id,
                thread_id,
            )
            if not rows:
                raise because(ErrorCode.NOT_FOUND, "attached_gone")
            taken.append(_upload(rows[0]))
        return taken

    def waiting(self) -> list[Row]:
        """Sent uploads that the computer does not have yet, oldest first."""
        return self._sql.execute(
            "SELECT * FROM uploads WHERE sent = 1 AND path IS NULL ORDER BY created_ms, id"
        )

    def delivered(self, upload_id: str, path: str, at_ms: int) -> Upload:
        rows = self._sql.execute(
            "UPDATE uploads SET path = ?, delivered_ms = ? WHERE id = ? RETURNING *", path, at_ms, upload_id
        )
        return _upload(rows[0])

    def lost(self, saved_ms: int, lost_ms: int) -> None:
        """The computer lost what came in between: those uploads wait for it again."""
        self._sql.run(
            "UPDATE uploads SET path = NULL WHERE delivered_ms >= ? AND delivered_ms <= ?", saved_ms, lost_ms
        )

    def artifact_key(self, run_id: str, artifact_id: str) -> str:
        """The R2 key for a new artifact of a run. Raises `artifact_limit` when the run has its ten."""
        count = self._sql.execute("SELECT COUNT(*) AS n FROM artifacts WHERE run_id = ?", run_id)[0]["n"]
        if count >= ARTIFACTS_A_RUN:
            raise because(ErrorCode.ARTIFACT_LIMIT, "artifacts_many", most=ARTIFACTS_A_RUN)
        return f"owners/{self._owner_id}/artifacts/{artifact_id}"

    def picture_key(self, call_id: str) -> str:
        """The R2 key of the picture that a call showed."""
        return f"owners/{self._owner_id}/pictures/{call_id}"

    def add_artifact(self, artifact: Artifact, key: str) -> None:
        fields = artifact.model_dump()
        self._sql.run(
            "INSERT OR IGNORE INTO artifacts (id, thread_id, run_id, tool_call_id, name, media_type, size,"
            " sha256, created_ms, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *fields.values(),
            key,
        )

    def upload(self, upload_id: str) -> Upload | None:
        rows = self._sql.execute("SELECT * FROM uploads WHERE id = ?", upload_id)
        return _upload(rows[0]) if rows else None

    def upload_row(self, upload_id: str) -> Row:
        return _only(self._sql.execute("SELECT * FROM uploads WHERE id = ?", upload_id))

    def artifact_row(self, artifact_id: str) -> Row:
        return _only(self._sql.execute("SELECT * FROM artifacts WHERE id = ? AND deleted = 0", artifact_id))

    def artifacts(self, before: str | None, limit: int) -> tuple[list[Artifact], bool]:
        """A page of all threads' artifacts, newest first, and whether there are older ones."""
        place: Row = {"created_ms": 10**15, "id": ""}
        if before:
            # It may have been deleted since its page was shown.
            place = _only(self._sql.execute("SELECT * FROM artifacts WHERE id = ?", before))
        rows = self._sql.execute(
            "SELECT * FROM artifacts WHERE deleted = 0 AND (created_ms, id) < (?, ?)"
            " AND thread_id NOT IN (SELECT id FROM threads WHERE deleted = 1)"
            " ORDER BY created_ms DESC, id DESC LIMIT ?",
            place["created_ms"],
            place["id"],
            limit + 1,
        )
        return [artifact_record(row) for row in rows[:limit]], len(rows) > limit

    def rename_artifact(self, artifact_id: str, name: str) -> Artifact:
        self.artifact_row(artifact_id)
        self._sql.run("UPDATE artifacts SET name = ? WHERE id = ?", clean_name(name), artifact_id)
        return artifact_record(self.artifact_row(artifact_id))

    def delete_artifact(self, artifact_id: str) -> None:
        """It stays counted for its run, and disappears from every answer."""
        self.artifact_row(artifact_id)
        self._sql.run("UPDATE artifacts SET deleted = 1 WHERE id = ?", artifact_id)


def _only(rows: list[Row]) -> Row:
    if not rows:
        raise because(ErrorCode.NOT_FOUND, "file_gone")
    return rows[0]


def artifact_record(row: Row) -> Artifact:
    return Artifact.model_validate({name: row[name] for name in Artifact.model_fields})


def _upload(row: Row) -> Upload:
    return Upload.model_validate({name: row[name] for name in Upload.model_fields})
