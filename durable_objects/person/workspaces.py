"""Which workspaces a person belongs to: a hint for their list. Each workspace's own members decide.

It is written before somebody joins and removed after they have left, so whatever dies between, the list asks
one workspace too many and never one too few.
"""

from contracts.errors import ErrorCode
from contracts.limits import WORKSPACES_A_PERSON_MAX
from contracts.reasons import because
from durable_objects.shared.context import Context

WORKSPACES_SCHEMA = (
    "CREATE TABLE workspaces (owner_id TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID",
)
# So long somebody may be on their way in: until then a hint is kept, whatever its workspace says.
JOINING_MS = 60_000


class Workspaces:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def all(self) -> list[str]:
        rows = self._sql.execute("SELECT owner_id FROM workspaces ORDER BY at_ms, owner_id")
        return [str(row["owner_id"]) for row in rows]

    def has(self, owner_id: str) -> bool:
        """Where not, the person does not belong there; where it has, the workspace says whether they do."""
        return bool(self._sql.execute("SELECT 1 FROM workspaces WHERE owner_id = ?", owner_id))

    def add(self, owner_id: str) -> None:
        """Raises `invalid_request` where there are as many as a person may belong to."""
        known = self.all()
        if owner_id in known:
            self._sql.run(
                "UPDATE workspaces SET at_ms = ? WHERE owner_id = ?", self._context.now_ms(), owner_id
            )
            return
        if len(known) >= WORKSPACES_A_PERSON_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "workspaces_many", most=WORKSPACES_A_PERSON_MAX)
        self._sql.run(
            "INSERT INTO workspaces (owner_id, at_ms) VALUES (?, ?)", owner_id, self._context.now_ms()
        )

    def forget(self, owner_ids: list[str]) -> None:
        """Of those, which their workspaces do not know the person by."""
        until_ms = self._context.now_ms() - JOINING_MS
        for owner_id in owner_ids:
            self._sql.run("DELETE FROM workspaces WHERE owner_id = ? AND at_ms <= ?", owner_id, until_ms)

    def remove(self, owner_id: str) -> None:
        self._sql.run("DELETE FROM workspaces WHERE owner_id = ?", owner_id)
