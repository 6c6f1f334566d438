"""Starts a Worker host again that ended by itself, unless it ends again and again."""

import time
from collections.abc import Callable

from local.stack import LocalStack, StackError

# Who lived for less than this did not serve anybody.
QUICK_SECONDS = 20.0
# So many lives in a row that were this short are no accident.
QUICK_DEATHS = 5


class HostKeeper:
    """Looks after the host of a stack that has just been started."""

    def __init__(self, stack: LocalStack, clock: Callable[[], float] = time.monotonic) -> None:
        self._stack = stack
        self._clock = clock
        self._up_at = clock()
        self._quick = 0

    def look(self) -> bool:
        """Start the host again if it has ended; a start that fails counts as a death and is tried again at
        the next look. True where it serves again. Raises StackError after `QUICK_DEATHS` in a row.
        """
        if self._stack.host.running:
            return False
        self._quick = self._quick + 1 if self._clock() - self._up_at < QUICK_SECONDS else 0
        if self._quick >= QUICK_DEATHS:
            raise StackError(
                f"the Worker host ended {QUICK_DEATHS} times within {QUICK_SECONDS:.0f} s of its start;"
                f" its log is {self._stack.state / 'logs/host.log'}"
            )
        try:
            self._stack.revive_host()
        except StackError:
            # Why is in its log.
            return False
        finally:
            self._up_at = self._clock()
        return True
