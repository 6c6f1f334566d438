"""The tables of a deployment: the record, who may run and go out, what all computers cost, the owners."""

from durable_objects.platform.directory import BARRED_TABLE, DIRECTORY_TABLES

SCHEMA: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE audit (
            n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL,
            kind TEXT NOT NULL, at_ms INTEGER NOT NULL, details TEXT NOT NULL)""",
        "CREATE INDEX audit_by_owner ON audit (owner_id, n)",
    ),
    (
        "CREATE TABLE bans (owner_id TEXT PRIMARY KEY, reason TEXT NOT NULL, at_ms INTEGER NOT NULL)",
        "CREATE TABLE breaker (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
    ),
    # Whose computer has not heard of the newest change yet; `n` only grows.
    ("CREATE TABLE ban_news (n INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL UNIQUE)",),
    # See `circuits.py`; `hour` counts from the epoch in UTC.
    (
        """CREATE TABLE spending (
            hour INTEGER NOT NULL, owner_id TEXT NOT NULL, ledger_id TEXT NOT NULL, micro INTEGER NOT NULL,
            PRIMARY KEY (hour, owner_id, ledger_id)) WITHOUT ROWID""",
        """CREATE TABLE starts (
            n INTEGER PRIMARY KEY AUTOINCREMENT, owner_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
            failed INTEGER NOT NULL)""",
        "CREATE INDEX starts_by_age ON starts (at_ms)",
        "CREATE TABLE circuits (name TEXT PRIMARY KEY, state TEXT NOT NULL)",
    ),
    DIRECTORY_TABLES,
    (
        # See `audit.py`. An entry of an older version has no hash yet; the next look gives it one.
        "ALTER TABLE audit ADD COLUMN actor TEXT",
        "ALTER TABLE audit ADD COLUMN previous TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE audit ADD COLUMN owner_previous TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX audit_unchained ON audit (n) WHERE hash = ''",
        """CREATE TABLE audit_head (
            one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL, hash TEXT NOT NULL)""",
        """CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
            BEGIN SELECT RAISE(ABORT, 'the record only grows'); END""",
        """CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit WHEN OLD.hash <> ''
            BEGIN SELECT RAISE(ABORT, 'the record only grows'); END""",
    ),
    (
        # See `owners.py`; `report` is what an owner's object told last.
        """CREATE TABLE owners (
            owner_id TEXT PRIMARY KEY, first_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL,
            state TEXT, state_ms INTEGER, reason TEXT, report TEXT, deleted_ms INTEGER,
            exempt TEXT) WITHOUT ROWID""",
        "CREATE INDEX owners_by_sight ON owners (seen_ms, owner_id)",
        """INSERT INTO owners (owner_id, first_ms, seen_ms)
            SELECT owner_id, MIN(at_ms), MAX(at_ms) FROM audit
            WHERE owner_id <> 'platform' GROUP BY owner_id""",
        """UPDATE owners SET (state, state_ms, reason) =
            (SELECT substr(kind, 10), at_ms, details ->> 'reason' FROM audit
            WHERE owner_id = owners.owner_id
            AND kind IN ('computer_starting', 'computer_running', 'computer_standby')
            ORDER BY n DESC LIMIT 1)""",
    ),
    (
        # What an owner alone may read of an entry: beside the record, since it goes with the owner.
        """CREATE TABLE audit_own (
            n INTEGER PRIMARY KEY, owner_id TEXT NOT NULL, own TEXT NOT NULL)""",
        "CREATE INDEX audit_own_by_owner ON audit_own (owner_id, n)",
    ),
    (BARRED_TABLE,),
)
