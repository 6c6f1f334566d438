"""Which files a backup does not even open, and which it reads although they look the same."""

import os
from pathlib import Path
from typing import Any

import pytest

from computerd import manifest
from computerd.file_lines import FileLines, unchanged
from computerd.manifest import Cursor, Writer
from computerd.opening import Source
from computerd.packs import Packs, hash_of
from computerd.spool import Spool

ORDER = {"block_bytes": 1024, "known_before_ns": 0, "settled_s": 0.0}


class Quiet:
    """A helper's end of its talk, with nobody at the other."""

    def gets_on(self) -> None:
        return


def entry(state: os.stat_result, **other: Any) -> manifest.Entry:
    about = {
        "mtime": state.st_mtime_ns,
        "size": state.st_size,
        "inode": state.st_ino,
        "ctime": state.st_ctime_ns,
        **other,
    }
    return ["f", "f", 0o644, about["mtime"], about["size"], about["inode"], about["ctime"], 0, []]


@pytest.mark.parametrize(
    ("other", "known", "same"),
    [
        ({}, 0, True),
        ({"mtime": 1}, 0, False),
        ({"size": 1}, 0, False),
        ({"inode": 1}, 0, False),
        ({"ctime": 1}, 0, False),
        # After a wake: another inode and another time of the inode, but nobody has been here since.
        ({"inode": 1, "ctime": 1}, 1, True),
        ({"inode": 1, "ctime": 1}, 0, False),
        ({"inode": 1, "ctime": 1, "size": 1}, 1, False),
        ({"inode": 1, "ctime": 1, "mtime": 1}, 1, False),
        # It may have changed while it was read.
        ({"inode": 0}, 1, False),
    ],
)
def test_a_file_is_as_it_was(tmp_path: Path, other: dict[str, int], known: int, same: bool) -> None:
    (tmp_path / "f").write_text("something")
    state = (tmp_path / "f").stat()
    # Touched before the time from which on nothing is known, or at that time.
    assert unchanged(entry(state, **other), state, state.st_ctime_ns + known) is same


def test_one_that_is_as_it_was_is_not_opened_and_another_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 3000)
    state = (tmp_path / "f").stat()
    extents = [[0, 1024, 0, 0, "a"], [1024, 1024, 0, 1024, "b"], [2048, 952, 0, 2048, "c"]]
    before = [*entry(state)[:8], extents]

    def opening() -> Any:
        raise AssertionError("it is opened")

    def lines(found: manifest.Entry) -> list[manifest.Entry]:
        spool = Spool(os.memfd_create("spool"))
        writer = Writer(spool)
        packs = Packs([manifest.Pack("p", 3000, 3000)], 4096, 9, lambda *_: None)
        cursor = Cursor(iter([found]))
        FileLines(Quiet(), ORDER, writer, packs, cursor).add(  # type: ignore[arg-type]
            "f", state, Source(opening), cursor.match("f")
        )
        target = Spool(os.memfd_create("target"))
        writer.finish(packs.table(), target)
        return list(manifest.entries(manifest.read(target.fd)[1]))

    ((*_, kept),) = lines(before)
    assert kept == extents
    with pytest.raises(AssertionError, match="opened"):
        lines([*before[:4], 2999, *before[5:]])


def test_the_hash_of_a_block_is_half_a_sha256() -> None:
    assert hash_of(b"") == "e3b0c44298fc1c149afbf4c8996fb924"
