"""A person takes what is theirs along and goes: asked by their own owner's object, which deletes it all.

What stays of a deleted account is one row that says so, so that neither a browser that is still known for
a moment nor a sign-in under way makes somebody of that id again.
What the record has not heard yet stays until it has: it is told before, and by the alarm.
"""

from collections.abc import Callable, Mapping
from typing import Any

from contracts.errors import BerthError, ErrorCode
from contracts.sign_in import WaysIn
from durable_objects.person.sessions import Sessions
from durable_objects.person.tokens import Tokens
from durable_objects.person.workspaces import Workspaces
from durable_objects.shared.context import Context

DEPARTURE_SCHEMA = ("CREATE TABLE gone (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL)",)
TABLES = (
    "tickets", "sessions", "tokens", "passkeys", "accounts", "recovery", "spent", "workspaces", "profile",
)  # fmt: skip

Fields = Mapping[str, Any]


class Departure:
    def __init__(self, context: Context, sessions: Sessions, tokens: Tokens, workspaces: Workspaces) -> None:
        self._context = context
        self._sql = context.sql
        self._sessions = sessions
        self._tokens = tokens
        self._workspaces = workspaces

    @property
    def is_gone(self) -> bool:
        known = self._sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'gone'")
        return bool(known) and bool(self._sql.execute("SELECT 1 FROM gone"))

    def do(self, step: str, fields: Fields, *, exists: bool, ways: Callable[[], WaysIn]) -> Any:
        """Each may be asked again. `exists`: whether there is somebody; of nobody there is nothing."""
        match step:
            case "belongs_to":
                return {"items": self._workspaces.all() if exists else []}
            case "told":
                return self._told(ways()) if exists else {}
            case "end_credentials":
                return self._end_credentials() if exists else {"ids": [], "workspaces": []}
            case "left":
                return self._workspaces.remove(fields["owner_id"]) if exists else None
            case "forget":
                return self._sql.transaction(self._forget) if exists else None
        raise KeyError(step)

    def _told(self, ways: WaysIn) -> Any:
        """Everything that is kept of them but what signs in: for their archive."""
        return {
            **ways.model_dump(mode="json", exclude={"operator"}),
            "created_ms": self._sql.execute("SELECT created_ms FROM profile")[0]["created_ms"],
            "sessions": [one.model_dump(exclude={"current"}) for one in self._sessions.all("")],
            "tokens": [one.model_dump(mode="json") for one in self._tokens.all()],
            "workspaces": self._sql.execute(
                "SELECT owner_id, at_ms FROM workspaces ORDER BY at_ms, owner_id"
            ),
        }

    def _end_credentials(self) -> Any:
        """The ids of the sessions and tokens that have ended, and where streams may be open by them."""

        def write() -> list[str]:
            self._sql.run("DELETE FROM tickets")
            ended = [
                self._sql.execute(f"DELETE FROM {table} RETURNING id")  # noqa: S608 - our names
                for table in ("sessions", "tokens")
            ]
            return [str(row["id"]) for rows in ended for row in rows]

        return {"ids": self._sql.transaction(write), "workspaces": self._workspaces.all()}

    def _forget(self) -> None:
        if self._workspaces.all():
            raise BerthError(ErrorCode.INTERNAL, "A workspace was joined meanwhile, and is left first.")
        for table in TABLES:
            self._sql.run(f"DELETE FROM {table}")  # noqa: S608 - our names
        self._sql.run("INSERT INTO gone (one, at_ms) VALUES (1, ?)", self._context.now_ms())
