"""The two sides of a backup for tests: computerd's calls over a FakeMachine's files, and a bucket of R2.

A pack is one file's bytes, the manifest says which file is which pack. What is known of the previous
manifest is not sent again. Faults are set by the test.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.pieces import Piece, StoreError
from tests.unit.durable_objects.bot_computer.wire import FakeMachine


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class FakeBucket:
    """`PieceStore` over a dict. The next `fail` calls raise; the next `flip` puts store a wrong byte."""

    objects: dict[str, bytes] = field(default_factory=dict)
    down: bool = False
    fail: int = 0
    flip: int = 0
    puts: list[str] = field(default_factory=list)
    stuck: asyncio.Event | None = None
    """Puts wait for it."""
    hold_sizes: asyncio.Event | None = None
    asked_sizes: asyncio.Event = field(default_factory=asyncio.Event)

    def _ask(self) -> None:
        if self.down or self.fail:
            self.fail = max(0, self.fail - 1)
            raise StoreError("R2 answers 500")

    async def put(self, piece: Piece) -> None:
        self._ask()
        if self.stuck:
            await self.stuck.wait()
        if sha256(piece.body) != piece.sha256:
            raise StoreError("another hash")
        self.puts.append(piece.sha256)
        self.objects[piece.sha256] = b"X" + piece.body[1:] if self.flip else piece.body
        self.flip = max(0, self.flip - 1)

    async def digest(self, name: str) -> str | None:
        self._ask()
        return sha256(self.objects[name]) if name in self.objects else None

    async def open(self, name: str) -> bytes | None:
        self._ask()
        return self.objects.get(name)

    async def sizes(self) -> Mapping[str, int]:
        self._ask()
        self.asked_sizes.set()
        if self.hold_sizes:
            await self.hold_sizes.wait()
        return {name: len(content) for name, content in self.objects.items()}

    async def delete(self, names: Sequence[str]) -> None:
        self._ask()
        for name in names:
            self.objects.pop(name, None)


@dataclass
class FakeBackups:
    """`BackupWire`: what computerd does with a FakeMachine's files."""

    machine: FakeMachine
    begun: list[tuple[str | None, bool]] = field(default_factory=list)
    ended: int = 0
    dropped: int = 0
    cached: str | None = None
    """The manifest that the computer still has, so that it needs no bytes of it."""
    slow: asyncio.Event | None = None
    """Pieces wait for it."""
    not_yet: int = 0
    """So often the packer has not got that far."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    lie: dict[str, Any] = field(default_factory=dict)
    """Fields of the summary that are said otherwise."""
    unread: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    break_restore_after: int | None = None
    """After so many packs the machine dies."""
    _known: dict[str, str] = field(default_factory=dict)
    _wanted: dict[str, str] = field(default_factory=dict)
    _come: dict[str, bytes] = field(default_factory=dict)
    _manifest: str = ""

    async def begin_backup(self, previous: str | None, *, tree_known: bool) -> tuple[str, bool]:
        self._alive()
        self.begun.append((previous, tree_known))
        self._known = {}
        return "token", previous is not None and previous != self.cached

    async def give_manifest(self, token: str, body: bytes) -> None:
        if sha256(body) != self.begun[-1][0]:
            raise BerthError(ErrorCode.INVALID_REQUEST, "The manifest has another hash.")
        self._known = json.loads(body)

    def _pieces(self) -> list[tuple[str, bytes]]:
        new = {sha256(content): content for content in self.machine.files.values()}
        packs = [("pack", new[name]) for name in sorted(new) if name not in self._known.values()]
        return [*packs, ("manifest", self.manifest())]

    def manifest(self) -> bytes:
        return json.dumps({name: sha256(c) for name, c in sorted(self.machine.files.items())}).encode()

    def _is_early(self) -> bool:
        self.not_yet -= 1
        return self.not_yet >= 0

    async def piece(self, token: str, number: int) -> Piece | None:
        self.asked.set()
        if self.slow:
            await self.slow.wait()
        self._alive()
        if self._is_early():
            return None
        kind, content = self._pieces()[number]

        def drop() -> None:
            self.dropped += 1

        return Piece(kind, sha256(content), len(content), content, drop)  # type: ignore[arg-type]

    async def summary(self, token: str) -> Mapping[str, Any] | None:
        self._alive()
        if self._is_early():
            return None
        packs = [{"sha256": sha256(c), "size": len(c), "used": len(c)} for c in self.machine.files.values()]
        said = {"manifest": sha256(self.manifest()), "packs": packs, "unread": len(self.unread)}
        return {**said, "unread_names": self.unread, **self.lie}

    async def end_backup(self, token: str) -> None:
        self._alive()
        self.ended += 1

    async def begin_restore(self, manifest: str) -> str:
        self._alive()
        if self.machine.files or self.machine.runs:
            raise BerthError(ErrorCode.COMPUTER_BUSY, "Something has run here already.")
        self._manifest, self._wanted, self._come = manifest, {}, {}
        return "token"

    async def restore_manifest(self, token: str, body: bytes) -> list[str]:
        self._alive()
        if sha256(body) != self._manifest:
            raise BerthError(ErrorCode.INVALID_REQUEST, "The manifest has another hash.")
        self._wanted = json.loads(body)
        return sorted(set(self._wanted.values()))

    async def restore_pack(self, token: str, name: str, body: bytes) -> None:
        if self.break_restore_after is not None:
            self.break_restore_after -= 1
            if self.break_restore_after < 0:
                self.break_restore_after = None
                self.machine.die()
        if self.slow:
            self.asked.set()
            await self.slow.wait()
        self._alive()
        if sha256(body) != name:
            raise BerthError(ErrorCode.INVALID_REQUEST, "The pack has another hash.")
        self._come[name] = body

    async def finish_restore(self, token: str) -> Mapping[str, Any] | None:
        self._alive()
        if self._is_early():
            return None
        self.machine.files = {name: self._come[pack] for name, pack in self._wanted.items()}
        return {"files": len(self._wanted), "missing": len(self.missing), "missing_names": self.missing}

    def _alive(self) -> None:
        if not self.machine.running:
            raise UnreachableError("nothing listens")
