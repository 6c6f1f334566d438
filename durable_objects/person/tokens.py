"""A person's API tokens: what a program may do in their name, which is never to manage or to operate."""

import json

from contracts.errors import ErrorCode
from contracts.limits import TOKENS_MAX
from contracts.people import Credential, Right, Token, TokenCreate, TokenMade
from contracts.reasons import because
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, new_secret
from durable_objects.shared.sql import Row

DAY_MS = 24 * 3_600_000
# How exactly it is known when one was used: each note of it is a write.
USED_MS = 600_000


class Tokens:
    def __init__(self, context: Context, person_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._person_id = person_id

    def create(self, wanted: TokenCreate) -> TokenMade:
        if self._sql.execute("SELECT COUNT(*) AS n FROM tokens")[0]["n"] >= TOKENS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "tokens_many", most=TOKENS_MAX)
        now_ms = self._context.now_ms()
        secret, token_id = (
            new_secret("t", self._person_id, self._context.entropy),
            self._context.new_id("tok"),
        )
        scopes = [scope for scope in Right if scope in wanted.scopes]
        self._sql.run(
            "INSERT INTO tokens (id, hash, name, scopes, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?)",
            token_id,
            hashed(secret),
            wanted.name,
            json.dumps(scopes),
            now_ms,
            now_ms + wanted.days * DAY_MS if wanted.days else None,
        )
        rows = self._sql.execute("SELECT * FROM tokens WHERE id = ?", token_id)
        return TokenMade(**_fields(rows[0]), token=secret)

    def all(self) -> list[Token]:
        """The newest first, those that have ended too."""
        rows = self._sql.execute("SELECT * FROM tokens ORDER BY created_ms DESC, id DESC")
        return [Token(**_fields(row)) for row in rows]

    def known(self, secret_hash: str) -> Credential | None:
        """The token of a secret, if it holds."""
        rows, now_ms = (
            self._sql.execute("SELECT * FROM tokens WHERE hash = ?", secret_hash),
            self._context.now_ms(),
        )
        if not rows or (rows[0]["expires_ms"] is not None and rows[0]["expires_ms"] <= now_ms):
            return None
        row = rows[0]
        if (row["used_ms"] or 0) + USED_MS <= now_ms:
            self._sql.run("UPDATE tokens SET used_ms = ? WHERE id = ?", now_ms, row["id"])
        rights = frozenset(map(Right, json.loads(row["scopes"])))
        return Credential(id=row["id"], rights=rights, until_ms=row["expires_ms"])

    def remove(self, token_id: str) -> None:
        """Raises `not_found` for one that is not there."""
        if not self._sql.execute("DELETE FROM tokens WHERE id = ? RETURNING id", token_id):
            raise because(ErrorCode.NOT_FOUND, "token_gone")


def _fields(row: Row) -> Row:
    kept = {name: row[name] for name in ("id", "name", "created_ms", "expires_ms", "used_ms")}
    return {**kept, "scopes": json.loads(row["scopes"])}
