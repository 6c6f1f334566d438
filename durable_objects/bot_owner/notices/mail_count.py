"""How many mails have left, and when the next one may: an owner's limits on them."""

from typing import Literal

from contracts.errors import ErrorCode
from contracts.limits import EMAIL_CODES_A_DAY, NOTICE_EMAILS_AN_HOUR
from contracts.reasons import because
from durable_objects.shared.context import Context

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

Kind = Literal["notice", "code"]


class MailCount:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def room_ms(self) -> int:
        """When the next notice may leave by mail; now or sooner where one may."""
        times = self._since("notice", HOUR_MS)
        if len(times) < NOTICE_EMAILS_AN_HOUR:
            return 0
        return times[-NOTICE_EMAILS_AN_HOUR] + HOUR_MS

    def check_code(self) -> None:
        """Raises `forbidden` where no more codes are sent for now."""
        times = self._since("code", DAY_MS)
        if len(times) >= EMAIL_CODES_A_DAY:
            raise because(
                ErrorCode.FORBIDDEN,
                "codes_many",
                retry_after_s=(times[-EMAIL_CODES_A_DAY] + DAY_MS - self._context.now_ms()) / 1000,
                most=EMAIL_CODES_A_DAY,
            )

    def tried(self, kind: Kind) -> None:
        now = self._context.now_ms()
        self._sql.run("DELETE FROM notice_mails WHERE at_ms <= ?", now - DAY_MS)
        self._sql.run("INSERT INTO notice_mails (at_ms, kind) VALUES (?, ?)", now, kind)

    def _since(self, kind: Kind, window_ms: int) -> list[int]:
        rows = self._sql.execute(
            "SELECT at_ms FROM notice_mails WHERE kind = ? AND at_ms > ? ORDER BY at_ms",
            kind,
            self._context.now_ms() - window_ms,
        )
        return [int(row["at_ms"]) for row in rows]
