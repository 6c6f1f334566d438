"""No rule of WCAG 2.2 A and AA, nor of axe's best practice, is broken in any state of the page."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from local.bundle import ROOT
from tests.browser.browsing import Visit
from tests.browser.threads import ENDLESS, command, composer, in_thread, new_thread, say, standing, terminal

AXE = ROOT / "node_modules/axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# A rule looks at colours as they are. What was fading in, or came in meanwhile, is looked at again.
LOOK = """async tags => {
  for (let looks = 1; ; looks++) {
    const passing = document.getAnimations().filter(one => one.effect.getTiming().iterations === 1);
    await Promise.allSettled(passing.map(one => one.finished));
    const { violations } = await axe.run({ runOnly: tags });
    if (violations.length === 0 || looks === 3) return violations;
  }
}"""


def violations(page: Page, *, besides: frozenset[str] = frozenset()) -> list[str]:
    # A page is loaded before it is drawn. What lies under a dialog is hidden from roles.
    expect(page.locator("main")).to_be_attached()
    # Evaluated by the debugger, so the page's policy need not allow it.
    page.evaluate(Path(AXE).read_text())
    found: list[dict[str, Any]] = page.evaluate(LOOK, TAGS)
    serious = [one for one in found if one["id"] not in besides]
    return [f"{one['id']}: {node['target']} {node['html'][:120]}" for one in serious for node in one["nodes"]]


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("locale", ["en", "zh-Hans", "zh-Hant"])
def test_every_card(gallery: str, visit: Visit, theme: str, locale: str) -> None:
    page = visit(f"{gallery}?theme={theme}&locale={locale}")
    expect(page.locator("[data-state=o1]")).to_be_attached()
    expect(page.locator("table").first).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("phone", [False, True])
def test_thread_at_work(mock: str, visit: Visit, theme: str, phone: bool) -> None:
    page = visit(mock, phone=phone, color_scheme=theme)
    new_thread(page)
    expect(page.get_by_role("heading", name="What should Quill do?")).to_be_visible()
    assert violations(page) == []
    card = command(page, ENDLESS)
    expect(standing(card, "running")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_what_opens_above_the_page(mock: str, visit: Visit, theme: str) -> None:
    page = visit(mock, color_scheme=theme)
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()
    assert violations(page) == []
    # Two of one name: nothing that has a bot's name may need to be the only one.
    for _ in range(2):
        page.get_by_role("navigation").get_by_role("button", name="New bot").click()
        page.get_by_role("dialog").get_by_label("Name", exact=True).fill("Twin")
        page.get_by_role("button", name="Create bot").click()
        in_thread(page)
    assert violations(page) == []
    page.get_by_role("navigation").get_by_role("button", name="New bot").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("OpenAI-compatible").check()
    page.get_by_role("button", name="Create bot").click()
    expect(dialog.get_by_text("Give the model's name.")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Theme").click()
    expect(page.get_by_role("menu")).to_be_visible()
    # A menu floats above the landmarks and belongs to none.
    assert violations(page, besides=frozenset({"region"})) == []


def test_all_can_be_done_with_the_keyboard(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new = page.get_by_role("main").get_by_role("button", name="New thread")
    new.wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the conversation")).to_be_focused()
    new.focus()
    page.keyboard.press("Enter")
    in_thread(page)
    expect(composer(page)).to_be_focused()
    page.keyboard.type(f"$ {ENDLESS}")
    page.keyboard.press("Enter")
    card = terminal(page, ENDLESS)
    card.get_by_role("button", name="Stop").focus()
    page.keyboard.press("Enter")
    expect(standing(card, "stopped")).to_be_visible()


def test_what_changes_is_announced(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    say(page, "$ pytest -q")
    expect(page.locator("[aria-live=polite]")).to_contain_text("Command ended: Failed · exit 1")
