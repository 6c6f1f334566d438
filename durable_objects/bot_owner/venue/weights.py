"""What an owner's reads of the venue may weigh in a minute, by the venue's own measure.

One number says it all: the time at which everything taken so far is paid off. It lives in memory, as a minute
is all that it could forget.
"""

from collections.abc import Callable

from contracts.errors import BerthError, ErrorCode
from contracts.limits import VENUE_WEIGHT_A_MINUTE
from contracts.reasons import because

MINUTE_MS = 60_000
# Where the venue itself says that it was too much: others ask from the same address.
REST_SECONDS = 10


class Budget:
    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._paid_ms = 0
        self._rests_until_ms = 0

    def take(self, weight: int, *, needed: bool = False) -> None:
        """Raises `venue_throttled` with the seconds to wait. What is `needed` is counted and let through."""
        now = self._now_ms()
        if self._paid_ms > now + MINUTE_MS:
            # Nobody is that far in debt: the clock went back, and what was taken by it says nothing.
            self._paid_ms = self._rests_until_ms = 0
        if now < self._rests_until_ms:
            raise throttled(self._rests_until_ms - now)
        paid = max(self._paid_ms, now - MINUTE_MS) + weight * MINUTE_MS // VENUE_WEIGHT_A_MINUTE
        if paid > now and not needed:
            raise throttled(paid - now)
        # What is needed may run into debt, but for a minute at most: it is not to lock everything else out.
        self._paid_ms = min(paid, now + MINUTE_MS)

    def rest(self) -> BerthError:
        """The venue wants to be left alone: nothing is asked for a while. Returns what to raise."""
        self._rests_until_ms = self._now_ms() + REST_SECONDS * 1000
        return throttled(REST_SECONDS * 1000)


def throttled(wait_ms: int) -> BerthError:
    seconds = -(-wait_ms // 1000)
    return because(ErrorCode.VENUE_THROTTLED, "venue_asked_too_much", retry_after_s=seconds, seconds=seconds)
