"""The record of what was done and changed: metadata only, append-only, chained, each entry once by its id.

Nothing here or in SQL changes or removes an entry. `check` finds whoever does it all the same: the chain says
whether an entry was altered, taken out or moved, and the head, kept beside it, whether the last were cut off.
Who can write the whole database can forge both: an operator who noted a head elsewhere can ask for it.

What an owner alone may read lies in a table beside it, and is removed with all else of the owner. The record
itself has its hash, so that it cannot be altered either.
"""

import json
from collections.abc import Mapping

from contracts.audit import (
    GENESIS,
    OWNER_DELETED,
    AuditBreak,
    AuditCheck,
    AuditEntry,
    AuditPage,
    ChainedEntry,
)
from contracts.records import REMOVED_BY_AGE, Retained
from durable_objects.platform.chain import chained, first_break, hash_of_own
from durable_objects.platform.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, migrate

PAGE = 200
CHECKED_AT_ONCE = 2_000
OF_OLD: Mapping[str, str] = {"egress_rule_added": "host", "egress_rule_removed": "host"}
"""What older versions wrote into details by kind, and is for the owner alone."""


class Audit:
    def __init__(self, context: Context) -> None:
        self._sql = context.sql
        self._entropy = context.entropy
        migrate(context.sql, SCHEMA)
        self._chain_old()

    def add(self, entry: AuditEntry) -> bool:
        """Add an entry; False where it is there already."""
        if self._sql.execute("SELECT 1 FROM audit WHERE id = ?", entry.id):
            return False

        own = {**entry.own, "salt": self._entropy(16).hex()} if entry.own else {}
        details = {**entry.details, "own": hash_of_own(own)} if own else entry.details
        kept = entry.model_copy(update={"details": details, "own": {}})

        def write() -> None:
            if entry.kind == OWNER_DELETED:
                self._sql.run("DELETE FROM audit_own WHERE owner_id = ?", entry.owner_id)
            rows = self._sql.execute(
                "INSERT INTO audit (id, owner_id, kind, at_ms, details, actor) VALUES (?, ?, ?, ?, ?, ?)"
                " RETURNING n",
                entry.id,
                entry.owner_id,
                entry.kind,
                entry.at_ms,
                json.dumps(details),
                entry.actor.model_dump_json() if entry.actor else None,
            )
            n = int(rows[0]["n"])
            self._chain(kept, n)
            if own:
                self._sql.run(
                    "INSERT INTO audit_own (n, owner_id, own) VALUES (?, ?, ?)",
                    n,
                    entry.owner_id,
                    json.dumps(own),
                )

        self._sql.transaction(write)
        return True

    def _chain(self, entry: AuditEntry, n: int) -> None:
        """Give an entry that has just been written its place."""
        before = self._sql.execute(
            "SELECT hash FROM audit WHERE owner_id = ? AND n < ? ORDER BY n DESC LIMIT 1", entry.owner_id, n
        )
        linked = chained(entry, n, self.head, before[0]["hash"] if before else GENESIS)
        self._sql.run(
            "UPDATE audit SET previous = ?, owner_previous = ?, hash = ? WHERE n = ?",
            linked.previous,
            linked.owner_previous,
            linked.hash,
            n,
        )
        self._sql.run("INSERT OR REPLACE INTO audit_head (one, n, hash) VALUES (1, ?, ?)", n, linked.hash)

    def _chain_old(self) -> None:
        """Chain what a version without a chain has written, which is behind all that is chained."""

        def write() -> None:
            for row in self._sql.execute(
                "SELECT * FROM audit WHERE hash = ''"
                " AND n > COALESCE((SELECT n FROM audit_head), 0) ORDER BY n"
            ):
                self._chain(AuditEntry.model_validate(_fields(row)), row["n"])

        self._sql.transaction(write)

    @property
    def head(self) -> str:
        rows = self._sql.execute("SELECT hash FROM audit_head")
        return str(rows[0]["hash"]) if rows else GENESIS

    def check(self, after: int = 0, known: str | None = None) -> AuditCheck:
        """Follow everybody's chain for a while. `known` is a head that was the newest one once."""
        rows = self._behind(after, CHECKED_AT_ONCE)
        before = self._sql.execute("SELECT hash FROM audit WHERE n <= ? ORDER BY n DESC LIMIT 1", after)
        broken = first_break(rows, "previous", before[0]["hash"] if before else GENESIS)
        full = len(rows) == CHECKED_AT_ONCE
        if broken is None and not full:
            broken = self._cut(known)
        return AuditCheck(
            entries=len(rows),
            head=self.head,
            broken=broken,
            next_after=rows[-1].n if full and not broken else None,
        )

    def check_owner(self, owner_id: str, known: str | None = None) -> AuditCheck:
        """Follow one owner's chain to its end, cut where everybody's is. `known` is a head of theirs."""
        entries, previous, after = 0, GENESIS, 0
        while rows := self._with_own(self._behind(after, CHECKED_AT_ONCE, owner_id), owner_id):
            if broken := first_break(rows, "owner_previous", previous):
                return AuditCheck(entries=entries + len(rows), head=previous, broken=broken)
            entries, previous, after = entries + len(rows), rows[-1].hash, rows[-1].n
        return AuditCheck(entries=entries, head=previous, broken=self._cut(known, owner_id))

    def _cut(self, known: str | None, owner_id: str | None = None) -> AuditBreak | None:
        """What is missing behind the last entry, or of an owner's a head that was noted."""
        rows = self._sql.execute("SELECT n, hash FROM audit ORDER BY n DESC LIMIT 1")
        n, last = (int(rows[0]["n"]), str(rows[0]["hash"])) if rows else (0, GENESIS)
        if last != self.head:
            return AuditBreak(n=n, why="cut_off")
        there = known in (None, GENESIS) or self._sql.execute(
            "SELECT 1 FROM audit WHERE hash = ? AND owner_id = COALESCE(?, owner_id)", known, owner_id
        )
        return None if there else AuditBreak(n=n, why="known_head_is_gone")

    def entries(self, after: int, limit: int, owner_id: str | None = None) -> list[ChainedEntry]:
        """For an export: oldest first; with what is the owner's own where it is one owner's."""
        found = self._behind(after, limit, owner_id)
        return self._with_own(found, owner_id) if owner_id else [_withheld(entry) for entry in found]

    def _behind(self, after: int, limit: int, owner_id: str | None = None) -> list[ChainedEntry]:
        where, values = ("owner_id = ? AND ", [owner_id]) if owner_id else ("", [])
        rows = self._sql.execute(
            f"SELECT * FROM audit WHERE {where}n > ? ORDER BY n LIMIT ?",  # noqa: S608 - one of two texts
            *values,
            after,
            limit,
        )
        return [_entry(row) for row in rows]

    def awake(self) -> list[str]:
        """Owners whose computer was last heard of as starting or running."""
        rows = self._sql.execute(
            "SELECT owner_id, kind FROM audit WHERE n IN (SELECT MAX(n) FROM audit"
            " WHERE kind IN ('computer_starting', 'computer_running', 'computer_standby') GROUP BY owner_id)"
        )
        return sorted(row["owner_id"] for row in rows if row["kind"] != "computer_standby")

    def removed_by_age(self) -> Retained:
        """Of all owners together, ever; without the entries that were made unreadable."""
        sums = ", ".join(
            f"COALESCE(SUM(CAST(details ->> '{name}' AS INTEGER)), 0) AS {name}"
            for name in Retained.model_fields
        )
        rows = self._sql.execute(
            f"SELECT {sums} FROM audit WHERE kind = ? AND json_valid(details)",  # noqa: S608 - our names
            REMOVED_BY_AGE,
        )
        return Retained.model_validate(rows[0])

    def newest(
        self, owner_id: str | None, *, before: int | None = None, kind: str | None = None
    ) -> AuditPage:
        """For operators: the newest entries before `before`, of one owner or of all, at most a page."""
        page = self._newest(owner_id, before, kind)
        return page.model_copy(update={"items": [_withheld(entry) for entry in page.items]})

    def newest_own(self, owner_id: str, *, before: int | None = None) -> AuditPage:
        """For the owner: likewise, with what is theirs alone."""
        page = self._newest(owner_id, before, None)
        return page.model_copy(update={"items": self._with_own(page.items, owner_id)})

    def _with_own(self, entries: list[ChainedEntry], owner_id: str) -> list[ChainedEntry]:
        if not entries:
            return []
        numbers = [entry.n for entry in entries]
        rows = self._sql.execute(
            "SELECT n, own FROM audit_own WHERE owner_id = ? AND n BETWEEN ? AND ?",
            owner_id,
            min(numbers),
            max(numbers),
        )
        own = {row["n"]: json.loads(row["own"]) for row in rows}
        return [entry.model_copy(update={"own": own.get(entry.n, {})}) for entry in entries]

    def _newest(self, owner_id: str | None, before: int | None, kind: str | None) -> AuditPage:
        wanted = {"n < ?": before, "owner_id = ?": owner_id, "kind = ?": kind}
        given = {test: value for test, value in wanted.items() if value is not None}
        where = " AND ".join(given) or "1"
        rows = self._sql.execute(
            f"SELECT * FROM audit WHERE {where} ORDER BY n DESC LIMIT ?",  # noqa: S608 - our names
            *given.values(),
            PAGE + 1,
        )
        return AuditPage(items=[_entry(row) for row in rows[:PAGE]], more=len(rows) > PAGE)


