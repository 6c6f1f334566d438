"""The tables of one owner.

`events` is the thread's record and the only place that says what happened. `runs` and `steps` are
the journal of work that is not finished; `sent` makes sending a message idempotent. A model's answer
has seen the thread up to `seen_seq`, its news began behind `after_seq`, it was asked for by `prompt`, and
`said` is how many characters of text it had.
"""

from durable_objects.bot_owner.archive.schema import ARCHIVE_SCHEMA
from durable_objects.bot_owner.billing.schema import BILLING_SCHEMA
from durable_objects.bot_owner.command_history import COMMANDS_SCHEMA
from durable_objects.bot_owner.invitations import INVITATIONS_SCHEMA, INVITED_BY_SCHEMA
from durable_objects.bot_owner.members import MEMBER_NAMES_SCHEMA, MEMBERS_SCHEMA
from durable_objects.bot_owner.notices.schema import NOTICES_SCHEMA
from durable_objects.bot_owner.owed_stops import OWED_STOPS_SCHEMA
from durable_objects.bot_owner.routines.rows import ROUTINES_SCHEMA
from durable_objects.bot_owner.venue.schema import ACCOUNTS_SCHEMA, FENCE_SCHEMA, VENUE_SCHEMA
from durable_objects.shared.audit_desk import AUDIT_SCHEMA
from durable_objects.shared.timers import TIMERS_SCHEMA

