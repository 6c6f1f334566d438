"""Who belongs to this owner, and as what. Whose own owner this is has the same id and needs no row.

An owner of several people never is without one whose role is owner: the last of them stays.
"""

from contracts.errors import ErrorCode
from contracts.limits import MEMBERS_MAX
from contracts.members import Member
from contracts.people import Caller, Right, Role
from contracts.reasons import because
from durable_objects.shared.context import Context
from durable_objects.shared.ids import WORKSPACE_ID
from durable_objects.shared.permission import check

MEMBERS_SCHEMA = (
    """CREATE TABLE members (
        person_id TEXT PRIMARY KEY, role TEXT NOT NULL, joined_ms INTEGER NOT NULL) WITHOUT ROWID""",
)
MEMBER_NAMES_SCHEMA = ("ALTER TABLE members ADD COLUMN name TEXT NOT NULL DEFAULT ''",)


class Members:
    def __init__(self, context: Context, owner_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id

    @property
    def several(self) -> bool:
        """Whether this owner is a workspace, which people can be invited to."""
        return WORKSPACE_ID.fullmatch(self._owner_id) is not None

    def role_of(self, person_id: str) -> Role | None:
        """None for who does not belong here."""
        if person_id == self._owner_id:
            return Role.OWNER
        rows = self._sql.execute("SELECT role FROM members WHERE person_id = ?", person_id)
        return Role(rows[0]["role"]) if rows else None

    def admit(self, caller: Caller, need: Right) -> None:
        """Raises `not_found` or `forbidden`."""
        check(caller, self._owner_id, self.role_of(caller.person_id), need)

    def all(self) -> list[Member]:
        """In the order in which they came."""
        rows = self._sql.execute(
            "SELECT person_id, name, role, joined_ms FROM members ORDER BY joined_ms, person_id"
        )
        return [Member.model_validate(row) for row in rows]

    def anybody(self) -> bool:
        return bool(self._sql.execute("SELECT 1 FROM members LIMIT 1"))

    def add(self, person_id: str, name: str, role: Role) -> None:
        """Raises `invalid_request` where there are as many as there may be."""
        if self._sql.execute("SELECT COUNT(*) AS n FROM members")[0]["n"] >= MEMBERS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "members_many", most=MEMBERS_MAX)
        self._sql.run(
            "INSERT INTO members (person_id, role, joined_ms, name) VALUES (?, ?, ?, ?)",
            person_id,
            role,
            self._context.now_ms(),
            name,
        )

    def change(self, person_id: str, role: Role) -> Member:
        """Raises `not_found`, or `last_owner`."""
        if self._one(person_id).role == Role.OWNER != role:
            self._check_another_owner(person_id)
        self._sql.run("UPDATE members SET role = ? WHERE person_id = ?", role, person_id)
        return self._one(person_id)

    def rename(self, person_id: str, name: str) -> None:
        """What a member is called here, if they are one."""
        self._sql.run("UPDATE members SET name = ? WHERE person_id = ?", name, person_id)

    def remove(self, person_id: str, *, even_last: bool = False) -> None:
        """Raises `not_found`, or `last_owner`."""
        if self._one(person_id).role == Role.OWNER and not even_last:
            self._check_another_owner(person_id)
        self._sql.run("DELETE FROM members WHERE person_id = ?", person_id)

    def _one(self, person_id: str) -> Member:
        rows = self._sql.execute(
            "SELECT person_id, name, role, joined_ms FROM members WHERE person_id = ?", person_id
        )
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "member_gone")
        return Member.model_validate(rows[0])

    def other_owner(self, person_id: str) -> bool:
        """Whether somebody else is one."""
        return bool(
            self._sql.execute(
                "SELECT 1 FROM members WHERE role = ? AND person_id <> ?", Role.OWNER, person_id
            )
        )

    def _check_another_owner(self, person_id: str) -> None:
        if not self.other_owner(person_id):
            raise because(ErrorCode.LAST_OWNER, "last_owner_stays")
