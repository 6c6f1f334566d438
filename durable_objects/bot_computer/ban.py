"""Whether this computer is banned, as the Platform object said last.

Platform tells each change, again and again until it is heard; a number orders them. So what is known here is
true, and nobody is asked for a call. Only an object that was never told anything asks before its first call:
it may be newer than the ban.
"""

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.records import Ban
from durable_objects.bot_computer.egress_desk import BAN_RETRY_SECONDS, AskStanding, StandingError
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row


class BanBook:
    def __init__(self, context: Context, ask: AskStanding) -> None:
        self._sql = context.sql
        self._ask = ask
        rows = self._sql.execute("SELECT n, reason, at_ms FROM ban")
        self._row: Row | None = rows[0] if rows else None

    @property
    def now(self) -> Ban | None:
        if self._row is None or self._row["reason"] is None:
            return None
        return Ban(reason=self._row["reason"], at_ms=self._row["at_ms"])

    def heard(self, n: int, ban: Ban | None) -> bool:
        """Take a change with its number; False where something newer is known. Again, it changes nothing."""
        if self._row is not None and n <= self._row["n"]:
            return False
        self._row = {"n": n, "reason": ban.reason if ban else None, "at_ms": ban.at_ms if ban else 0}
        self._sql.run(
            "INSERT OR REPLACE INTO ban (one, n, reason, at_ms) VALUES (1, ?, ?, ?)", *self._row.values()
        )
        return True

    async def admit(self) -> None:
        """Raises `computer_banned`, or `computer_unavailable` where it cannot be found out."""
        if self._row is None:
            try:
                standing = await self._ask()
            except StandingError as error:
                raise because(
                    ErrorCode.COMPUTER_UNAVAILABLE, "computer_ban_unknown", retry_after_s=5
                ) from error
            # What was told meanwhile is newer than the answer.
            self.heard(0, standing.ban)
        if ban := self.now:
            raise banned(ban)


def banned(ban: Ban) -> BerthError:
    return because(
        ErrorCode.COMPUTER_BANNED,
        "computer_banned_because",
        retry_after_s=BAN_RETRY_SECONDS,
        why=ban.reason.rstrip("."),
    )
