"""Who belongs to an owner: workspaces of several people, their members, and invitations by link."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from contracts.limits import INVITATION_CODE_CHARACTERS_MAX, WORKSPACE_NAME_CHARACTERS_MAX
from contracts.people import Role
from contracts.records import Record
from contracts.texts import readable

WorkspaceName = Annotated[str, Field(max_length=WORKSPACE_NAME_CHARACTERS_MAX), AfterValidator(readable)]


class WorkspaceCreate(Record):
    name: WorkspaceName


class Membership(Record):
    """An owner, as a person who belongs to it sees it."""

    id: str
    name: str = ""
    """Empty for a person's own."""
    role: Role | None = None
    """None while the owner does not answer: whether one still belongs to it is not known then."""


class MembershipList(Record):
    """One's own first, then by when one came to them."""

    items: list[Membership]


class Member(Record):
    person_id: str
    name: str
    role: Role
    joined_ms: int


class MemberList(Record):
    items: list[Member]


class MemberChange(Record):
    role: Role


class MemberInvitationCreate(Record):
    role: Role = Role.MEMBER


class MemberInvitation(Record):
    """Good for one person, until `expires_ms`."""

    id: str
    role: Role
    created_ms: int
    expires_ms: int


class MemberInvitationMade(MemberInvitation):
    code: str
    """Shown this once. It stands behind `/join#` in the link."""


class MemberInvitationList(Record):
    """Those that can still be used."""

    items: list[MemberInvitation]


class InvitationCode(Record):
    code: Annotated[SecretStr, Field(max_length=INVITATION_CODE_CHARACTERS_MAX)]


class InvitedTo(Record):
    """What an invitation is for, as who holds it may know before they accept."""

    owner_id: str
    name: str
    role: Role
    expires_ms: int
