"""The page of what was used: its numbers add up as they are shown, in each language."""

import re
import time
from decimal import Decimal

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, headers_at
from tests.browser.test_accessibility import violations
from tests.browser.test_settings import section
from tests.browser.threads import about_computer, command, new_bot, new_thread, standing

LOCALES = {"en-US": ("Usage", "Grouped by"), "zh-CN": ("用量", "分组"), "zh-TW": ("用量", "分組")}
COLD_START_MS = 60_000
VIEWS = ("day", "bot", "thread", "routine", "command", "model")


def amount(text: str) -> Decimal:
    found = re.fullmatch(r"\$([\d,]+\.\d{6})", text.strip())
    assert found, text
    return Decimal(found[1].replace(",", ""))


def amounts(row: Locator) -> list[Decimal]:
    return [amount(text) for text in row.locator("td[data-micro]").all_text_contents()]


def add_up(page: Page) -> Decimal:
    """Add the rows as they are shown, check them against the last one, and return the total."""
    rows = [amounts(row) for row in page.locator("tbody tr").all()]
    total = amounts(page.locator("tfoot tr"))
    assert [sum(column) for column in zip(*rows, strict=True)] == total
    assert all(computer + model == both for computer, model, both in [*rows, total])
    return total[2]


def choose(page: Page, label: str, view: str) -> None:
    """Group the table, and wait until it is the one that was asked for."""
    with page.expect_response(lambda answer: f"by={view}&" in answer.url):
        page.get_by_label(label).select_option(view)
    head = page.locator("thead th").first
    expect(head).to_have_text(page.get_by_label(label).locator(f"option[value={view}]").text_content() or "")


@pytest.mark.parametrize("locale", LOCALES)
def test_each_view_adds_up_to_the_same_total(mock: str, visit: Visit, locale: str) -> None:
    title, label = LOCALES[locale]
    page = visit(f"{mock}/settings/usage", locale=locale)
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    expect(page.locator("tfoot tr")).to_be_visible()
    totals = {add_up(page)}
    for view in VIEWS[1:]:
        choose(page, label, view)
        totals.add(add_up(page))
    assert len(totals) == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("phone", [True, False])
def test_everybody_can_use_it(mock: str, visit: Visit, theme: str, *, phone: bool) -> None:
    page = visit(f"{mock}/settings/usage", phone=phone, color_scheme=theme)
    expect(page.locator("tfoot tr")).to_be_visible()
    assert violations(page) == []
    expect(page.get_by_role("link", name="Download as CSV")).to_have_attribute(
        "href", re.compile(r"/api/usage\.csv\?first_day=\d{4}-\d\d-01&last_day=")
    )
    # Nothing is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_panel_of_the_computer_leads_to_it(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    about_computer(page, "Standby").get_by_role("link", name="Usage").click()
    expect(page.get_by_role("heading", name="Usage", exact=True)).to_be_visible()
    page.get_by_role("link", name="Berth").click()
    expect(page.get_by_role("heading", name="Usage", exact=True)).to_have_count(0)


def test_what_a_real_command_cost_is_there_and_adds_up(stack: LocalStack, visit: Visit) -> None:
    # An owner of its own: the zone of the days is that of who looks first.
    port = stack.url.rsplit(":", 1)[1]
    url, text = f"http://usage.localhost:{port}", "sleep 1.5; echo paid"
    page = visit(url, timezone_id="Asia/Shanghai")
    new_bot(page)
    expect(standing(command(page, text), "finished")).to_be_visible(timeout=COLD_START_MS)
    settled(stack.url, port, text)
    section(page, "Usage")
    expect(page.locator("tfoot tr")).to_be_visible()
    choose(page, "Grouped by", "command")
    row = page.locator("tbody tr").filter(has=page.get_by_role("rowheader", name=text))
    expect(row).to_have_count(1)
    assert add_up(page) > 0
    # Where this was before it was a part of the settings.
    chinese = visit(f"{url}/usage", locale="zh-CN")
    expect(chinese.get_by_role("heading", name="用量", exact=True)).to_be_visible()
    expect(chinese.get_by_text("Asia/Shanghai")).to_be_visible()
    choose(chinese, "分组", "command")
    assert add_up(chinese) > 0


def settled(url: str, port: str, text: str) -> None:
    """Wait until the ledger has what the command cost."""
    for _ in range(120):
        found = httpx.get(
            f"{url}/api/usage?by=command", headers={"host": f"usage.localhost:{port}", **headers_at(url)}
        ).json()
        if any(row["label"] == text and row["computer_micro"] > 0 for row in found["rows"]):
            return
        time.sleep(0.5)
    raise AssertionError(f"the ledger has only {found}")
