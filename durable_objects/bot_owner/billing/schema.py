"""The tables of an owner's money. `ledger` is append-only: what was written is never changed.

`micro` is what a row adds to the balance. A `computer` row is a piece of machine time: `ms` of it, from
`from_ms` to `to_ms`, which others may have shared. `day` is the owner's, `hour` counts from the epoch in UTC.
`ledger_checkpoints` are balances up to a row, and `spent_hours` what the platform is to hear of.
"""

BILLING_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE ledger (
        n INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
        micro INTEGER NOT NULL, at_ms INTEGER NOT NULL, day TEXT NOT NULL,
        from_ms INTEGER, to_ms INTEGER, ms INTEGER NOT NULL DEFAULT 0, attribution TEXT NOT NULL DEFAULT '',
        bot_id TEXT NOT NULL DEFAULT '', thread_id TEXT NOT NULL DEFAULT '',
        run_id TEXT NOT NULL DEFAULT '', call_id TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '',
        input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
        own_key INTEGER NOT NULL DEFAULT 0)""",
    "CREATE INDEX ledger_by_day ON ledger (day)",
    "CREATE INDEX ledger_by_run ON ledger (run_id) WHERE run_id <> ''",
    "CREATE INDEX ledger_by_routine ON ledger (attribution, day) WHERE attribution LIKE 'routine:%'",
    "CREATE TABLE ledger_checkpoints (n INTEGER PRIMARY KEY, micro INTEGER NOT NULL)",
    """CREATE TABLE spent_hours (
        hour INTEGER PRIMARY KEY, micro INTEGER NOT NULL, told INTEGER NOT NULL DEFAULT 0)""",
)
