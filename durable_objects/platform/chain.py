"""How entries of the record hang together: each has the hash of the one before, and a check follows them.

Nothing here reads or writes; `contracts/audit.py` says what is hashed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from contracts.audit import AuditBreak, AuditEntry, ChainedEntry

Link = Literal["previous", "owner_previous"]
"""Whose chain is followed: everybody's, or one owner's."""


def chained(entry: AuditEntry, n: int, previous: str, owner_previous: str) -> ChainedEntry:
    fields = {
        **entry.model_dump(exclude={"own"}),
        "n": n,
        "previous": previous,
        "owner_previous": owner_previous,
    }
    return ChainedEntry.model_validate({**fields, "hash": _hash(fields)})


def line(entry: ChainedEntry) -> str:
    """An entry as a line of an export: what was hashed, with the hash and, where it has one, `own`."""
    return _text(entry.model_dump(exclude=set() if entry.own else {"own"}))


def hash_of_own(own: Mapping[str, str]) -> str:
    return _hash(dict(own))


def first_break(entries: Iterable[ChainedEntry], link: Link, previous: str) -> AuditBreak | None:
    """The first entry that is not as it was written, or does not follow the one before it; oldest first.

    `previous` is the hash that the first of them has to name.
    """
    for entry in entries:
        if getattr(entry, link) != previous:
            return AuditBreak(n=entry.n, why="does_not_follow")
        if _hash(entry.model_dump(exclude={"hash", "own"})) != entry.hash:
            return AuditBreak(n=entry.n, why="altered")
        if entry.own and hash_of_own(entry.own) != entry.details.get("own"):
            return AuditBreak(n=entry.n, why="altered")
        previous = entry.hash
    return None


def _hash(fields: dict[str, Any]) -> str:
    return hashlib.sha256(_text(fields).encode()).hexdigest()


def _text(fields: dict[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
