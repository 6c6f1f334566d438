"""The tables of notices, one step of the owner's schema.

A notice's row is one notice to one place; nothing of what was said stands in it. `subject` and `mark` say
what has to be as it was for the notice to be worth sending: an intent, or a run and when it moved. `sealed`
is where a place is, with its secrets, see `key_safe.py`.
"""

NOTICES_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE notices (
        id TEXT PRIMARY KEY, event TEXT NOT NULL, kind TEXT NOT NULL, channel TEXT NOT NULL,
        place_id TEXT NOT NULL, bot_id TEXT, thread_id TEXT, subject TEXT NOT NULL, mark INTEGER NOT NULL,
        state TEXT NOT NULL, reason TEXT, status INTEGER, tries INTEGER NOT NULL DEFAULT 0,
        due_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL,
        created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, UNIQUE (event, place_id))""",
    "CREATE INDEX notices_due ON notices (due_ms, id) WHERE state = 'pending'",
    "CREATE INDEX notices_by_age ON notices (created_ms, id)",
    """CREATE TABLE notice_places (
        id TEXT PRIMARY KEY, channel TEXT NOT NULL, shown TEXT NOT NULL, sealed TEXT NOT NULL,
        created_ms INTEGER NOT NULL, used_ms INTEGER)""",
    # Each mail that was tried, for their limits: notices, and codes that confirm an address.
    "CREATE TABLE notice_mails (at_ms INTEGER NOT NULL, kind TEXT NOT NULL)",
)
