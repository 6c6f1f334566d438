"""The ways in of one person: passkeys, accounts elsewhere, recovery codes. The last one cannot be taken away.

What a browser says was checked by the Worker (`workers/api/sign_in/`); here is what has to be decided in one
place: a challenge counts once, a counter only rises, a recovery code is used up.
"""

from base64 import b32encode
from dataclasses import dataclass
from hashlib import sha256
from typing import NoReturn

from contracts.errors import ErrorCode
from contracts.limits import PASSKEYS_MAX, RECOVERY_CODES
from contracts.reasons import because
from contracts.sign_in import Passkey, SignInAccount, WaysIn
from durable_objects.shared.context import Context
from durable_objects.shared.ids import Entropy
from durable_objects.shared.once import ONCE_TABLE, Once

WAYS_TABLES: tuple[str, ...] = (
    """CREATE TABLE passkeys (
        id TEXT PRIMARY KEY, public_key TEXT NOT NULL, counter INTEGER NOT NULL, backed_up INTEGER NOT NULL,
        name TEXT NOT NULL, created_ms INTEGER NOT NULL, used_ms INTEGER) WITHOUT ROWID""",
    """CREATE TABLE accounts (
        issuer TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, used_ms INTEGER NOT NULL,
        PRIMARY KEY (issuer, subject)) WITHOUT ROWID""",
    "CREATE TABLE recovery (hash TEXT PRIMARY KEY) WITHOUT ROWID",
    ONCE_TABLE,
)
# 80 bits, which nobody guesses, and no more than a person copies by hand.
RECOVERY_BYTES = 10
# Digits that are taken for letters: neither 0 nor 1 is one of base 32.
MISREAD = str.maketrans({"0": "O", "1": "I", "8": "B"})


@dataclass(frozen=True)
class Challenge:
    """What a browser was asked with, as the Worker has signed it, and until when it may answer."""

    value: str
    until_ms: int


@dataclass(frozen=True)
class KeyMaterial:
    """What the Worker checks an answer with. `public_key` is COSE as base64url."""

    id: str
    public_key: str
    counter: int
    backed_up: bool = False


def recovery_hash(code: str) -> str:
    """Of a code as a person types it: case, spaces, dashes and digits for letters do not matter."""
    plain = "".join(one for one in code.upper().translate(MISREAD) if one.isalnum())
    return sha256(plain.encode()).hexdigest()


def new_recovery_codes(entropy: Entropy) -> list[str]:
    """Ten, to be shown once."""
    return [_grouped(b32encode(entropy(RECOVERY_BYTES)).decode()) for _ in range(RECOVERY_CODES)]


def refuse() -> NoReturn:
    """One sentence for all that does not hold: no more of it helps anybody but a stranger."""
    raise because(ErrorCode.UNAUTHENTICATED, "not_signed_in")


