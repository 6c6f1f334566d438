"""Invitations to a workspace: a link each, for one person, with the role that it gives.

Its code says whose it is, so the workspace is asked and no list of all; what is kept is its hash. Where
nobody comes uninvited, it also lets one new person come to this Berth, which is noted apart from its use:
whoever was let in and never joined leaves the invitation as it was, and nobody else is let in by it.
"""

from contracts.errors import BerthError, ErrorCode
from contracts.limits import INVITATION_DAYS, MEMBER_INVITATIONS_MAX
from contracts.members import MemberInvitation, MemberInvitationMade
from contracts.people import Role
from contracts.reasons import because
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, new_invitation_code

INVITATIONS_SCHEMA = (
    """CREATE TABLE invitations (
        id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, role TEXT NOT NULL, created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL, used_by TEXT, let_in TEXT) WITHOUT ROWID""",
)
# Whose invitation it is; empty where an older version has made it.
INVITED_BY_SCHEMA = ("ALTER TABLE invitations ADD COLUMN by_id TEXT NOT NULL DEFAULT ''",)
DAY_MS = 24 * 3_600_000
FIELDS = "id, role, created_ms, expires_ms"


class Invitations:
    def __init__(self, context: Context, owner_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id

    def waiting(self) -> list[MemberInvitation]:
        """The newest first."""
        rows = self._sql.execute(
            f"SELECT {FIELDS} FROM invitations WHERE used_by IS NULL AND expires_ms > ?"  # noqa: S608 - our words
            " ORDER BY created_ms DESC, id DESC",
            self._context.now_ms(),
        )
        return [MemberInvitation.model_validate(row) for row in rows]

    def make(self, role: Role, by_id: str) -> MemberInvitationMade:
        """Its code is in this answer and nowhere else."""
        if len(self.waiting()) >= MEMBER_INVITATIONS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "invitations_many", most=MEMBER_INVITATIONS_MAX)
        now_ms = self._context.now_ms()
        made = MemberInvitationMade(
            id=self._context.new_id("inv"),
            role=role,
            created_ms=now_ms,
            expires_ms=now_ms + INVITATION_DAYS * DAY_MS,
            code=new_invitation_code(self._owner_id, self._context.entropy),
        )
        self._sql.run("DELETE FROM invitations WHERE expires_ms <= ?", now_ms)
        self._sql.run(
            "INSERT INTO invitations (id, hash, role, created_ms, expires_ms, by_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            made.id,
            hashed(made.code),
            role,
            made.created_ms,
            made.expires_ms,
            by_id,
        )
        return made

    def take_back(self, invitation_id: str) -> None:
        """Raises `not_found` for one that is not there, or used."""
        if not self._sql.execute(
            "DELETE FROM invitations WHERE id = ? AND used_by IS NULL RETURNING id", invitation_id
        ):
            raise because(ErrorCode.NOT_FOUND, "invitation_gone")

    def take_back_all(self, by_id: str) -> None:
        """Of somebody who may not invite any more: nobody comes, or comes back, by what they had left."""
        self._sql.run("DELETE FROM invitations WHERE by_id = ? AND used_by IS NULL", by_id)

    def held(self, code_hash: str) -> MemberInvitation:
        """The invitation of a code. Raises `not_found`, in one sentence for all that does not hold."""
        rows = self._sql.execute(
            f"SELECT {FIELDS} FROM invitations WHERE hash = ? AND used_by IS NULL AND expires_ms > ?",  # noqa: S608 - our words
            code_hash,
            self._context.now_ms(),
        )
        if not rows:
            raise no_such_invitation()
        return MemberInvitation.model_validate(rows[0])

    def use(self, invitation_id: str, person_id: str) -> None:
        self._sql.run("UPDATE invitations SET used_by = ? WHERE id = ?", person_id, invitation_id)

    def lets_in(self, code_hash: str, who: str = "") -> bool:
        """Whether it lets this new person come to this Berth, and nobody else from then on; without `who`,
        whether it would let somebody."""
        rows = self._sql.execute(
            "SELECT let_in FROM invitations WHERE hash = ? AND used_by IS NULL AND expires_ms > ?",
            code_hash,
            self._context.now_ms(),
        )
        if not rows or rows[0]["let_in"] not in (None, who):
            return False
        if who:
            self._sql.run("UPDATE invitations SET let_in = ? WHERE hash = ?", who, code_hash)
        return True


def no_such_invitation() -> BerthError:
    return because(ErrorCode.NOT_FOUND, "invitation_used")
