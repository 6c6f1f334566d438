"""People, and what they may do: rights, roles in an owner, and the caller of a request.

A person is a human who signs in. An owner is what has bots and one computer: a person's own (its id is the
person's) or a workspace of several. What a request may do is what its credential can do and what the person's
role in the owner gives.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from contracts.limits import TOKEN_DAYS_MAX, TOKEN_NAME_CHARACTERS_MAX
from contracts.records import Record
from contracts.texts import readable


class Right(StrEnum):
    """What a caller may do. `operate` is a person's, for the whole deployment; the others are in an owner."""

    READ = "read"
    CHAT = "chat"
    APPROVE = "approve"
    MANAGE = "manage"
    OPERATE = "operate"


class Role(StrEnum):
    """What a person is in an owner."""

    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


class Via(StrEnum):
    """What a caller is known by."""

    LOCAL = "local"
    SESSION = "session"
    ACCESS = "access"
    TOKEN = "token"  # noqa: S105 - a word


OWNER_RIGHTS = frozenset({Right.READ, Right.CHAT, Right.APPROVE, Right.MANAGE})
ROLE_RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.OWNER: OWNER_RIGHTS,
    Role.MEMBER: frozenset({Right.READ, Right.CHAT}),
    Role.VIEWER: frozenset({Right.READ}),
}


class Caller(Record):
    """Who calls, for which owner, and what the credential can do at most; the role in the owner is the rest.

    Made by the door (`workers/api/door.py`) and by nobody else; the objects that it is told look again.
    """

    person_id: str
    owner_id: str
    rights: frozenset[Right]
    via: Via
    credential_id: str
    operator: bool = False
    until_ms: int | None = None
    """When what the caller is known by ends by itself, where that is known."""


class Credential(Record):
    """What a person's object says of a session or a token that holds."""

    id: str
    rights: frozenset[Right]
    operator: bool = False
    until_ms: int | None = None
    """When it ends by itself, where it is no session, which lasts as long as it is used."""
    secret: str | None = None
    """The session's next secret, for its browser to keep; the one before stays good until it is used."""


class Session(Record):
    """A device's sign-in."""

    id: str
    device: str
    created_ms: int
    seen_ms: int
    current: bool
    """Whether it is the one that asks."""


class SessionList(Record):
    items: list[Session]


TokenScope = Literal[Right.READ, Right.CHAT, Right.APPROVE]


class Token(Record):
    """An API token: what a program of the person may do in the person's name."""

    id: str
    name: str
    scopes: list[TokenScope]
    created_ms: int
    expires_ms: int | None
    used_ms: int | None = None


class TokenList(Record):
    items: list[Token]


class TokenCreate(Record):
    """`approve` is never there unless it is asked for; `manage` a token never has."""

    name: Annotated[str, Field(max_length=TOKEN_NAME_CHARACTERS_MAX), AfterValidator(readable)]
    scopes: Annotated[list[TokenScope], Field(min_length=1, max_length=3)] = Field(
        default=[Right.READ, Right.CHAT]
    )
    days: Annotated[int, Field(ge=1, le=TOKEN_DAYS_MAX)] | None = None
    """Until it ends by itself; without it, it never does."""


class TokenMade(Token):
    token: str
    """Shown this once."""


class TicketCreate(Record):
    path: Annotated[str, Field(max_length=200)]
    """Of the socket that is to be opened, without the owner before it and without a query."""


class Ticket(Record):
    ticket: str
    expires_in_s: int


class LocalSignIn(Record):
    token: Annotated[SecretStr, Field(max_length=200)]
