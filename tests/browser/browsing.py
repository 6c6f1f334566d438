"""The tools of the browser's tests: how Chromium is started, what is watched, who plays the server."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import ConsoleMessage, Page

from local.bundle import ROOT
from local.launcher.tools import environment, node_command

CHROMIUM = os.environ.get("BERTH_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WEB = ROOT / "web"

Visit = Callable[..., Page]
"""Opens an address: `visit(url, phone=True, locale="zh-TW", color_scheme="dark")`."""


# Who leaves a thread before its stream is there closes it, and Chromium remarks on that.
LEFT_EARLY = "WebSocket is closed before the connection is established."


class Watch:
    """What went wrong on a page, apart from what a test has provoked and says so."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self.expected: tuple[str, ...] = ()

    def message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and LEFT_EARLY not in message.text:
            self.troubles.append(message.text)

    def unexpected(self) -> list[str]:
        return [text for text in self.troubles if not any(known in text for known in self.expected)]


@contextmanager
def pretended(*arguments: str) -> Iterator[str]:
    """Start the pretended server and give its address."""
    command = node_command("../web/test/mock/main.ts", *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["url"])
        finally:
            server.terminate()
