"""The tables of one computer. `machine` has one row; `commands` one a command, kept as its
result; `listings` one a folder that somebody looked at; `egress_bucket` one, with what may still be
sent and fetched; `egress_rules` one a rule of the owner's own; `backups` one a backup that counts, by the
time as of which it has the files; `pieces` one a pack or manifest known to be whole in R2; `ban` one, once
Platform has said anything; `meter` one, with how far the machine's time was counted; `settlements` some
of it that the owner's ledger does not have yet."""

SCHEMA: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE machine (
            one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, generation INTEGER NOT NULL,
            since_ms INTEGER NOT NULL, until_ms INTEGER, reason TEXT, boot TEXT, snapshot TEXT)""",
        """CREATE TABLE commands (
            id TEXT PRIMARY KEY, state TEXT NOT NULL, origin TEXT NOT NULL, thread_id TEXT NOT NULL,
            command TEXT NOT NULL, timeout_s INTEGER NOT NULL, generation INTEGER NOT NULL DEFAULT 0,
            accepted_ms INTEGER NOT NULL, started_ms INTEGER, ended_ms INTEGER,
            result TEXT)""",
        "CREATE TABLE listings (path TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, listing TEXT NOT NULL)",
        "CREATE INDEX commands_by_state ON commands (state)",
    ),
    (
        """CREATE TABLE egress_bucket (
            one INTEGER PRIMARY KEY CHECK (one = 1), requests REAL NOT NULL, bytes REAL NOT NULL,
            at_ms INTEGER NOT NULL)""",
        """CREATE TABLE egress_rules (
            id TEXT PRIMARY KEY, host TEXT NOT NULL, path TEXT NOT NULL, until_ms INTEGER NOT NULL,
            created_ms INTEGER NOT NULL)""",
    ),
    (
        "ALTER TABLE machine ADD COLUMN saved_ms INTEGER",
        "ALTER TABLE machine ADD COLUMN loss TEXT",
    ),
    (
        "ALTER TABLE machine DROP COLUMN loss",
        "ALTER TABLE machine ADD COLUMN snapshot_ms INTEGER",
        "ALTER TABLE machine ADD COLUMN snapshot_image TEXT",
        "ALTER TABLE machine ADD COLUMN saving_ms INTEGER",
        "ALTER TABLE machine ADD COLUMN woke_ms INTEGER",
        "ALTER TABLE machine ADD COLUMN lost_ms INTEGER",
        "ALTER TABLE machine ADD COLUMN untold TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE machine ADD COLUMN sweep_ms INTEGER",
        "UPDATE machine SET snapshot_ms = saved_ms",
        """CREATE TABLE backups (
            as_of_ms INTEGER PRIMARY KEY, generation INTEGER NOT NULL, manifest TEXT NOT NULL,
            pieces TEXT NOT NULL, unread INTEGER NOT NULL, unread_names TEXT NOT NULL)""",
        "CREATE TABLE pieces (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL)",
    ),
    (
        """CREATE TABLE ban (
            one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER NOT NULL, reason TEXT,
            at_ms INTEGER NOT NULL)""",
    ),
    # A machine in standby kept the time at which it had gone to sleep, and each alarm set the next for then.
    ("UPDATE machine SET until_ms = NULL WHERE state = 'standby'",),
    (
        """CREATE TABLE meter (
            one INTEGER PRIMARY KEY CHECK (one = 1), instance TEXT NOT NULL, runs INTEGER NOT NULL,
            settled_ms INTEGER NOT NULL, accounts TEXT NOT NULL)""",
        """CREATE TABLE settlements (
            n INTEGER PRIMARY KEY AUTOINCREMENT, ms INTEGER NOT NULL, intervals TEXT NOT NULL)""",
        "ALTER TABLE commands ADD COLUMN account TEXT NOT NULL DEFAULT '{}'",
    ),
    ("ALTER TABLE commands ADD COLUMN stop_asked INTEGER NOT NULL DEFAULT 0",),
)
