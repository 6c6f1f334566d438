"""The record of what was done and changed: what each entry holds, and how entries hang together.

An entry says who, what kind, when, and which thing by its id. It never holds content: no message, title, name
of a file, command, output or key. Times are milliseconds since the epoch.

`hash` is SHA-256, in hexadecimal, over the entry without it: as JSON with sorted keys, without spaces, in
UTF-8. `previous` is the hash of the entry before it, `owner_previous` that of the same owner's entry before,
so that the whole record and one owner's part of it can each be checked without the other. The first has
`GENESIS`.

What an owner alone may read of an entry is its `own`, which stands beside the record and goes with the
owner's data. Of it the entry has `details.own`: SHA-256 over `own`, written likewise. A random `salt` is in
it, so that nobody finds it by trying.
"""

from typing import Annotated, Final

from pydantic import Field

from contracts.people import Caller, Via
from contracts.records import Record

GENESIS: Final = "0" * 64
OWNER_DELETED: Final = "owner_deleted"
"""The kind of the entry that ends a deletion."""

DETAIL_CHARACTERS_MAX: Final = 500
Text = Annotated[str, Field(max_length=DETAIL_CHARACTERS_MAX)]
Detail = int | float | bool | None | Text | Annotated[list[Text], Field(max_length=100)]


class Actor(Record):
    """Who did it: a person, and by what they were known."""

    person_id: str = Field(max_length=64)
    via: Via


def actor_of(caller: Caller) -> Actor:
    return Actor(person_id=caller.person_id, via=caller.via)


class AuditEntry(Record):
    """An entry as it is told; the same `id` again is not kept again. Without an actor it was Berth itself."""

    id: str = Field(max_length=300)
    owner_id: str
    kind: str = Field(max_length=64)
    at_ms: int
    details: dict[str, Detail] = Field(max_length=30)
    actor: Actor | None = None
    own: dict[str, Text] = Field(default={}, max_length=10)
    """For the owner alone; empty for operators. Not in what is hashed."""


class ChainedEntry(AuditEntry):
    """An entry as it is kept; `n` goes up, with gaps."""

    n: int
    previous: str
    owner_previous: str
    hash: str


class AuditPage(Record):
    """Newest first."""

    items: list[ChainedEntry]
    more: bool = False


class AuditBreak(Record):
    """Where the record is not what was written: at this entry, or behind the last one."""

    n: int
    why: str


class AuditCheck(Record):
    """What a look at the chain found. `next_after` is where to go on; None at the end."""

    entries: int
    """How many were looked at."""
    head: str
    """The hash of the newest entry: kept elsewhere, it proves later that nothing before it has changed."""
    broken: AuditBreak | None = None
    next_after: int | None = None
