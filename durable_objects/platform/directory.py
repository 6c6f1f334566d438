"""Who there is: which account elsewhere is which person, who may come, and whose a recovery code is.

Everything that two people could do at once is decided here, in one transaction each: the first person, an
invitation that is used twice, an account that arrives in two browsers. Subjects and codes are kept as hashes.
"""

from dataclasses import dataclass
from hashlib import sha256

from contracts.errors import ErrorCode
from contracts.limits import INVITATION_DAYS, INVITATIONS_MAX
from contracts.reasons import because
from contracts.sign_in import Invitation, InvitationMade
from durable_objects.shared.context import Context
from durable_objects.shared.once import ONCE_TABLE, Once

DIRECTORY_TABLES: tuple[str, ...] = (
    """CREATE TABLE people (
        person_id TEXT PRIMARY KEY, operator INTEGER NOT NULL, invited_by TEXT NOT NULL,
        at_ms INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE identities (
        issuer TEXT NOT NULL, subject TEXT NOT NULL, person_id TEXT NOT NULL,
        PRIMARY KEY (issuer, subject)) WITHOUT ROWID""",
    """CREATE TABLE invitations (
        id TEXT PRIMARY KEY, code TEXT NOT NULL UNIQUE, by_id TEXT NOT NULL, created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL, used_ms INTEGER) WITHOUT ROWID""",
    "CREATE TABLE setup_codes (code TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE recovery (code TEXT PRIMARY KEY, person_id TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX recovery_by_person ON recovery (person_id)",
    "CREATE TABLE sign_in_key (one INTEGER PRIMARY KEY CHECK (one = 1), key TEXT NOT NULL)",
    ONCE_TABLE,
)
# Accounts elsewhere of people who were banned and have deleted their account here: that ends no ban.
BARRED_TABLE = """CREATE TABLE barred (
    issuer TEXT NOT NULL, subject TEXT NOT NULL, person_id TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)) WITHOUT ROWID"""
SETUP = "setup"
OPEN = "open"
LISTED = "listed"
DAY_MS = 24 * 3_600_000
KEY_BYTES = 32
INVITATION_BYTES = 24


