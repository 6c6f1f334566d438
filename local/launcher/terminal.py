"""What the launcher shows while it works: one line a step, alive while it takes, with a tick at the end.

On a terminal the line turns and counts seconds; in a log it is printed once when the step is done.
"""

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.08
_CLEARED = "\r\x1b[K"


class Step:
    """A running step whose text can change."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.started = time.monotonic()
        self.writing = threading.Lock()

    def interrupt(self, text: str) -> None:
        """Say something while the step goes on; its line comes again below."""
        with self.writing:
            say(f"{_CLEARED}{text}" if sys.stdout.isatty() else text)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


def say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def tick(text: str) -> None:
    say(f"{_green('✓')} {text}")


def cross(text: str) -> None:
    say(f"{_red('✗')} {text}")


@contextmanager
def step(text: str) -> Iterator[Step]:
    """Show that something is under way; whether it worked is told by whether the block raised."""
    running = Step(text)
    done = threading.Event()
    spinner = threading.Thread(target=_spin, args=(running, done), daemon=True)
    if sys.stdout.isatty():
        spinner.start()
    worked = False
    try:
        yield running
        worked = True
    finally:
        done.set()
        if spinner.ident is not None:
            spinner.join()
        (tick if worked else cross)(f"{running.text} {_dim(f'{running.seconds:.1f} s')}")


def _spin(running: Step, done: threading.Event) -> None:
    for frame in itertools.cycle(FRAMES):
        with running.writing:
            sys.stdout.write(f"{_CLEARED}{frame} {running.text} {_dim(f'{running.seconds:.0f} s')}")
            sys.stdout.flush()
        if done.wait(FRAME_SECONDS):
            break
    sys.stdout.write(_CLEARED)


def _paint(code: int, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if sys.stdout.isatty() else text


def _green(text: str) -> str:
    return _paint(32, text)


def _red(text: str) -> str:
    return _paint(31, text)


def _dim(text: str) -> str:
    return _paint(2, text)
