"""The main screens in both themes, both sizes and all scripts, as pictures for people to look at.

They lie in `build/screens` after a run. What a machine can say of them is asserted: that the screen is there,
and that nothing on it is cut. Chinese needs a font that has it, such as Debian's `fonts-wqy-microhei`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from local.bundle import ROOT
from tests.browser.browsing import Visit
from tests.browser.test_quality import CUT
from tests.browser.threads import cards

FOLDER = ROOT / "build/screens"
# Each theme, size and script is in two of them.
LOOKS = [
    ("dark", False, "en-US"),
    ("light", False, "zh-CN"),
    ("dark", True, "zh-TW"),
    ("light", True, "en-US"),
]
COMMANDS = "$ pytest -q\n$ plot\n$ table"


@pytest.fixture(scope="module")
def folder(pytestconfig: pytest.Config) -> Iterator[Path]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    yield FOLDER
    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(f"\nscreens: {FOLDER}")


def home(page: Page) -> None:
    expect(page.locator("main h2").first).to_be_visible()


def thread(page: Page) -> None:
    bot = page.evaluate("fetch('/api/bots').then((one) => one.json()).then(({ items }) => items[0].id)")
    thread_id = page.evaluate(
        """(bot_id) => fetch("/api/threads", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ bot_id }),
        }).then((one) => one.json()).then(({ id }) => id)""",
        bot,
    )
    page.goto(f"{page.url.split('/', 3)[0]}//{page.url.split('/')[2]}/t/{thread_id}")
    expect(page.locator("[data-connection=live]")).to_be_attached()
    field = page.locator("main textarea").first
    field.fill("企鹅 and **penguins**: what do they weigh?")
    field.press("Enter")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    field.fill(COMMANDS)
    field.press("Enter")
    expect(cards(page, "artifact").last).to_be_visible()
    expect(page.locator("[data-tone=running]")).to_have_count(0)
    picture = page.locator("[data-card=artifact] img")
    expect(picture).to_be_visible()
    picture.evaluate("async (image) => await image.decode()")


def at(path: str) -> Callable[[Page], None]:
    def go(page: Page) -> None:
        page.goto(f"{page.url.rstrip('/')}{path}")
        expect(page.locator("main h2").first).to_be_visible()
        page.wait_for_load_state("networkidle")

    return go


SCREENS: dict[str, Callable[[Page], None]] = {
    "home": home,
    "thread": thread,
    "settings-trading": at("/settings/trading"),
    "settings-usage": at("/settings/usage"),
    "settings-notices": at("/settings/notices"),
}


@pytest.mark.parametrize("screen", list(SCREENS))
@pytest.mark.parametrize(("theme", "phone", "locale"), LOOKS)
def test_screen(
    mock: str, visit: Visit, folder: Path, screen: str, theme: str, phone: bool, locale: str
) -> None:
    page = visit(mock, phone=phone, color_scheme=theme, locale=locale)
    SCREENS[screen](page)
    size = "phone" if phone else "desktop"
    page.screenshot(path=folder / f"{screen}-{theme}-{size}-{locale}.png", animations="disabled")
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize(("theme", "phone", "locale"), LOOKS)
def test_cards(gallery: str, visit: Visit, folder: Path, theme: str, phone: bool, locale: str) -> None:
    page = visit(f"{gallery}?theme={theme}&locale={locale}", phone=phone)
    expect(page.locator("[data-state=o1]")).to_be_attached()
    size = "phone" if phone else "desktop"
    path = folder / f"cards-{theme}-{size}-{locale}.png"
    page.screenshot(path=path, full_page=True, animations="disabled")
    assert page.evaluate(CUT) == []
