"""The backups that count, as rows, and which of their pieces are known to be whole in R2.

A backup is a manifest and the packs it refers to, each named by its SHA-256. `keep` is the flip: in one
write the new backup counts, and the one before it stays as the previous good one. What no backup refers
to is nobody's and may be deleted.
"""

import json
from dataclasses import dataclass

from contracts.limits import BACKUPS_KEPT
from durable_objects.bot_computer.pieces import BackupWire, PieceStore
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row


@dataclass(frozen=True)
class Backup:
    as_of_ms: int
    generation: int
    """Of the start that made it."""
    manifest: str
    """SHA-256 in hex, as of the packs."""
    pieces: dict[str, int]
    """Every pack and the manifest, with its size in bytes."""
    unread: int = 0
    """Files that could not be read, and the first of their names."""
    unread_names: tuple[str, ...] = ()


class BackupBook:
    def __init__(self, context: Context) -> None:
        self._sql = context.sql

    def all(self) -> list[Backup]:
        """The backups that count, newest first."""
        return [_backup(row) for row in self._sql.execute("SELECT * FROM backups ORDER BY as_of_ms DESC")]

    def latest_whole(self) -> Backup | None:
        """The newest backup of which every piece is known to be whole."""
        return next((backup for backup in self.all() if self._is_whole(backup)), None)

    def keep(self, backup: Backup) -> None:
        """From now on this is the newest. Also kept is the newest whole one before it; others go."""
        older = [known for known in self.all() if known.as_of_ms != backup.as_of_ms and self._is_whole(known)]
        kept = {known.as_of_ms for known in older[: BACKUPS_KEPT - 1]}

        def write() -> None:
            for known in self.all():
                if known.as_of_ms not in kept:
                    self._sql.run("DELETE FROM backups WHERE as_of_ms = ?", known.as_of_ms)
            self._sql.run(
                "INSERT INTO backups (as_of_ms, generation, manifest, pieces, unread, unread_names)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                backup.as_of_ms,
                backup.generation,
                backup.manifest,
                json.dumps(backup.pieces),
                backup.unread,
                json.dumps(backup.unread_names),
            )

        self._sql.transaction(write)

    def needed(self) -> dict[str, int]:
        """The pieces of all backups that count, with their sizes."""
        return {sha256: size for backup in self.all() for sha256, size in backup.pieces.items()}

    def size_of(self, sha256: str) -> int | None:
        """The size of a piece that is whole in R2, None where that is not known."""
        rows = self._sql.execute("SELECT size FROM pieces WHERE sha256 = ?", sha256)
        return rows[0]["size"] if rows else None

    def bytes(self) -> int:
        """The size of all pieces that are known, needed or not."""
        total: int = self._sql.execute("SELECT COALESCE(SUM(size), 0) AS total FROM pieces")[0]["total"]
        return total

    def trust(self, sha256: str, size: int) -> None:
        """This piece was read from R2 and is whole."""
        self._sql.run("INSERT OR REPLACE INTO pieces (sha256, size) VALUES (?, ?)", sha256, size)

    def distrust(self, sha256: str) -> None:
        """This piece is not in R2 as it should be: it is not built upon, and sent again when it comes up."""
        self._sql.run("DELETE FROM pieces WHERE sha256 = ?", sha256)

    def forget_unneeded(self) -> None:
        """Before pieces that no backup refers to are deleted."""
        needed = self.needed()
        for row in self._sql.execute("SELECT sha256 FROM pieces"):
            if row["sha256"] not in needed:
                self.distrust(row["sha256"])

    def forget(self) -> None:
        """The owner wants nothing of it any more."""
        self._sql.run("DELETE FROM backups")
        self._sql.run("DELETE FROM pieces")

    def _is_whole(self, backup: Backup) -> bool:
        known = {row["sha256"] for row in self._sql.execute("SELECT sha256 FROM pieces")}
        return backup.pieces.keys() <= known


@dataclass(frozen=True)
class Backups:
    """One computer's backups: what they are made from, where they lie, and which of them count."""

    wire: BackupWire
    store: PieceStore
    book: BackupBook


def _backup(row: Row) -> Backup:
    return Backup(
        as_of_ms=row["as_of_ms"],
        generation=row["generation"],
        manifest=row["manifest"],
        pieces=json.loads(row["pieces"]),
        unread=row["unread"],
        unread_names=tuple(json.loads(row["unread_names"])),
    )
