"""What is asked of an owner's object about who belongs to it, as a table of named operations."""

from collections.abc import Callable, Mapping
from typing import Any

from contracts.errors import ErrorCode
from contracts.members import (
    MemberChange,
    MemberInvitationCreate,
    MemberInvitationList,
    MemberInvitationMade,
    MemberList,
    Membership,
)
from contracts.people import Caller, Right, Role
from contracts.reasons import because
from contracts.records import Record
from durable_objects.bot_owner.owner import Owner
from durable_objects.shared.permission import check_credential

Fields = Mapping[str, Any]
TELL_CALLER = frozenset({"membership", "leave", "name_oneself", "invite"})
"""Operations of this table that are about who asks, who is told to them as `caller`."""


def workspace_name(owner: Owner) -> str:
    """Empty for a person's own."""
    return owner.catalog.setting("name", "")


def rename_workspace(owner: Owner, name: str) -> None:
    """Raises `invalid_request` for a person's own, which goes by the person's name."""
    if not owner.members.several:
        raise because(ErrorCode.INVALID_REQUEST, "own_has_no_name")
    owner.catalog.set_setting("name", name)


class MemberOperations:
    def __init__(self, owner: Owner, owner_id: Callable[[], str]) -> None:
        self._owner = owner
        self._owner_id = owner_id
        self.table = {
            "membership": self._membership,
            "members": self._members,
            "change_member": self._change,
            "remove_member": self._remove,
            "leave": self._leave,
            "name_oneself": self._name_oneself,
            "invitations": self._invitations,
            "invite": self._invite,
            "take_back_invitation": self._take_back,
        }

    async def _membership(self, fields: Fields) -> Record:
        caller: Caller = fields["caller"]
        role = self._owner.members.role_of(caller.person_id)
        return Membership(id=self._owner_id(), name=workspace_name(self._owner), role=role)

    async def _members(self, _fields: Fields) -> Record:
        return MemberList(items=self._owner.members.all())

    async def _change(self, fields: Fields) -> Record:
        role = MemberChange.model_validate(fields["body"]).role
        changed = self._owner.members.change(fields["id"], role)
        if changed.role != Role.OWNER:
            self._owner.invitations.take_back_all(fields["id"])
        return changed

    async def _remove(self, fields: Fields) -> None:
        self._end(fields["id"])

    async def _leave(self, fields: Fields) -> None:
        """Anybody may who belongs here, but a token does not leave in its person's name."""
        caller: Caller = fields["caller"]
        check_credential(caller, Right.MANAGE)
        self._end(caller.person_id)

    async def _name_oneself(self, fields: Fields) -> None:
        """What a member is called is theirs to say, whatever their role is."""
        caller: Caller = fields["caller"]
        check_credential(caller, Right.MANAGE)
        self._owner.members.rename(caller.person_id, fields["name"])

    def _end(self, person_id: str) -> None:
        self._owner.members.remove(person_id)
        self._owner.invitations.take_back_all(person_id)
        self._owner.audience.close_person(person_id)

    async def _invitations(self, _fields: Fields) -> Record:
        return MemberInvitationList(items=self._owner.invitations.waiting())

    async def _invite(self, fields: Fields) -> MemberInvitationMade:
        if not self._owner.members.several:
            raise because(ErrorCode.INVALID_REQUEST, "own_is_alone")
        role = MemberInvitationCreate.model_validate(fields["body"]).role
        return self._owner.invitations.make(role, fields["caller"].person_id)

    async def _take_back(self, fields: Fields) -> None:
        self._owner.invitations.take_back(fields["id"])
