"""The helper that puts the files of a backup back, in two steps.

First the packs come, one at a time: each file is written under its number into a folder of its own, as far
as the pack has it, so that no pack needs to be kept. At the end the manifest is gone through once more, and
every file is moved to its place; until then nothing is in the tree. What lay in both folders before is
removed: afterwards they are as they were saved. `placing.py` is the second step.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from . import linux, manifest
from .manifest import ManifestError
from .placing import Placing
from .removal import remove_all, reopened
from .staging import Staging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .errand import Errand, Order
    from .manifest import Entry, Extent, Pack

HOME, WORKSPACE, MANIFEST = range(4, 7)
"""Descriptors: handles of the two folders, and the manifest."""
_WHERE = struct.Struct("<IQII")
"""Of a piece of a pack: the file's number, the offset in it, the length, the offset in the pack."""


def work(errand: Errand, order: Order) -> None:
    """Tell which packs are needed, take them, and put everything into its place when that is asked for."""
    packs, lines = manifest.read(MANIFEST)
    pieces, first_of_workspace = plan(packs, manifest.entries(lines))
    folders = (reopened(HOME), reopened(WORKSPACE))
    remove_all(*folders)
    stagings = [Staging(folder, order["staging"]) for folder in folders]
    errand.show("packs", [packs[number].sha256 for number in pieces])
    numbers = {packs[number].sha256: number for number in pieces}
    while True:
        message, fd = errand.hear()
        if message[0] == "finish":
            break
        for where in _WHERE.iter_unpack(pieces[numbers[message[1]]]):
            errand.gets_on()
            _write(stagings[where[0] >= first_of_workspace], where, fd)
        for staging in stagings:
            staging.rest()
        os.close(fd)
        errand.tell("done")
    _, lines = manifest.read(MANIFEST)
    placing = Placing(errand, order["paths"], manifest.entries(lines))
    for name, folder, staging in zip(manifest.ROOTS, folders, stagings, strict=True):
        placing.tree(name, folder, staging)
    for folder in folders:
        linux.sync_files(folder)
    errand.show("result", placing.result())


def plan(packs: list[Pack], entries: Iterator[Entry]) -> tuple[dict[int, bytearray], int]:
    """What of each pack goes where, packs in the order in which they are needed; the workspace's first file.

    Twenty bytes for each extent: an object for each would be ten times as much. Raises ManifestError.
    """
    pieces: dict[int, bytearray] = {}
    number, depth, first_of_workspace = -1, 0, 0
    extents: list[Extent]
    for entry in entries:
        match entry[0]:
            case "d":
                if depth == 0 and entry[1] == "workspace":
                    first_of_workspace = number + 1
                depth += 1
                continue
            case "u":
                depth -= 1
                continue
            case "f" | "F":
                number += 1
                extents = entry[8]
            case "+":
                extents = entry[1]
            case _:
                continue
        for offset, length, pack, start, _ in extents:
            if start + length > packs[pack].size:
                raise ManifestError("a file lies beyond the end of its pack")
            pieces.setdefault(pack, bytearray()).extend(_WHERE.pack(number, offset, length, start))
    if depth:
        raise ManifestError("it ends within a folder")
    return pieces, first_of_workspace


def _write(staging: Staging, where: tuple[int, int, int, int], pack: int) -> None:
    number, offset, length, start = where
    fd = staging.file(number)
    while length:
        data = os.pread(pack, length, start)
        if not data:
            raise ManifestError("a pack is shorter than its list says")
        while data:
            count = os.pwrite(fd, data, offset)
            data = data[count:]
            offset, start, length = offset + count, start + count, length - count
