"""Whether computers may run and go out: bans of single owners, and the breaker that lets nobody out.

Both are rows, so they survive everything, and each change is in the record. A computer is told of its ban
until it has heard it; and while it has traffic it asks about once a second what holds for it.
"""

import json
from dataclasses import dataclass

from contracts.api import BanRequest, BreakerRequest
from contracts.audit import Actor, AuditEntry
from contracts.operators import ExemptRequest
from contracts.records import Ban, EgressBreaker, EgressStanding
from durable_objects.platform.audit import Audit
from durable_objects.platform.owners import Owners
from durable_objects.shared.context import Context

NEWS_AT_ONCE = 100
PLATFORM = "platform"
"""In the record, what concerns every owner stands under this name."""


@dataclass(frozen=True)
class News:
    """What the computer of an owner is to hear; a higher `n` is newer."""

    n: int
    owner_id: str
    ban: Ban | None

    def as_text(self) -> str:
        return json.dumps({"n": self.n, "ban": self.ban.model_dump() if self.ban else None})


class Standing:
    def __init__(self, context: Context, audit: Audit, owners: Owners) -> None:
        self._context = context
        self._sql = context.sql
        self._audit = audit
        self._owners = owners

    def of(self, owner_id: str) -> EgressStanding:
        bans = self._sql.execute("SELECT reason, at_ms FROM bans WHERE owner_id = ?", owner_id)
        return EgressStanding(
            ban=Ban.model_validate(bans[0]) if bans else None,
            breaker=None if self._owners.is_exempt(owner_id) else self.breaker(),
        )

    def breaker(self) -> EgressBreaker | None:
        """As it is for who is not exempt."""
        rows = self._sql.execute("SELECT state FROM breaker")
        return EgressBreaker.model_validate_json(rows[0]["state"]) if rows else None

    def ban(self, owner_id: str, wanted: BanRequest, actor: Actor | None = None) -> None:
        """Again, it changes the reason."""

        def write() -> None:
            self._sql.run(
                "INSERT OR REPLACE INTO bans (owner_id, reason, at_ms) VALUES (?, ?, ?)",
                owner_id,
                wanted.reason,
                self._context.now_ms(),
            )
            self._changed(owner_id, "computer_banned", actor, wanted.reason)

        self._sql.transaction(write)

    def lift(self, owner_id: str, actor: Actor | None = None) -> None:
        """Again, or where there is no ban, it changes nothing."""
        if self.of(owner_id).ban is None:
            return

        def write() -> None:
            self._sql.run("DELETE FROM bans WHERE owner_id = ?", owner_id)
            self._changed(owner_id, "computer_ban_lifted", actor)

        self._sql.transaction(write)

    def _changed(self, owner_id: str, kind: str, actor: Actor | None, reason: str | None = None) -> None:
        self._sql.run("INSERT OR REPLACE INTO ban_news (owner_id) VALUES (?)", owner_id)
        self._note(owner_id, kind, actor, reason)

    def exempt(self, owner_id: str, wanted: ExemptRequest | None, actor: Actor | None = None) -> None:
        """The breakers do not hold for an owner any more; None: they do again."""

        def write() -> None:
            self._owners.exempt(owner_id, wanted)
            kind = "owner_exempted" if wanted else "owner_exemption_ended"
            self._note(owner_id, kind, actor, wanted.reason if wanted else None)

        self._sql.transaction(write)

    def news(self) -> list[News]:
        """What the owners' computers have not heard yet, oldest first: each as it is now."""
        rows = self._sql.execute("SELECT n, owner_id FROM ban_news ORDER BY n LIMIT ?", NEWS_AT_ONCE)
        return [News(row["n"], row["owner_id"], self.of(row["owner_id"]).ban) for row in rows]

    def heard(self, news: News) -> None:
        self._sql.run("DELETE FROM ban_news WHERE n = ?", news.n)

    def trip(self, wanted: BreakerRequest, actor: Actor | None = None) -> None:
        state = EgressBreaker(**wanted.model_dump(), at_ms=self._context.now_ms())
        self._sql.run("INSERT OR REPLACE INTO breaker (one, state) VALUES (1, ?)", state.model_dump_json())
        self._note(PLATFORM, "egress_breaker_tripped", actor, wanted.reason)

    def reset(self, actor: Actor | None = None) -> None:
        self._sql.run("DELETE FROM breaker")
        self._note(PLATFORM, "egress_breaker_reset", actor)

    def _note(self, owner_id: str, kind: str, actor: Actor | None, reason: str | None = None) -> None:
        self._audit.add(
            AuditEntry(
                id=self._context.new_id("aud"),
                owner_id=owner_id,
                kind=kind,
                at_ms=self._context.now_ms(),
                details={"reason": reason} if reason else {},
                actor=actor,
            )
        )
