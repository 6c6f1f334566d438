"""All timers of an object in one table, and the one alarm that is set for the earliest of them.

A timer is a kind, a key and a time. Who wants to be called at a time says so with `by`; a second wish for
the same timer keeps the sooner one, so a late timer fires once however often it was due. While a timer
fires, its row is a lease instead: whoever finds that after a death fires it again.

The alarm of a new object is not known to it. So it is always set to the earliest row, never to a wish.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from durable_objects.shared.sql import Sql

# Later than any time. SQLite of a Durable Object takes no integer near 2**53.
FOREVER_MS = 10**15
# Until a timer whose work died, or raised, is fired again.
LEASE_MS = 60_000

TIMERS_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE timers (
        kind TEXT NOT NULL, key TEXT NOT NULL, leased INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        PRIMARY KEY (kind, key, leased)) WITHOUT ROWID""",
    "CREATE INDEX timers_by_time ON timers (at_ms, kind, key)",
)

Ring = Callable[[int], None]
"""(milliseconds): see that the alarm rings by then."""
Work = Callable[[str], Awaitable[None]]
"""What a timer of a kind does, by its key. It may be called again for the same time, after a death."""


@dataclass(frozen=True)
class Timer:
    kind: str
    key: str


class Timers:
    def __init__(self, sql: Sql, now_ms: Callable[[], int], ring: Ring) -> None:
        self._sql = sql
        self._now_ms = now_ms
        self._ring = ring
        self._firing: set[Timer] = set()
        self.sooner = asyncio.Event()
        """Set by every wish: whoever waits for the next timer looks again."""

    def by(self, kind: str, at_ms: int, key: str = "") -> None:
        """Fire at this time at the latest."""
        self._sql.run(
            "INSERT INTO timers (kind, key, leased, at_ms) VALUES (?, ?, 0, ?)"
            " ON CONFLICT DO UPDATE SET at_ms = MIN(at_ms, excluded.at_ms)",
            kind,
            key,
            at_ms,
        )
        self._wished()

    def at(self, kind: str, at_ms: int | None, key: str = "") -> None:
        """Fire at exactly this time, or not at all, whatever was wished before."""
        self._sql.run("DELETE FROM timers WHERE kind = ? AND key = ? AND leased = 0", kind, key)
        if at_ms is not None:
            self.by(kind, at_ms, key)

    def bell(self, kind: str) -> Ring:
        """`by` for the one timer of a kind."""
        return lambda at_ms: self.by(kind, at_ms)

    def time(self, kind: str, key: str = "") -> int | None:
        """When a timer was wished for, in milliseconds."""
        rows = self._sql.execute(
            "SELECT at_ms FROM timers WHERE kind = ? AND key = ? AND leased = 0", kind, key
        )
        return int(rows[0]["at_ms"]) if rows else None

    def wake(self, at_ms: int) -> None:
        """See that the object is awake by then, for something that is no timer."""
        earliest = self.earliest()
        self._ring(at_ms if earliest is None else min(at_ms, earliest))

    def remind(self) -> None:
        """Set the alarm anew, where a timer waits."""
        if (earliest := self.earliest()) is not None:
            self._ring(earliest)

    def earliest(self) -> int | None:
        rows = self._sql.execute("SELECT at_ms FROM timers ORDER BY at_ms LIMIT 1")
        return int(rows[0]["at_ms"]) if rows else None

    def next_ms(self) -> int | None:
        """The time of the earliest timer that is not firing."""
        return next((at_ms for timer, at_ms in self._rows() if timer not in self._firing), None)

    def due(self) -> list[Timer]:
        """Those that are to fire now, by their times."""
        now = self._now_ms()
        late = [timer for timer, at_ms in self._rows(now) if timer not in self._firing]
        return list(dict.fromkeys(late))

    def _rows(self, until_ms: int = FOREVER_MS) -> list[tuple[Timer, int]]:
        rows = self._sql.execute(
            "SELECT kind, key, at_ms FROM timers WHERE at_ms <= ? ORDER BY at_ms, kind, key", until_ms
        )
        return [(Timer(row["kind"], row["key"]), int(row["at_ms"])) for row in rows]

    async def fire(self, timer: Timer, work: Work) -> None:
        """Do a timer's work. It is over when that returns; where it raises, it is fired again later."""
        if timer in self._firing:
            return
        self._firing.add(timer)
        try:
            self._sql.transaction(lambda: self._lease(timer))
            await work(timer.key)
            self._sql.run(
                "DELETE FROM timers WHERE kind = ? AND key = ? AND leased = 1", timer.kind, timer.key
            )
        finally:
            self._firing.discard(timer)
            self.remind()

    def _lease(self, timer: Timer) -> None:
        self._sql.run(
            "DELETE FROM timers WHERE kind = ? AND key = ? AND at_ms <= ?",
            timer.kind,
            timer.key,
            self._now_ms(),
        )
        self._sql.run(
            "INSERT OR REPLACE INTO timers (kind, key, leased, at_ms) VALUES (?, ?, 1, ?)",
            timer.kind,
            timer.key,
            self._now_ms() + LEASE_MS,
        )

    def _wished(self) -> None:
        self.remind()
        self.sooner.set()
