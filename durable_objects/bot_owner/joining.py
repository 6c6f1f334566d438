"""How people come to a workspace: what is asked of its object by who does not belong to it yet.

Everything else is asked as an operation, for whose caller the members are looked at (`operations.py`). Here
it is the code of an invitation that speaks for somebody, or that the workspace is new.
"""

from collections.abc import Callable, Mapping
from typing import Any

from contracts.audit import actor_of
from contracts.members import InvitedTo, Membership
from contracts.people import Caller, Right, Role
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.member_operations import workspace_name
from durable_objects.bot_owner.owner import Owner
from durable_objects.shared.permission import check_credential, no_such_owner

Fields = Mapping[str, Any]


class Joining:
    def __init__(self, owner: Owner, owner_id: str, deletion: Deletion) -> None:
        self._owner = owner
        self._owner_id = owner_id
        self._deletion = deletion
        self._anybody: dict[str, Callable[[Fields], Any]] = {"lets_in": self._lets_in, "look": self._look}
        self._called: dict[str, Callable[[Fields, Caller], Any]] = {
            "found": self._found,
            "accept": self._accept,
        }

    async def do(self, operation: str, fields: Fields, caller: Caller | None = None) -> Any:
        """Raises BerthError; `not_found` for what is no workspace, or none that this code is of."""
        if not self._owner.members.several:
            raise no_such_owner()
        self._deletion.check()
        if caller is None:
            return self._anybody[operation](fields)
        check_credential(caller, Right.MANAGE)
        result = self._owner.context.sql.transaction(lambda: self._called[operation](fields, caller))
        self._owner.reporter.remind()
        await self._owner.audit.soon()
        return result

    def _found(self, fields: Fields, caller: Caller) -> Membership:
        """The first member of a new workspace. Told twice by the same, it is the same."""
        role = self._owner.members.role_of(caller.person_id)
        if role is None:
            if self._owner.members.anybody():
                raise no_such_owner()
            self._owner.catalog.set_setting("name", fields["workspace"])
            self._owner.members.add(caller.person_id, fields["name"], Role.OWNER)
            self._owner.audit.note("workspace_created", {}, actor_of(caller))
        return self._membership(role or Role.OWNER)

    def _look(self, fields: Fields) -> InvitedTo:
        held = self._owner.invitations.held(fields["hash"])
        return InvitedTo(
            owner_id=self._owner_id,
            name=workspace_name(self._owner),
            role=held.role,
            expires_ms=held.expires_ms,
        )

    def _lets_in(self, fields: Fields) -> Any:
        return {"holds": self._owner.invitations.lets_in(fields["hash"], fields["who"])}

    def _accept(self, fields: Fields, caller: Caller) -> Membership:
        """Who belongs here already uses up no invitation, so that an answer may be lost on its way."""
        role = self._owner.members.role_of(caller.person_id)
        if role is None:
            held = self._owner.invitations.held(fields["hash"])
            role = held.role
            self._owner.members.add(caller.person_id, fields["name"], role)
            self._owner.invitations.use(held.id, caller.person_id)
            details = {"person_id": caller.person_id, "role": role, "invitation_id": held.id}
            self._owner.audit.note("member_joined", details, actor_of(caller))
        return self._membership(role)

    def _membership(self, role: Role) -> Membership:
        return Membership(id=self._owner_id, name=workspace_name(self._owner), role=role)