def hashed(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


@dataclass(frozen=True)
class Identity:
    """An account elsewhere. `subject` is `hashed`."""

    issuer: str
    subject: str


@dataclass(frozen=True)
class Arrival:
    """Somebody who wants in: the id they would get, and what speaks for them.

    `code` is what they brought, `setup_code` the deployment's, both hashed or empty; `listed` is whether the
    deployment names them an operator, `sign_up_open` whether everybody may come, `vouched_by` the
    workspace whose invitation lets them in: that one sees to it that it lets in nobody else.
    """

    person_id: str
    identity: Identity | None = None
    code: str = ""
    setup_code: str = ""
    sign_up_open: bool = False
    listed: bool = False
    vouched_by: str = ""


@dataclass(frozen=True)
class Known:
    person_id: str
    operator: bool


class Directory:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql
        self._once = Once(context)

    def key(self) -> str:
        """What the Worker signs challenges and logins with, as hex; made when it is first wanted."""
        made = self._context.entropy(KEY_BYTES).hex()
        self._sql.run("INSERT OR IGNORE INTO sign_in_key (one, key) VALUES (1, ?)", made)
        return str(self._sql.execute("SELECT key FROM sign_in_key")[0]["key"])

    def spend(self, value: str, until_ms: int) -> bool:
        """True the first time: for values that belong to no person yet."""
        return self._once.spend(value, until_ms)

    def of(self, identity: Identity) -> Known | None:
        rows = self._sql.execute(
            "SELECT person_id FROM identities WHERE issuer = ? AND subject = ?",
            identity.issuer,
            identity.subject,
        )
        return self.person(rows[0]["person_id"]) if rows else None

    def person(self, person_id: str) -> Known | None:
        rows = self._sql.execute("SELECT operator FROM people WHERE person_id = ?", person_id)
        return Known(person_id, bool(rows[0]["operator"])) if rows else None

    def awaits_first(self, setup_code: str) -> bool:
        """Whether this setup code, hashed, would still make somebody an operator."""
        return setup_code != "" and not self._is_spent(setup_code)

    def may_come(self, arrival: Arrival) -> None:
        """Raises `forbidden` like `admit` would, and changes nothing: before anybody is asked for more."""
        if self._known(arrival) is None:
            self._invited_by(arrival)

    def admit(self, arrival: Arrival) -> Known:
        """Who this is, or becomes. Told twice, it is the same. Raises `forbidden` for who may not come."""
        return self._sql.transaction(lambda: self._known(arrival) or self._admitted(arrival))

    def _known(self, arrival: Arrival) -> Known | None:
        if arrival.identity and self._is_barred(arrival.identity):
            raise because(ErrorCode.FORBIDDEN, "not_permitted")
        known = self.of(arrival.identity) if arrival.identity else None
        return known or self.person(arrival.person_id)

    def _is_barred(self, identity: Identity) -> bool:
        rows = self._sql.execute(
            "SELECT 1 FROM barred JOIN bans ON bans.owner_id = person_id WHERE issuer = ? AND subject = ?",
            identity.issuer,
            identity.subject,
        )
        return bool(rows)

    def _admitted(self, arrival: Arrival) -> Known:
        by, now = self._invited_by(arrival), self._context.now_ms()
        if by == SETUP:
            self._sql.run("INSERT INTO setup_codes (code) VALUES (?)", arrival.setup_code)
        elif by not in (LISTED, OPEN):
            self._sql.run("UPDATE invitations SET used_ms = ? WHERE code = ?", now, arrival.code)
        self._sql.run(
            "INSERT INTO people (person_id, operator, invited_by, at_ms) VALUES (?, ?, ?, ?)",
            arrival.person_id,
            int(by == SETUP),
            by,
            now,
        )
        if arrival.identity:
            self._sql.run(
                "INSERT INTO identities (issuer, subject, person_id) VALUES (?, ?, ?)",
                arrival.identity.issuer,
                arrival.identity.subject,
                arrival.person_id,
            )
        return Known(arrival.person_id, by == SETUP)

    def _invited_by(self, arrival: Arrival) -> str:
        """What lets somebody in who is not known. Raises `forbidden`."""
        # A setup code makes one operator. Whoever can set another one may make another operator.
        if arrival.code == arrival.setup_code and self.awaits_first(arrival.setup_code):
            return SETUP
        if arrival.listed:
            return LISTED
        if arrival.vouched_by:
            return arrival.vouched_by
        rows = self._sql.execute(
            "SELECT by_id FROM invitations WHERE code = ? AND used_ms IS NULL AND expires_ms > ?",
            arrival.code,
            self._context.now_ms(),
        )
        if rows:
            return str(rows[0]["by_id"])
        if arrival.sign_up_open:
            return OPEN
        raise because(ErrorCode.FORBIDDEN, "invitation_needed")

    def _is_spent(self, setup_code: str) -> bool:
        return bool(self._sql.execute("SELECT 1 FROM setup_codes WHERE code = ?", setup_code))

    def invite(self, by_id: str) -> InvitationMade:
        """An invitation for one person; its code is in this answer and nowhere else."""
        now = self._context.now_ms()
        waiting = self._sql.execute(
            "SELECT COUNT(*) AS n FROM invitations WHERE used_ms IS NULL AND expires_ms > ?", now
        )
        if waiting[0]["n"] >= INVITATIONS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "invitations_many", most=INVITATIONS_MAX)
        code = self._context.entropy(INVITATION_BYTES).hex()
        made = InvitationMade(
            id=self._context.new_id("inv"),
            created_ms=now,
            expires_ms=now + INVITATION_DAYS * DAY_MS,
            code=code,
        )
        self._sql.run("DELETE FROM invitations WHERE expires_ms < ?", now - INVITATION_DAYS * DAY_MS)
        self._sql.run(
            "INSERT INTO invitations (id, code, by_id, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?)",
            made.id,
            hashed(code),
            by_id,
            made.created_ms,
            made.expires_ms,
        )
        return made

    def invitations(self) -> list[Invitation]:
        """The newest first, those that were used or ended a short while ago too."""
        rows = self._sql.execute(
            "SELECT id, created_ms, expires_ms, used_ms FROM invitations"
            " ORDER BY created_ms DESC, id DESC LIMIT ?",
            INVITATIONS_MAX,
        )
        return [Invitation.model_validate(row) for row in rows]

    def take_back(self, invitation_id: str) -> None:
        """Raises `not_found` for one that is not there, or used."""
        if not self._sql.execute(
            "DELETE FROM invitations WHERE id = ? AND used_ms IS NULL RETURNING id", invitation_id
        ):
            raise because(ErrorCode.NOT_FOUND, "invitation_gone")

    def add_recovery(self, person_id: str, codes: list[str]) -> None:
        """Whose these hashes of recovery codes are, beside those that are known already."""

        def write() -> None:
            for code in codes:
                self._sql.run("INSERT INTO recovery (code, person_id) VALUES (?, ?)", code, person_id)

        self._sql.transaction(write)

    def forget_recovery(self, person_id: str, codes: list[str]) -> None:
        """Of the person's hashes, these are of codes that are good for nothing any more."""

        def write() -> None:
            for code in codes:
                self._sql.run("DELETE FROM recovery WHERE code = ? AND person_id = ?", code, person_id)

        self._sql.transaction(write)

    def forget(self, person_id: str) -> None:
        """Somebody has deleted their account: nobody is them any more, and nobody comes by their invitations.

        Whoever comes from the same account elsewhere is somebody new, and needs an invitation like one; but
        nobody comes from it for as long as who had it is banned.
        """

        def write() -> None:
            self._sql.run(
                "INSERT OR REPLACE INTO barred SELECT issuer, subject, person_id FROM identities"
                " WHERE person_id = ? AND person_id IN (SELECT owner_id FROM bans)",
                person_id,
            )
            for table in ("identities", "recovery", "people"):
                self._sql.run(f"DELETE FROM {table} WHERE person_id = ?", person_id)  # noqa: S608 - our names
            self._sql.run("DELETE FROM invitations WHERE by_id = ? AND used_ms IS NULL", person_id)

        self._sql.transaction(write)

    def by_recovery(self, code: str) -> Known | None:
        """Whose code this is: their own object says whether it is used."""
        rows = self._sql.execute("SELECT person_id FROM recovery WHERE code = ?", code)
        return self.person(rows[0]["person_id"]) if rows else None
