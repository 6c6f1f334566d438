"""What belongs in an owner's archive: a name for each file, and where its content comes from.

Keys and secrets are in none of it. Threads that are deleted, and what belongs to them, are not either.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from durable_objects.bot_owner.files import clean_name
from durable_objects.shared.ids import WORKSPACE_ID
from durable_objects.shared.sql import Row, Sql


@dataclass(frozen=True)
class Planned:
    name: str
    kind: str
    """Of `documents.py`, or `stored`."""
    subject: str = ""
    stored: str = ""
    """The key in R2 of what is not made anew."""


OPERATIONS: Mapping[str, str] = {
    "settings.json": "me",
    "bots.json": "bots",
    "routines.json": "routines",
    "trading.json": "trading",
    "trading-accounts.json": "trading_accounts",
    "notices.json": "notices",
    "allowance.json": "allowance",
}
"""Files that are what the API answers, by the name of the operation."""

KEPT = "thread_id IN (SELECT id FROM threads WHERE deleted = 0)"
PICTURES = (
    "SELECT data ->> '$.tool_call_id' AS id, data ->> '$.picture.media_type' AS media_type FROM events"
    " WHERE type = 'tool.finished' AND data ->> '$.picture' IS NOT NULL"
    " AND thread_id IN (SELECT id FROM threads WHERE deleted = 0)"
    # A branch has the calls of its thread as well.
    " GROUP BY id ORDER BY MAX(at_ms) DESC, id"
)


def planned(sql: Sql, owner_id: str) -> Iterator[Planned]:
    """Every file, the most needed first: what is left out where there are too many comes last."""
    yield from (Planned(name, "operation", operation) for name, operation in OPERATIONS.items())
    if not WORKSPACE_ID.fullmatch(owner_id):
        yield Planned("person.json", "person")
    yield Planned("members.jsonl", "members")
    yield Planned("routine-history.jsonl", "firings")
    yield Planned("ledger.jsonl", "ledger")
    yield Planned("orders.jsonl", "orders")
    yield Planned("record.jsonl", "record")
    yield Planned("egress-rules.json", "egress")
    for row in sql.execute("SELECT id FROM threads WHERE deleted = 0 ORDER BY created_ms DESC, id DESC"):
        yield Planned(f"threads/{row['id']}.md", "markdown", row["id"])
        yield Planned(f"threads/{row['id']}.json", "json", row["id"])
    artifacts = (
        f"SELECT id, name, key FROM artifacts WHERE deleted = 0 AND {KEPT} ORDER BY created_ms DESC, id"  # noqa: S608 - our words
    )
    yield from (_stored("artifacts", row) for row in sql.execute(artifacts))
    uploads = f"SELECT id, name, key FROM uploads WHERE {KEPT} ORDER BY created_ms DESC, id"  # noqa: S608 - our words
    yield from (_stored("uploads", row) for row in sql.execute(uploads))
    for row in sql.execute(PICTURES):
        ending = str(row["media_type"]).rpartition("/")[2]
        key = f"owners/{owner_id}/pictures/{row['id']}"
        yield Planned(f"pictures/{row['id']}.{clean_name(ending)}", "stored", row["id"], key)


def _stored(folder: str, row: Row) -> Planned:
    return Planned(f"{folder}/{row['id']}/{clean_name(row['name'])}", "stored", row["id"], row["key"])
