"""The tables of trading, steps of the owner's schema.

An intent's `record` is the whole of it as JSON; the columns beside it are what is looked for, and `state`
is what moves are compared with. `sent` is the exact body, stored before it leaves.
"""

ACCOUNTS_SCHEMA: tuple[str, ...] = (
    # `agent_key` is sealed, see `accounts.py`; without one the account is watch-only.
    """CREATE TABLE trading_accounts (
        n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, network TEXT NOT NULL,
        address TEXT NOT NULL, agent_address TEXT, agent_key TEXT, agent_expires_ms INTEGER,
        connected_ms INTEGER NOT NULL, UNIQUE (network, address))""",
)
# Whose nonce the body has, and what there is of a fence: nothing, `sent`, `holds`. See `fence.py`.
FENCE_SCHEMA: tuple[str, ...] = (
    "ALTER TABLE intents ADD COLUMN signer TEXT",
    "ALTER TABLE intents ADD COLUMN fence TEXT",
)
VENUE_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE intents (
        n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL,
        tool_call_id TEXT NOT NULL, state TEXT NOT NULL, record TEXT NOT NULL, expires_ms INTEGER NOT NULL,
        open_lines INTEGER NOT NULL DEFAULT 0, sent TEXT, sent_until_ms INTEGER)""",
    "CREATE INDEX intents_by_call ON intents (tool_call_id)",
    "CREATE INDEX intents_by_state ON intents (state)",
    "CREATE TABLE nonces (signer TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE paper (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL)",
)
