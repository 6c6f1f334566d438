"""A browser, a pretended server for what needs no computer, and the served Berth for what does.

Every page is watched: an error in its console, or anything its content policy had to stop, fails the
test that opened it.
"""

import itertools
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from local.launcher.tools import environment, node_command
from local.launcher.web import build_page
from local.stack import LocalStack
from tests.browser.browsing import (
    CHROMIUM,
    FLAGS,
    PATIENCE_MS,
    WEB,
    Visit,
    Watch,
    known,
    pretended,
    with_token,
)

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 430, "height": 932}

# Each test is an owner of its own at the one pretended server.
NAMES = itertools.count(1)

expect.set_options(timeout=PATIENCE_MS)

# With the starting of what the first one needs. Far more than a test takes where it goes on at all.
TEST_SECONDS = 600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), timeout=TEST_SECONDS * 1000 / 2
        )
        yield launched
        launched.close()


@pytest.fixture
def watch() -> Iterator[Watch]:
    watching = Watch()
    yield watching
    assert watching.unexpected() == []


@pytest.fixture
def visit(browser: Browser, watch: Watch) -> Iterator[Visit]:
    """Open an address in a profile of its own; a phone where the options say so."""
    with ExitStack() as contexts:

        def open_page(url: str, *, phone: bool = False, **options: Any) -> Page:
            shape: dict[str, Any] = {"viewport": PHONE if phone else DESKTOP, "locale": "en-US"}
            # It would fetch the page's parts once more for each profile; what it is for is tested with it.
            shape["service_workers"] = "block"
            if phone:
                shape |= {"has_touch": True, "is_mobile": True}
            context = browser.new_context(**(shape | options))
            contexts.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            context.on("request", watch.request)
            page = context.new_page()
            page.on("console", watch.message)
            page.on("pageerror", lambda error: watch.troubles.append(str(error)))
            page.goto(with_token(url))
            page.wait_for_url(url)
            return page

        yield open_page


@pytest.fixture(scope="session")
def built() -> Path:
    build_page()
    return WEB / "dist"


@pytest.fixture(scope="session")
def pretended_server(built: Path) -> Iterator[str]:
    with pretended("--page", str(built)) as url:
        yield url


@pytest.fixture
def mock(pretended_server: str) -> str:
    """A pretended Berth of the test's own, with one bot, `Quill`, that has no model."""
    name = f"t{next(NAMES)}"
    return pretended_server.replace("127.0.0.1", f"{name}.localhost")


@pytest.fixture
def unsandboxed(built: Path) -> Iterator[str]:
    with pretended("--page", str(built), "--unsandboxed") as url:
        yield url


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Every card in every state on one page."""
    folder = tmp_path_factory.mktemp("gallery")
    command = node_command("vite/bin/vite.js", "build", "--mode", "gallery", "--outDir", str(folder))
    subprocess.run([*command, "--emptyOutDir", "--logLevel", "error"], cwd=WEB, env=environment(), check=True)
    with pretended("--page", str(folder)) as url:
        yield f"{url}/gallery.html"


@pytest.fixture(scope="session")
def stack(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    assert (built / "index.html").exists()
    with LocalStack(tmp_path_factory.mktemp("berth")) as running:
        yield known(running)


@pytest.fixture(scope="session")
def mortal(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A stack that tests kill and start again."""
    assert (built / "index.html").exists()
    with LocalStack(tmp_path_factory.mktemp("mortal")) as running:
        yield known(running)
