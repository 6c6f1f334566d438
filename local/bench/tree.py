"""A workspace as people have them: a few large files, many of a megabyte, thousands of small ones.

Run as a program, here and inside the computer: `make FOLDER MEGABYTES`, or `change FOLDER` for one per cent.
The same arguments make the same bytes. Nothing but the standard library, for the computer has no more.
"""

import random
import sys
from pathlib import Path

MIB = 1024 * 1024
SMALL = 16 * 1024
LARGE_FILES = 4


def make(root: Path, megabytes: int) -> None:
    """Half of it in four large files, a quarter in files of 1 MiB, a quarter in files of 16 KiB."""
    chance = random.Random(7)  # noqa: S311 - bytes, no secrets
    for number in range(LARGE_FILES):
        _write(root / "large" / str(number), megabytes * MIB // 2 // LARGE_FILES, chance)
    for number in range(megabytes // 4):
        _write(root / "medium" / str(number), MIB, chance)
    for number in range(megabytes // 4 * (MIB // SMALL)):
        _write(root / "small" / str(number // 500) / str(number), SMALL, chance)


def change(root: Path) -> None:
    """Change every hundredth of the smaller files, and a hundredth of each large one, in its middle."""
    chance = random.Random(8)  # noqa: S311
    for file in sorted((root / "large").iterdir()):
        size = file.stat().st_size
        with file.open("r+b") as out:
            out.seek(size // 2)
            out.write(chance.randbytes(size // 100))
    for kind, length in (("medium", MIB), ("small", SMALL)):
        for file in sorted(path for path in (root / kind).rglob("*") if path.is_file())[::100]:
            _write(file, length, chance)


def _write(file: Path, length: int, chance: random.Random) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        for start in range(0, length, MIB):
            out.write(chance.randbytes(min(MIB, length - start)))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        change(Path(sys.argv[2]))
