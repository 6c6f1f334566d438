"""A member whose account is deleted goes from a workspace, as their own owner's object asks.

Whoever leaves by hand does it as an operation (`member_operations.py`).
"""

from collections.abc import Callable
from typing import Any

from contracts.people import Role
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.member_operations import workspace_name
from durable_objects.bot_owner.owner import Owner


class Departures:
    def __init__(self, owner: Owner, deletion: Deletion) -> None:
        self._owner = owner
        self._deletion = deletion
        self._steps: dict[str, Callable[[str], Any]] = {"departure": self._may, "depart": self._depart}

    async def do(self, step: str, person_id: str) -> Any:
        """Raises `last_owner` for `depart` where `departure` says that they may not."""
        result = self._steps[step](person_id)
        await self._owner.audit.soon()
        return result

    def _may(self, person_id: str) -> Any:
        """{may, name}: who is no member may, and so may the last owner of what is being deleted itself."""
        members = self._owner.members
        is_last = members.role_of(person_id) == Role.OWNER and not members.other_owner(person_id)
        return {"may": self._deletion.rests or not is_last, "name": workspace_name(self._owner)}

    def _depart(self, person_id: str) -> Any:
        """Told again, they are gone already."""
        members = self._owner.members
        if members.role_of(person_id) is None:
            return {}

        def write() -> None:
            members.remove(person_id, even_last=self._deletion.rests)
            self._owner.audit.note("member_left", {"person_id": person_id, "account_deleted": True})

        self._owner.context.sql.transaction(write)
        self._owner.audience.close_person(person_id)
        return {}
