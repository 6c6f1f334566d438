"""Ending a command early, so that nothing of it is left behind.

Ctrl-C is Python's own: a KeyboardInterrupt, and a cancelled task under asyncio. Being told to end is made the
same, and cleaning up is not interrupted by somebody who has no patience.
"""

import signal
from types import FrameType


def end_as_interrupted() -> None:
    """Take SIGTERM as if it were Ctrl-C."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGINT)

    # A shell makes what it starts in the background deaf to Ctrl-C, and so to what is passed on as one.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, stop)


def clean_up_in_peace() -> None:
    """From here on neither Ctrl-C nor SIGTERM counts."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
