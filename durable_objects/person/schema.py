"""The tables of one person. A person is there from the first row of `profile` on."""

from durable_objects.person.departure import DEPARTURE_SCHEMA
from durable_objects.person.ways import WAYS_TABLES
from durable_objects.person.workspaces import WORKSPACES_SCHEMA
from durable_objects.shared.audit_desk import AUDIT_SCHEMA

SCHEMA: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE profile (
            one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, created_ms INTEGER NOT NULL)""",
        # `next_hash` was offered and not used yet; `before_hash` was used until `next_hash` was.
        """CREATE TABLE sessions (
            id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, next_hash TEXT, before_hash TEXT,
            before_until_ms INTEGER NOT NULL DEFAULT 0, offered_ms INTEGER NOT NULL DEFAULT 0,
            rotated_ms INTEGER NOT NULL, device TEXT NOT NULL, operator INTEGER NOT NULL,
            created_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL) WITHOUT ROWID""",
        """CREATE TABLE tokens (
            id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scopes TEXT NOT NULL,
            created_ms INTEGER NOT NULL, expires_ms INTEGER, used_ms INTEGER) WITHOUT ROWID""",
        """CREATE TABLE tickets (
            hash TEXT PRIMARY KEY, credential_id TEXT NOT NULL, owner_id TEXT NOT NULL, path TEXT NOT NULL,
            until_ms INTEGER NOT NULL) WITHOUT ROWID""",
    ),
    WAYS_TABLES,
    WORKSPACES_SCHEMA,
    DEPARTURE_SCHEMA,
    AUDIT_SCHEMA,
)
