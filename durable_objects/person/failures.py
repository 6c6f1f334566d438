"""Secrets and codes of a person that did not hold: past so many it is said that there were too many.

What holds is let in all the same, so nobody can lock a person out by trying. It is kept in memory: when it is
lost, a few more may try.
"""

from collections import deque
from collections.abc import Callable

from contracts.errors import ErrorCode
from contracts.limits import FAILED_ATTEMPTS_MAX, FAILED_ATTEMPTS_SECONDS
from contracts.reasons import because


class Failures:
    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._at_ms: deque[int] = deque(maxlen=FAILED_ATTEMPTS_MAX + 1)

    def note(self) -> None:
        """One more. Raises `too_many_attempts` for those past the limit."""
        now_ms, window_ms = self._now_ms(), FAILED_ATTEMPTS_SECONDS * 1000
        self._at_ms.append(now_ms)
        if len(self._at_ms) > FAILED_ATTEMPTS_MAX and self._at_ms[0] > now_ms - window_ms:
            raise because(
                ErrorCode.TOO_MANY_ATTEMPTS,
                "attempts_many",
                retry_after_s=(self._at_ms[0] + window_ms - now_ms) / 1000,
            )