class Ways:
    """`context` is the person's; a name is theirs to choose and no key of anything."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql
        self._once = Once(context)

    def shown(self, person_id: str, name: str, *, operator: bool) -> WaysIn:
        return WaysIn(
            person_id=person_id,
            name=name,
            operator=operator,
            passkeys=[
                _passkey(row) for row in self._sql.execute("SELECT * FROM passkeys ORDER BY created_ms, id")
            ],
            accounts=[
                SignInAccount(issuer=row["issuer"], name=row["name"], used_ms=row["used_ms"])
                for row in self._sql.execute("SELECT * FROM accounts ORDER BY issuer, subject")
            ],
            recovery_codes_left=self._count("recovery"),
        )

    def material(self, passkey_id: str) -> KeyMaterial:
        """Raises `unauthenticated` for one that is not this person's."""
        rows = self._sql.execute("SELECT id, public_key, counter FROM passkeys WHERE id = ?", passkey_id)
        return KeyMaterial(**rows[0]) if rows else refuse()

    def add(self, challenge: Challenge, key: KeyMaterial, name: str) -> Passkey:
        """A passkey whose answer to the challenge holds. Told twice, it is there once."""
        known = self._sql.execute(
            "SELECT * FROM passkeys WHERE id = ? AND public_key = ?", key.id, key.public_key
        )
        if known:
            return _passkey(known[0])
        if self._count("passkeys") >= PASSKEYS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "passkeys_many", most=PASSKEYS_MAX)

        def write() -> None:
            self._spend(challenge)
            self._sql.run(
                "INSERT INTO passkeys (id, public_key, counter, backed_up, name, created_ms)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                key.id,
                key.public_key,
                key.counter,
                int(key.backed_up),
                name,
                self._context.now_ms(),
            )

        self._sql.transaction(write)
        return self.one(key.id)

    def use(self, challenge: Challenge, passkey_id: str, counter: int, *, backed_up: bool) -> None:
        """A sign-in that holds. Raises `unauthenticated` for a used challenge or a counter that fell."""

        def write() -> None:
            self._spend(challenge)
            # Authenticators that do not count say zero each time. One that went back was copied.
            rows = self._sql.execute(
                "UPDATE passkeys SET counter = ?, backed_up = ?, used_ms = ?"
                " WHERE id = ? AND (counter < ? OR (counter = 0 AND ? = 0)) RETURNING id",
                counter,
                int(backed_up),
                self._context.now_ms(),
                passkey_id,
                counter,
                counter,
            )
            if not rows:
                refuse()

        self._sql.transaction(write)

    def one(self, passkey_id: str) -> Passkey:
        rows = self._sql.execute("SELECT * FROM passkeys WHERE id = ?", passkey_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "passkey_gone")
        return _passkey(rows[0])

    def rename(self, passkey_id: str, name: str) -> Passkey:
        self.one(passkey_id)
        self._sql.run("UPDATE passkeys SET name = ? WHERE id = ?", name, passkey_id)
        return self.one(passkey_id)

    def remove(self, passkey_id: str) -> None:
        """Raises `last_way_in` where nothing else would let its person in."""
        self.one(passkey_id)
        if self._count("passkeys") == 1 and not self._count("accounts") and not self._count("recovery"):
            raise because(ErrorCode.LAST_WAY_IN, "last_way_in")
        self._sql.run("DELETE FROM passkeys WHERE id = ?", passkey_id)

    def came_by(self, issuer: str, subject: str, name: str) -> None:
        """An account elsewhere has signed its person in, for the first time or again. `subject` is a hash."""
        self._sql.run(
            "INSERT OR REPLACE INTO accounts (issuer, subject, name, used_ms) VALUES (?, ?, ?, ?)",
            issuer,
            subject,
            name,
            self._context.now_ms(),
        )

    def keep_recovery_codes(self, hashes: list[str]) -> list[str]:
        """New codes by their hashes; those before them are good for nothing any more → their hashes."""

        def write() -> list[str]:
            before = self._sql.execute("DELETE FROM recovery RETURNING hash")
            for code_hash in hashes:
                self._sql.run("INSERT INTO recovery (hash) VALUES (?)", code_hash)
            return [str(row["hash"]) for row in before]

        return self._sql.transaction(write)

    def recover(self, code_hash: str) -> None:
        """Use up a code. Raises `unauthenticated` for one that is used or was never there."""
        if not self._sql.execute("DELETE FROM recovery WHERE hash = ? RETURNING hash", code_hash):
            refuse()

    def _spend(self, challenge: Challenge) -> None:
        if not self._once.spend(challenge.value, challenge.until_ms):
            refuse()

    def _count(self, table: str) -> int:
        return int(self._sql.execute(f"SELECT COUNT(*) AS n FROM {table}")[0]["n"])  # noqa: S608 - our names


def _passkey(row: dict[str, object]) -> Passkey:
    fields = {name: row[name] for name in ("id", "name", "created_ms", "used_ms")}
    return Passkey.model_validate({**fields, "backed_up": bool(row["backed_up"])})


def _grouped(code: str) -> str:
    return "-".join(code[at : at + 4] for at in range(0, len(code), 4))
