"""Reaching into what a stack keeps on disk: the bucket of its R2 and the snapshots of its engine."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from local.stack import LocalStack
from tests.integration.waiting import SECONDS

BUCKET = "r2/BUCKET/blobs"
OBJECTS = "r2/miniflare-R2BucketObject"


def objects(stack: LocalStack, *prefixes: str) -> list[str]:
    """The keys that R2 has under any of the prefixes."""
    return [key for key, _blob in _all_objects(stack) if key.startswith(prefixes)]


def _all_objects(stack: LocalStack) -> Iterator[tuple[str, str]]:
    """Each key, and the name of the file that holds its bytes; what came in parts has none of its own."""
    for database in (stack.state / "worker" / OBJECTS).glob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=SECONDS)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = '_mf_objects'").fetchall():
                continue
            yield from connection.execute("SELECT key, blob_id FROM _mf_objects").fetchall()


def backup_pieces(stack: LocalStack, owner: str) -> dict[str, Path]:
    """The pieces of an owner's backups, by their hashes, and the file that holds each one's bytes."""
    prefix, blobs = f"backups/{owner}/", stack.state / "worker" / BUCKET
    return {
        key.removeprefix(prefix): blobs / blob for key, blob in _all_objects(stack) if key.startswith(prefix)
    }


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
