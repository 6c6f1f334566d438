"""The tools of the browser's tests: how Chromium is started, what is watched, who plays the server."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, Request

from local.bundle import ROOT
from local.launcher.tools import environment, node_command
from local.stack import LocalStack

CHROMIUM = os.environ.get("BERTH_CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A turn of the wheel is one step, not a movement that takes as long as the machine likes.
    "--disable-smooth-scrolling",
)
WEB = ROOT / "web"

# How long is waited for anything. Machines are busy at times, and no test is about how quick they are.
PATIENCE_MS = 60_000

Visit = Callable[..., Page]
"""Opens an address: `visit(url, phone=True, locale="zh-TW", color_scheme="dark")`."""


# Who leaves a thread before its stream is there closes it, and Chromium remarks on that.
LEFT_EARLY = "WebSocket is closed before the connection is established."
# `visit` has none but where a test is about it.
NO_WORKER = "Service Worker registration blocked by Playwright"


class Watch:
    """What went wrong on a page, apart from what a test has provoked and says so."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self.expected: tuple[str, ...] = ()

    def message(self, message: ConsoleMessage) -> None:
        remarks = (LEFT_EARLY, NO_WORKER)
        if message.type in {"error", "warning"} and not any(known in message.text for known in remarks):
            self.troubles.append(message.text)

    def request(self, request: Request) -> None:
        """No page of Berth asks anybody but its own server, which is on this machine in every test."""
        host = urlsplit(request.url).hostname or "localhost"
        if host not in {"localhost", "127.0.0.1"} and not host.endswith(".localhost"):
            self.troubles.append(f"asked somebody else: {request.url}")

    def unexpected(self) -> list[str]:
        return [text for text in self.troubles if not any(known in text for known in self.expected)]


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for what handlers note down: they are called while the page is waited for."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < deadline, "it never happened"
        page.wait_for_timeout(50)


def requests_of(page: Page) -> list[str]:
    """The addresses that the page asks from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def foreign(asked: list[str], page: Page) -> list[str]:
    """Those that leave the page's own origin; what the page holds itself has no host."""
    return [url for url in asked if urlsplit(url).netloc not in {urlsplit(page.url).netloc, ""}]


STACKS: dict[int, LocalStack] = {}
"""Those that are served, by their ports: whoever visits one signs in there first."""


def known(stack: LocalStack) -> LocalStack:
    STACKS[urlsplit(stack.url).port or 0] = stack
    return stack


def headers_at(url: str) -> dict[str, str]:
    """With them a test is the person of the address, beside any browser."""
    stack = STACKS.get(urlsplit(url).port or 0)
    return stack.headers if stack else {}


def with_token(url: str) -> str:
    """The address as `./berth dev` prints it, where it is one of a stack."""
    stack = STACKS.get(urlsplit(url).port or 0)
    return f"{url}#token={stack.token}" if stack else url


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
