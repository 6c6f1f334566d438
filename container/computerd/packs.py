"""What a backup's bytes lie in: packs, each the plain concatenation of blocks, named by its SHA-256.

A pack is never changed. A block that an earlier pack has is taken from there, and a pack of which little is
still used is given up: what lives in it is packed anew, so what a backup keeps for nothing is bounded.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from .manifest import Extent, Pack
from .spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_HASH_CHARACTERS = 32


def hash_of(block: bytes) -> str:
    """Of a block, as extents have it."""
    return hashlib.sha256(block).hexdigest()[:_HASH_CHARACTERS]


def given_up(packs: list[Pack], pack_bytes: int, small_at_most: int) -> set[int]:
    """Which packs nothing is taken from: those used by less than half, and small ones when they are many."""
    wasted = {number for number, pack in enumerate(packs) if pack.used * 2 < pack.size}
    small = {number for number, pack in enumerate(packs) if pack.size * 2 < pack_bytes} - wasted
    return wasted | small if len(small) > small_at_most else wasted


class Packs:
    """The packs of a new backup: those of the one before, and new ones, delivered as they fill.

    Inside they count from 0, the former ones first; a manifest counts them in the order in which it refers
    to them. `deliver` takes SHA-256, size and descriptor of a pack, and has to close that.
    """

    def __init__(
        self,
        former: list[Pack],
        pack_bytes: int,
        small_at_most: int,
        deliver: Callable[[str, int, int], None],
    ) -> None:
        self.new_bytes = 0
        self._all = [(pack.sha256, pack.size) for pack in former]
        self._used = [0] * len(former)
        self._given_up = given_up(former, pack_bytes, small_at_most)
        self._pack_bytes = pack_bytes
        self._deliver = deliver
        self._numbers: dict[int, int] = {}
        self._blocks: dict[str, tuple[int, int, int]] = {}
        self._counted: set[tuple[int, int]] = set()
        """Where the blocks lie that several files may have: each is there once."""
        self._pack: Spool | None = None
        self._digest = hashlib.sha256()

    def know(self, extents: Iterable[Extent]) -> None:
        """Blocks of the backup before that may be found again in any file."""
        for _, length, pack, start, digest in extents:
            if pack not in self._given_up:
                self._blocks[digest] = (pack, start, length)

    def keeps(self, extent: Extent) -> bool:
        """Whether an extent of the backup before may be taken over."""
        return extent[2] not in self._given_up

    def keep(self, extent: Extent, shared: bool) -> Extent:
        """An extent of the backup before as the new manifest has it; `shared` if other files may have it."""
        offset, length, pack, start, digest = extent
        return [offset, length, self._use(pack, start, length, shared), start, digest]

    def put(self, offset: int, block: bytes, digest: str, shared: bool) -> Extent:
        """The extent of a block of a file, which is packed unless it is known. Raises SpoolError."""
        length = len(block)
        known = self._blocks.get(digest) if shared else None
        if known is None or known[2] != length:
            known = self._add(block)
            if shared:
                self._blocks[digest] = known
        pack, start, _ = known
        return [offset, length, self._use(pack, start, length, shared), start, digest]

    def flush(self) -> None:
        """Deliver the pack that is being filled."""
        if self._pack is None:
            return
        pack, self._pack = self._pack, None
        sha256 = self._digest.hexdigest()
        self._all[-1] = (sha256, pack.size)
        self.new_bytes += pack.size
        self._deliver(sha256, pack.size, pack.fd)

    def table(self) -> list[Pack]:
        """All that are referred to, as a manifest counts them."""
        return [Pack(*self._all[pack], self._used[pack]) for pack in self._numbers]

    def _add(self, block: bytes) -> tuple[int, int, int]:
        if self._pack is not None and self._pack.size + len(block) > self._pack_bytes:
            self.flush()
        if self._pack is None:
            self._pack = Spool(os.memfd_create("pack", os.MFD_CLOEXEC))
            self._digest = hashlib.sha256()
            self._all.append(("", 0))
            self._used.append(0)
        start = self._pack.size
        self._pack.write(block)
        self._digest.update(block)
        return len(self._all) - 1, start, len(block)

    def _use(self, pack: int, start: int, length: int, shared: bool) -> int:
        if (pack, start) not in self._counted:
            self._used[pack] += length
            if shared:
                self._counted.add((pack, start))
        return self._numbers.setdefault(pack, len(self._numbers))
