"""What a backup is moved by: pieces, the place in R2 where they lie, and the service in the computer.

A piece is a pack or the manifest, named by its SHA-256. Its bytes never enter Python: `body` is a stream
of the platform, which one side gives and the other takes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


class StoreError(Exception):
    """R2 did not do what it was asked for; asked again it may. `str()` is for the log."""


class BackupError(Exception):
    """A backup could not be made. `str()` is for the log."""


class TooMuchError(BackupError):
    """With what is in R2 already, the backup would be larger than one may be."""


class DamagedError(Exception):
    """A piece that a backup needs is not in R2 as it was put there. `args[0]` is its SHA-256."""


@dataclass(frozen=True)
class Piece:
    kind: Literal["pack", "manifest"]
    sha256: str
    size: int
    body: Any
    drop: Callable[[], None]
    """Let go of the body, wherever it is; whoever reads it gets an error."""


class PieceStore(Protocol):
    """One owner's pieces in R2; every method raises StoreError."""

    async def put(self, piece: Piece) -> None:
        """Store a piece's body; one that does not have its hash is not stored."""
        ...

    async def digest(self, sha256: str) -> str | None:
        """The SHA-256 of what lies there now, read to its end; None where nothing does."""
        ...

    async def open(self, sha256: str) -> Any | None:
        """The body of a piece; None where it is not there."""
        ...

    async def sizes(self) -> Mapping[str, int]:
        """All pieces that lie there, with their sizes in bytes."""
        ...

    async def delete(self, names: Sequence[str]) -> None: ...


class BackupWire(Protocol):
    """The service in the computer; every method raises UnreachableError, or BerthError for its refusals."""

    async def begin_backup(self, previous: str | None, *, tree_known: bool) -> tuple[str, bool]:
        """Returns the backup's token, and whether the bytes of the previous manifest are needed."""
        ...

    async def give_manifest(self, token: str, body: Any) -> None: ...

    async def piece(self, token: str, number: int) -> Piece | None:
        """Piece `number`: that of the last call again, or the next one. The manifest is the last.

        None where the computer is still reading: ask again.
        """
        ...

    async def summary(self, token: str) -> Mapping[str, Any] | None:
        """What the backup has, once its manifest was given; None as above."""
        ...

    async def end_backup(self, token: str) -> None: ...

    async def begin_restore(self, manifest: str) -> str:
        """Returns the restore's token."""
        ...

    async def restore_manifest(self, token: str, body: Any) -> list[str]:
        """Returns the packs that are needed, in the order in which they are."""
        ...

    async def restore_pack(self, token: str, sha256: str, body: Any) -> None: ...

    async def finish_restore(self, token: str) -> Mapping[str, Any] | None:
        """What did not come back; None where the computer is still at it: ask again."""
        ...