def _withheld(entry: ChainedEntry) -> ChainedEntry:
    """As operators are shown it. The hash of an entry of old is over what is not shown."""
    details = {name: value for name, value in entry.details.items() if name != OF_OLD.get(entry.kind)}
    return entry.model_copy(update={"details": details})


def _fields(row: Row) -> dict[str, object]:
    actor = json.loads(row["actor"]) if row["actor"] else None
    kept = {name: row[name] for name in ("id", "owner_id", "kind", "at_ms")}
    return {**kept, "details": json.loads(row["details"]), "actor": actor}


def _entry(row: Row) -> ChainedEntry:
    links = {name: row[name] for name in ("n", "previous", "owner_previous", "hash")}
    try:
        return ChainedEntry.model_validate({**_fields(row), **links})
    except ValueError:
        # Not written here. It hides none of the others, and its hash does not fit what is shown of it.
        return ChainedEntry(
            n=row["n"],
            id=str(row["id"])[:300],
            owner_id=str(row["owner_id"]),
            kind=str(row["kind"])[:64],
            at_ms=row["at_ms"] if isinstance(row["at_ms"], int) else 0,
            details={"unreadable": True},
            previous=str(row["previous"]),
            owner_previous=str(row["owner_previous"]),
            hash=str(row["hash"]),
        )