SCHEMA: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        """CREATE TABLE bots (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, instructions TEXT NOT NULL,
            provider TEXT NOT NULL, base_url TEXT NOT NULL, model TEXT NOT NULL, api_key TEXT NOT NULL,
            created_ms INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE threads (
            id TEXT PRIMARY KEY, bot_id TEXT NOT NULL, title TEXT NOT NULL,
            head_seq INTEGER NOT NULL DEFAULT 0,
            seen_seq INTEGER NOT NULL DEFAULT 0, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
            deleted INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE events (
            thread_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, at_ms INTEGER NOT NULL,
            data TEXT NOT NULL, PRIMARY KEY (thread_id, seq)) WITHOUT ROWID""",
        """CREATE TABLE sent (
            client_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
            run_id TEXT NOT NULL) WITHOUT ROWID""",
        "CREATE INDEX sent_by_thread ON sent (thread_id, seq)",
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, bot_id TEXT NOT NULL, state TEXT NOT NULL,
            origin TEXT NOT NULL, tainted INTEGER NOT NULL DEFAULT 0, rounds INTEGER NOT NULL DEFAULT 0,
            round_limit INTEGER NOT NULL, stop_asked INTEGER NOT NULL DEFAULT 0,
            error TEXT, reason TEXT, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL)""",
        "CREATE INDEX runs_by_thread ON runs (thread_id, created_ms)",
        "CREATE INDEX runs_by_state ON runs (state)",
        # One row a model answer (n = 0) and one a tool call (n = 1, 2, …) of a round.
        """CREATE TABLE steps (
            run_id TEXT NOT NULL, round INTEGER NOT NULL, n INTEGER NOT NULL, state TEXT NOT NULL,
            attempt INTEGER NOT NULL DEFAULT 1,
            after_seq INTEGER NOT NULL DEFAULT 0, seen_seq INTEGER NOT NULL DEFAULT 0,
            call_id TEXT, tool TEXT, arguments TEXT,
            PRIMARY KEY (run_id, round, n)) WITHOUT ROWID""",
        "CREATE UNIQUE INDEX steps_by_call ON steps (call_id) WHERE call_id IS NOT NULL",
        # Texts of files that are too long for a step's row, until their call has ended.
        """CREATE TABLE call_texts (
            call_id TEXT NOT NULL, name TEXT NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (call_id, name, start)) WITHOUT ROWID""",
        """CREATE TABLE uploads (
            id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
            size INTEGER NOT NULL, key TEXT NOT NULL, path TEXT, sent INTEGER NOT NULL DEFAULT 0,
            created_ms INTEGER NOT NULL)""",
        """CREATE TABLE artifacts (
            id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, run_id TEXT NOT NULL,
            tool_call_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, media_type TEXT NOT NULL,
            size INTEGER NOT NULL, sha256 TEXT NOT NULL, key TEXT NOT NULL, created_ms INTEGER NOT NULL,
            deleted INTEGER NOT NULL DEFAULT 0)""",
        "CREATE INDEX artifacts_by_age ON artifacts (created_ms, id) WHERE deleted = 0",
    ),
    (
        # `multipart_id` is R2's; empty until R2 has given it.
        """CREATE TABLE unfinished_uploads (
            id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL,
            size INTEGER NOT NULL, key TEXT NOT NULL, multipart_id TEXT NOT NULL DEFAULT '',
            until_ms INTEGER NOT NULL)""",
        """CREATE TABLE upload_parts (
            upload_id TEXT NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL,
            PRIMARY KEY (upload_id, number)) WITHOUT ROWID""",
    ),
    ("ALTER TABLE uploads ADD COLUMN delivered_ms INTEGER",),
    # A row from the moment on at which the owner asked for everything to be deleted.
    ("CREATE TABLE deletion (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)",),
    (
        "ALTER TABLE runs ADD COLUMN used_tools INTEGER NOT NULL DEFAULT 0",
        "UPDATE runs SET used_tools = tainted",
        "ALTER TABLE runs ADD COLUMN verified INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE runs ADD COLUMN question TEXT",
        # `tainted_by` is the first tainted run of a thread, or of the one that it is a branch of.
        "ALTER TABLE threads ADD COLUMN tainted_by TEXT",
        "ALTER TABLE threads ADD COLUMN branch_of TEXT",
        """UPDATE threads SET tainted_by = (SELECT id FROM runs
            WHERE thread_id = threads.id AND tainted = 1 ORDER BY created_ms, id LIMIT 1)""",
        "ALTER TABLE runs ADD COLUMN taint TEXT NOT NULL DEFAULT '[]'",
        "ALTER TABLE steps ADD COLUMN prompt TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE steps ADD COLUMN said INTEGER NOT NULL DEFAULT 1",
        """CREATE VIEW unfinished_runs AS
            SELECT * FROM runs WHERE state NOT IN ('done', 'failed', 'stopped')""",
        # Of each thread the run that it is at, else its newest one.
        """CREATE VIEW shown_runs AS SELECT * FROM runs AS run WHERE id = COALESCE(
            (SELECT id FROM unfinished_runs WHERE thread_id = run.thread_id ORDER BY created_ms, id LIMIT 1),
            (SELECT id FROM runs WHERE thread_id = run.thread_id
                ORDER BY created_ms DESC, id DESC LIMIT 1))""",
        # See `window.py`.
        """CREATE TABLE windows (
            thread_id TEXT PRIMARY KEY, short_until INTEGER NOT NULL, until INTEGER NOT NULL,
            run_id TEXT NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID""",
        "CREATE INDEX sent_by_run ON sent (run_id, seq)",
        "DROP INDEX sent_by_thread",
    ),
    VENUE_SCHEMA,
    (
        # `api_key` is sealed, see `key_safe.py`; `recording` is what `scripted` plays, as JSON.
        "ALTER TABLE bots ADD COLUMN effort TEXT",
        "ALTER TABLE bots ADD COLUMN temperature REAL",
        "ALTER TABLE bots ADD COLUMN recording TEXT",
        "ALTER TABLE bots ADD COLUMN rounds INTEGER NOT NULL DEFAULT 40",
        # What an answer ended with: tokens as JSON, and what its provider wants to see again.
        "ALTER TABLE steps ADD COLUMN usage TEXT",
        "ALTER TABLE steps ADD COLUMN kept TEXT",
        "ALTER TABLE runs ADD COLUMN usage TEXT",
        # See `window.py`.
        """CREATE TABLE model_windows (
            model TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID""",
    ),
    (
        # See `retention.py`: results and pictures by their age.
        "CREATE INDEX finished_by_age ON events (at_ms, thread_id, seq) WHERE type = 'tool.finished'",
    ),
    (
        # Who gave the title: `message`, `model` or `person`; see `titles.py`.
        "ALTER TABLE threads ADD COLUMN title_by TEXT NOT NULL DEFAULT 'person'",
        "ALTER TABLE threads ADD COLUMN title_tries INTEGER NOT NULL DEFAULT 0",
        # When a deleted thread is removed for good; empty when it has been. See `removals.py`.
        "ALTER TABLE threads ADD COLUMN purge_ms INTEGER",
        "UPDATE threads SET purge_ms = 0 WHERE deleted = 1",
        "CREATE INDEX threads_by_purge ON threads (purge_ms) WHERE purge_ms IS NOT NULL",
        "CREATE INDEX threads_by_branch ON threads (branch_of) WHERE branch_of IS NOT NULL",
        # See `search.py`; ids go up with the time of the message.
        """CREATE TABLE findable (
            id INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
            indexed INTEGER NOT NULL DEFAULT 0, UNIQUE (thread_id, seq))""",
        "CREATE INDEX findable_later ON findable (id) WHERE indexed = 0",
        """INSERT INTO findable (thread_id, seq) SELECT thread_id, seq FROM events
            WHERE type = 'message.created' ORDER BY at_ms, thread_id, seq""",
        """CREATE VIRTUAL TABLE found_words USING fts5 (
            terms, tokenize = 'unicode61 remove_diacritics 2')""",
    ),
    ACCOUNTS_SCHEMA,
    BILLING_SCHEMA,
    NOTICES_SCHEMA,
    (
        *TIMERS_SCHEMA,
        # What was under an alarm alone so far looks at once, and says itself when it looks again.
        "INSERT INTO timers SELECT 'uploads', '', 0, 0 WHERE EXISTS (SELECT 1 FROM unfinished_uploads)",
        "INSERT INTO timers SELECT 'trading', '', 0, 0 WHERE EXISTS (SELECT 1 FROM intents)",
        """INSERT INTO timers SELECT 'removals', '', 0, 0
            WHERE EXISTS (SELECT 1 FROM threads WHERE purge_ms IS NOT NULL)""",
        "INSERT INTO timers SELECT 'retention', '', 0, 0 WHERE EXISTS (SELECT 1 FROM threads)",
    ),
    ROUTINES_SCHEMA,
    MEMBERS_SCHEMA,
    (
        # What a person said to a run, in whatever thread that shows it.
        """CREATE INDEX messages_by_run ON events (thread_id, data ->> '$.run_id', seq)
            WHERE type = 'message.created'""",
    ),
    COMMANDS_SCHEMA,
    FENCE_SCHEMA,
    AUDIT_SCHEMA,
    OWED_STOPS_SCHEMA,
    (
        # Of the message that a run answers, where they are not the bot's.
        "ALTER TABLE runs ADD COLUMN model TEXT",
        "ALTER TABLE runs ADD COLUMN effort TEXT",
    ),
    ARCHIVE_SCHEMA,
    # A row while everything is to be deleted later and that can be taken back.
    ("CREATE TABLE planned_deletion (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL)",),
    MEMBER_NAMES_SCHEMA,
    INVITATIONS_SCHEMA,
    (
        # Whether the person goes too.
        "ALTER TABLE deletion ADD COLUMN account INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE planned_deletion ADD COLUMN account INTEGER NOT NULL DEFAULT 0",
    ),
    INVITED_BY_SCHEMA,
    # Why a check could not be made: a reason and its facts.
    ("ALTER TABLE firings ADD COLUMN details TEXT",),
)
