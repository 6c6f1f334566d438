"""Intents: their states, the one table of moves between them, their digest and their rows.

Every move is a compare-and-set on the state as it was read, so of two that decide at once one comes too late.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.states import INTENT_ENDED, IntentState
from contracts.trading import Intent, IntentLine, LineOutcome
from durable_objects.shared.sql import Row, Sql, Value

S = IntentState
MOVES: frozenset[tuple[IntentState, IntentState]] = frozenset(
    {
        (S.PENDING, S.APPROVED), (S.PENDING, S.DECLINED), (S.PENDING, S.EXPIRED), (S.PENDING, S.WITHDRAWN),
        # Let go, and never sent: it was stopped, or nobody came to it for too long.
        (S.APPROVED, S.SUBMITTING), (S.APPROVED, S.WITHDRAWN), (S.APPROVED, S.EXPIRED),
        (S.SUBMITTING, S.UNKNOWN), (S.UNKNOWN, S.UNKNOWN),
        *((before, after) for before in (S.SUBMITTING, S.UNKNOWN)
          for after in (S.EXECUTED, S.PARTIALLY_EXECUTED, S.REJECTED_BY_VENUE)),
        # What rests at the venue is followed to its end.
        (S.EXECUTED, S.EXECUTED), (S.EXECUTED, S.PARTIALLY_EXECUTED),
        (S.PARTIALLY_EXECUTED, S.PARTIALLY_EXECUTED), (S.PARTIALLY_EXECUTED, S.EXECUTED),
    }
)  # fmt: skip
# What changes after an intent was shown. All the rest is what a person approves.
MOVING = frozenset({"digest", "state", "outcomes", "by", "reason", "updated_ms"})
# Behind every intent.
NEVER = 2**52
# An order of which this is known has taken no room at the venue.
NEVER_THERE = frozenset({"declined", "not_sent", "not_placed", "rejected"})


def digest_of(owner_id: str, intent: Intent) -> str:
    """What stands for an intent as it was shown, and for whose it is."""
    shown = intent.model_dump(mode="json", exclude=set(MOVING))
    text = json.dumps({"owner": owner_id, **shown}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def order_id(intent_id: str, n: int) -> str:
    """The id under which the venue knows a line: one line, one id, for ever."""
    return "0x" + hashlib.sha256(f"{intent_id}:{n}".encode()).hexdigest()[:32]


def state_of(outcomes: Sequence[LineOutcome]) -> IntentState:
    """The state of an intent that was sent, from what is known of its lines."""
    states = [one.state for one in outcomes if one.state not in {"declined", "not_sent"}]
    if "unknown" in states:
        return S.UNKNOWN
    whole = [state in {"filled", "resting", "cancelled"} for state in states]
    if all(whole):
        return S.EXECUTED
    touched = any(whole) or "partly_filled" in states
    return S.PARTIALLY_EXECUTED if touched else S.REJECTED_BY_VENUE


def lines_there(intents: Sequence[Intent]) -> list[IntentLine]:
    """The lines to place, without those that never came to be at the venue."""
    return [
        line
        for one in intents
        if one.kind == "place"
        for line, became in zip(one.lines, one.outcomes, strict=True)
        if became.state not in NEVER_THERE
    ]


class IntentRows:
    """The rows. Every method that changes something belongs inside a `record.write`."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def add(self, intent: Intent) -> None:
        self._sql.run(
            "INSERT INTO intents (id, run_id, tool_call_id, state, record, expires_ms)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            intent.id,
            intent.source.run_id,
            intent.source.tool_call_id,
            intent.state,
            intent.model_dump_json(),
            intent.expires_ms,
        )

    def get(self, intent_id: str) -> Intent:
        found = self._read("WHERE id = ?", intent_id)
        if not found:
            raise because(ErrorCode.NOT_FOUND, "approval_gone")
        return found[0]

    def of_call(self, call_id: str) -> Intent | None:
        """The newest intent of a tool call."""
        found = self._read("WHERE tool_call_id = ? ORDER BY n DESC LIMIT 1", call_id)
        return found[0] if found else None

    def of_run(self, run_id: str, *states: IntentState) -> list[Intent]:
        return [one for one in self._read("WHERE run_id = ?", run_id) if one.state in states]

    def newest(self, *, pending: bool, before: str | None, limit: int) -> list[Intent]:
        """The newest first; `before` names the one behind which they begin. Raises `not_found`."""
        end = self._place(before) if before else NEVER
        return self._read(
            "WHERE n < ? AND (state = 'pending' OR ?) ORDER BY n DESC LIMIT ?", end, not pending, limit
        )

    def _place(self, intent_id: str) -> int:
        """It may have been decided since its page was shown; no intent is ever removed."""
        rows = self._sql.execute("SELECT n FROM intents WHERE id = ?", intent_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "approval_gone")
        return int(rows[0]["n"])

    def in_state(self, *states: IntentState) -> list[Intent]:
        return self._read(f"WHERE state IN ({', '.join('?' * len(states))}) ORDER BY n", *states)

    def with_open_lines(self) -> list[Intent]:
        return self._read("WHERE open_lines = 1 ORDER BY n")

    def sent(self, intent_id: str) -> Row:
        return self._sql.execute(
            "SELECT sent, sent_until_ms, signer, fence FROM intents WHERE id = ?", intent_id
        )[0]

    def some(self) -> bool:
        return bool(self._sql.execute("SELECT 1 FROM intents LIMIT 1"))

    def ruled_since(self, since_ms: int, besides: str = "") -> list[IntentLine]:
        """The lines to place that rules let through, without those of one intent."""
        ruled = self._read(
            "WHERE expires_ms >= ? AND id != ? AND json_extract(record, '$.by') = 'rule'", since_ms, besides
        )
        return lines_there([one for one in ruled if one.created_ms >= since_ms])

    def move(self, intent: Intent, state: IntentState, now_ms: int, **changes: Any) -> Intent | None:
        """The intent after its move, or None where somebody has moved it first."""
        if (intent.state, state) not in MOVES:
            raise AssertionError(f"no intent goes from {intent.state} to {state}")
        moved = intent.model_copy(update={"state": state, "updated_ms": now_ms, **changes})
        open_lines = any(one.state == "resting" for one in moved.outcomes) and state in INTENT_ENDED
        rows = self._sql.execute(
            "UPDATE intents SET state = ?, record = ?, open_lines = ?"
            " WHERE id = ? AND state = ? RETURNING id",
            state,
            moved.model_dump_json(),
            int(open_lines),
            intent.id,
            intent.state,
        )
        return moved if rows else None

    def keep_sent(self, intent_id: str, body: str, until_ms: int, signer: str) -> None:
        self._sql.run(
            "UPDATE intents SET sent = ?, sent_until_ms = ?, signer = ? WHERE id = ?",
            body,
            until_ms,
            signer,
            intent_id,
        )

    def begin_fence(self, intent_id: str) -> bool:
        """Whether nobody has begun one before: there is one fence, whatever becomes of it."""
        return bool(
            self._sql.execute(
                "UPDATE intents SET fence = 'sent' WHERE id = ? AND fence IS NULL RETURNING id", intent_id
            )
        )

    def fence_holds(self, intent_id: str) -> None:
        self._sql.run("UPDATE intents SET fence = 'holds' WHERE id = ?", intent_id)

    def next_nonce(self, signer: str, now_ms: int) -> int:
        """A nonce that no action of this signer has had: the clock stands still while an object computes."""
        rows = self._sql.execute("SELECT last FROM nonces WHERE signer = ?", signer)
        nonce = max(now_ms, rows[0]["last"] + 1) if rows else now_ms
        self._sql.run("INSERT OR REPLACE INTO nonces (signer, last) VALUES (?, ?)", signer, nonce)
        return nonce

    def _read(self, rest: str, *values: Value) -> list[Intent]:
        rows = self._sql.execute(f"SELECT record FROM intents {rest}", *values)  # noqa: S608 - our words
        return [Intent.model_validate_json(row["record"]) for row in rows]
