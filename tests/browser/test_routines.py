"""The page of routines on the served Berth: one is made with its next times in view, run and looked at."""

import pytest
from playwright.sync_api import Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.threads import composer


def at(stack: LocalStack, owner: str) -> str:
    return stack.url.replace("127.0.0.1", f"{owner}.localhost")


def with_a_bot(page: Page) -> None:
    page.get_by_role("navigation").get_by_role("button", name="New bot").click()
    page.get_by_role("dialog").get_by_role("button", name="Create bot").click()
    # A new bot leads to a thread of it, once that is made.
    expect(composer(page)).to_be_visible()


def opened(page: Page) -> Locator:
    page.get_by_role("link", name="Routines").click()
    page.get_by_role("button", name="New routine").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("[data-times] li")).to_have_count(5)
    return dialog


def test_a_routine_is_made_run_and_looked_at(stack: LocalStack, visit: Visit, watch: Watch) -> None:
    watch.expected = ("status of 422",)
    page = visit(at(stack, "routines-page"))
    with_a_bot(page)
    dialog = opened(page)
    # Every permission is off until a person gives it.
    for permission in ("Use the computer", "Place orders by itself"):
        expect(dialog.get_by_label(permission)).not_to_be_checked()
    dialog.get_by_role("button", name="Create routine").click()
    expect(dialog.get_by_text("Give the routine a name.")).to_be_visible()
    dialog.get_by_label("Name", exact=True).fill("Morning look")
    dialog.get_by_label("Task").fill("$ echo by itself")
    dialog.get_by_label("Cron expression").fill("61 * * * *")
    expect(dialog.get_by_text("This is no cron expression")).to_be_visible()
    dialog.get_by_label("Cron expression").fill("30 6 * * 1-5")
    dialog.get_by_label("Time zone").fill("Asia/Shanghai")
    times = dialog.locator("[data-times] li")
    expect(times).to_have_count(5)
    expect(times.first).to_contain_text("06:30")
    dialog.get_by_label("Place orders by itself").check()
    dialog.get_by_label("Use the computer").check()
    expect(dialog.get_by_text("Once it has used the computer, its orders wait")).to_be_visible()
    dialog.get_by_label("Place orders by itself").uncheck()
    dialog.get_by_role("button", name="Time window").click()
    assert violations(page) == []
    dialog.get_by_role("button", name="Create routine").click()
    expect(dialog).to_have_count(0)
    item = page.locator("[data-routine='Morning look']")
    expect(item).to_have_attribute("data-state", "active")
    item.get_by_role("button", name="Run now").click()
    expect(item.locator("dd").get_by_text("Finished")).to_be_visible(timeout=60_000)
    item.get_by_role("button", name="History").click()
    expect(item.locator("[data-outcome=started]")).to_contain_text("Begun by you")
    assert violations(page) == []
    item.get_by_role("button", name="Pause").click()
    expect(item).to_have_attribute("data-state", "paused")
    item.get_by_role("button", name="Resume").click()
    expect(item).to_have_attribute("data-state", "active")
    item.get_by_role("link", name="Thread").click()
    card = page.locator("[data-card=routine]")
    expect(card).to_contain_text("$ echo by itself")
    expect(page.locator("[data-card=terminal]")).to_be_visible()
    card.get_by_role("link", name="Morning look").click()
    item.get_by_role("button", name="Settings of Morning look").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Cron expression")).to_have_value("30 6 * * 1-5")
    expect(dialog.locator("[data-check=window]")).to_be_visible()
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(item).to_have_count(0)


def test_a_time_zone_is_typed_letter_by_letter(stack: LocalStack, visit: Visit, watch: Watch) -> None:
    watch.expected = ("status of 422",)
    page = visit(at(stack, "routines-zone"))
    with_a_bot(page)
    dialog = opened(page)
    dialog.get_by_label("Name", exact=True).fill("Kept")
    zone = dialog.get_by_label("Time zone")
    zone.press("End")
    zone.press_sequentially("x")
    expect(dialog.locator("[data-times]")).to_contain_text("UTCx")
    zone.fill("")
    zone.press_sequentially("Asia/Tokyo")
    expect(dialog.locator("[data-times] li").first).to_contain_text("GMT+9")
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("Kept")


@pytest.mark.parametrize(
    ("locale", "title", "new", "next_times"),
    [
        ("zh-CN", "例行任务", "新建例行任务", "将在这些时间运行"),
        ("zh-TW", "例行工作", "新增例行工作", "將在這些時間執行"),
    ],
)
def test_it_speaks_chinese(
    stack: LocalStack, visit: Visit, locale: str, title: str, new: str, next_times: str
) -> None:
    page = visit(at(stack, "routines-page"), locale=locale, phone=True)
    page.goto(f"{at(stack, 'routines-page')}/routines")
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.get_by_role("button", name=new).click()
    expect(page.get_by_role("dialog").get_by_text(next_times)).to_be_visible()
    assert violations(page) == []
