"""Where the demo is shown: lines that stay, and on a terminal one below them that is alive.

Elsewhere (a log, a pipe) the live line is left out and so is every escape code. What comes out of the
computer is somebody's bytes: `harmless` takes from it whatever could steer a terminal.
"""

import asyncio
import itertools
import re
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TextIO

from local.launcher.terminal import FRAME_SECONDS, FRAMES

# CSI and OSC sequences as a whole; what is left of others loses its control characters below.
SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
PAINT = {"bold": 1, "dim": 2, "red": 31, "green": 32, "cyan": 36}


def harmless(text: str) -> str:
    """One line of untrusted text as it may be shown: of a line that was overwritten, the last state."""
    shown = SEQUENCE.sub("", text).rstrip("\r").rpartition("\r")[2].expandtabs(4)
    return "".join(c for c in shown if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})


class Screen:
    def __init__(self, out: TextIO, *, alive: bool, width: int, clock: Callable[[], float]) -> None:
        self._out = out
        self._alive = alive
        self._width = width
        self._clock = clock
        self._frames = itertools.cycle(FRAMES)
        self._waiting = ""
        self._since = 0.0

    def paint(self, colour: str, text: str) -> str:
        return f"\x1b[{PAINT[colour]}m{text}\x1b[0m" if self._alive else text

    def line(self, text: str = "") -> None:
        self._out.write(f"{self._erase()}{text}\n")
        self._draw()

    def tick(self, text: str, indent: str = "") -> None:
        self.line(f"{indent}{self.paint('green', '✓')} {text}")

    def cross(self, text: str, indent: str = "") -> None:
        self.line(f"{indent}{self.paint('red', '✗')} {text}")

    def wait(self, text: str) -> None:
        """Say what is being waited for; an empty text ends it."""
        self._out.write(self._erase())
        self._waiting, self._since = text, self._clock()
        self._draw()

    def fitting(self, text: str, indent: int) -> str:
        """Cut a line to the terminal's width, where there is a terminal."""
        room = self._width - indent
        return text if not self._alive or len(text) <= room else text[: room - 1] + "…"

    @asynccontextmanager
    async def turning(self) -> AsyncIterator[None]:
        """Keep the live line moving meanwhile."""
        turner = asyncio.create_task(self._turn()) if self._alive else None
        try:
            yield
        finally:
            if turner is not None:
                turner.cancel()
            self.wait("")

    async def _turn(self) -> None:
        while True:
            await asyncio.sleep(FRAME_SECONDS)
            self._out.write(self._erase())
            self._draw()

    def _erase(self) -> str:
        return "\r\x1b[K" if self._alive and self._waiting else ""

    def _draw(self) -> None:
        if self._alive and self._waiting:
            seconds = f"{self._clock() - self._since:.0f} s"
            text = self.fitting(f"{self._waiting} ", len(seconds) + 4)
            self._out.write(f"  {next(self._frames)} {text}{self.paint('dim', seconds)}")
        self._out.flush()
