"""Reaching into what a stack keeps on disk: the bucket of its R2 and the snapshots of its engine."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from local.stack import LocalStack

BUCKET = "r2/BUCKET/blobs"
OBJECTS = "r2/miniflare-R2BucketObject"


def backup_pieces(stack: LocalStack, owner: str) -> dict[str, Path]:
    """The pieces of an owner's backups, by their hashes, and the file that holds each one's bytes."""
    prefix = f"backups/{owner}/"
    found: dict[str, Path] = {}
    for database in (stack.state / "worker" / OBJECTS).glob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = '_mf_objects'").fetchall():
                continue
            rows = connection.execute(
                "SELECT key, blob_id FROM _mf_objects WHERE substr(key, 1, ?) = ?", (len(prefix), prefix)
            ).fetchall()
        found |= {key.removeprefix(prefix): stack.state / "worker" / BUCKET / blob for key, blob in rows}
    return found


def flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def delete_snapshots(stack: LocalStack) -> int:
    """Take every snapshot away, as the platform does when it thinks fit; returns how many there were."""
    found = [record.parent for record in (stack.state / "engine/i").glob("*/image.json")]
    for folder in found:
        shutil.rmtree(folder)
    return len(found)
