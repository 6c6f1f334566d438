"""The one alarm of an object. It may ring early, when there is nothing to do yet; never late.

Setting it costs a write, so an alarm that rings soon enough is left as it is.
"""

from collections.abc import Callable


class Alarm:
    def __init__(self, set_at: Callable[[int], None], now_ms: Callable[[], int]) -> None:
        self._set_at = set_at
        self._now_ms = now_ms
        self._at: int | None = None

    def by(self, at_ms: int) -> None:
        """Ring at this time at the latest."""
        if self._at is not None and self._now_ms() <= self._at <= at_ms:
            return
        self._at = at_ms
        self._set_at(at_ms)

    def rang(self) -> None:
        """It has rung: none is set any more."""
        self._at = None
