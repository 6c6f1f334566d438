"""Where each request of a computer asks whether it may leave now, and each transfer whether it may go on.

The egress Worker has judged the request by its rules; here the owner's bucket, a ban and the platform's
breaker have their say. The bucket is written down at most once a second, so that it survives this object.
Ban and breaker live in the Platform object and are asked for when what is known is older than a second; while
it does not answer, what it said last holds for half a minute, and then nothing leaves.
"""

from collections.abc import Awaitable, Callable

from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import EgressStanding
from durable_objects.bot_computer.bucket import Bucket
from durable_objects.shared.context import Context

STANDING_MS = 1_000
STANDING_MS_MAX = 30_000
SAVE_MS = 1_000
# A ban has no end that is known; nothing is gained by asking more often.
BAN_RETRY_SECONDS = 3_600.0


class StandingError(Exception):
    """The Platform object did not say whether this owner may go out."""


AskStanding = Callable[[], Awaitable[EgressStanding]]
"""Raises StandingError."""


class EgressDesk:
    def __init__(self, context: Context, ask: AskStanding) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._ask = ask
        self._standing: EgressStanding | None = None
        self._asked_ms = 0
        self._bucket = self._read()
        self._saved_ms = 0

    async def admit(self, host: str) -> None:
        """Take a request's place in the bucket. Raises the BerthError that refuses it."""
        await self._check(host)
        bucket = self._bucket.refilled(self._now_ms())
        if wait_s := bucket.wait_s:
            self._keep(bucket)
            raise because(ErrorCode.EGRESS_THROTTLED, "egress_used_up", retry_after_s=max(1.0, wait_s))
        self._keep(bucket.less_request())

    async def moved(self, host: str, count: int) -> float:
        """Count bytes that moved; return how long to rest before more. Raises where it must be cut."""
        bucket = self._bucket.refilled(self._now_ms()).less_bytes(count)
        self._keep(bucket)
        await self._check(host)
        return bucket.bytes_wait_s

    async def _check(self, host: str) -> None:
        standing = await self._current()
        if standing.ban:
            raise because(
                ErrorCode.COMPUTER_BANNED,
                "egress_banned",
                retry_after_s=BAN_RETRY_SECONDS,
                why=standing.ban.reason,
            )
        breaker = standing.breaker
        if breaker and host not in breaker.exempt:
            raise because(
                ErrorCode.COMPUTER_CIRCUIT_OPEN,
                "egress_cut",
                retry_after_s=breaker.retry_after_s,
                why=breaker.reason,
            )

    async def _current(self) -> EgressStanding:
        now_ms = self._now_ms()
        known = self._standing
        if known is not None and 0 <= now_ms - self._asked_ms < STANDING_MS:
            return known
        try:
            known = self._standing = await self._ask()
            self._asked_ms = now_ms
        except StandingError as error:
            if known is not None and 0 <= now_ms - self._asked_ms < STANDING_MS_MAX:
                return known
            raise because(ErrorCode.COMPUTER_CIRCUIT_OPEN, "egress_unknown", retry_after_s=5) from error
        return known

    def _keep(self, bucket: Bucket) -> None:
        self._bucket = bucket
        if 0 <= bucket.at_ms - self._saved_ms < SAVE_MS:
            return
        self._saved_ms = bucket.at_ms
        self._sql.run(
            "INSERT OR REPLACE INTO egress_bucket (one, requests, bytes, at_ms) VALUES (1, ?, ?, ?)",
            bucket.requests,
            bucket.bytes,
            bucket.at_ms,
        )

    def _read(self) -> Bucket:
        rows = self._sql.execute("SELECT requests, bytes, at_ms FROM egress_bucket")
        return Bucket(**rows[0]) if rows else Bucket(at_ms=self._now_ms())
