"""Somebody who has never seen Berth: by clicks alone they run a command, see a file, approve an order on
paper and find the settings. No bot was made for them and nothing is typed."""

from typing import Any

import pytest
from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.test_accessibility import violations
from tests.browser.threads import cards, in_thread, standing

Words = tuple[str, str, str, str]
JOURNEYS: dict[str, tuple[dict[str, Any], Words]] = {
    "wide": (
        {"locale": "en-US", "color_scheme": "light"},
        ("Get a file", "Approve an order", "Approve", "See the settings"),
    ),
    "small": (
        {"locale": "zh-CN", "color_scheme": "dark", "phone": True},
        ("得到文件", "批准订单", "批准", "看看设置"),
    ),
}


@pytest.mark.parametrize("name", JOURNEYS)
def test_clicks_alone_show_what_berth_is(stack: LocalStack, visit: Visit, name: str) -> None:
    options, (file, order, approve, settings) = JOURNEYS[name]
    page = visit(stack.url.replace("127.0.0.1", f"newcomer-{name}.localhost"), **options)
    page.locator("[data-step=command]").click()
    command = cards(page, "terminal")
    expect(standing(command, "finished")).to_be_visible()
    expect(command.locator("code")).to_contain_text("Python 3")
    page.get_by_role("button", name=file).click()
    # What was pressed is gone, and the keyboard goes on where one writes.
    expect(page.locator("main textarea")).to_be_focused()
    picture = cards(page, "artifact").get_by_role("img")
    expect(picture).to_be_in_viewport()
    assert picture.evaluate("async e => { await e.decode(); return e.naturalWidth }") > 0
    page.get_by_role("button", name=order).click()
    approval = cards(page, "approval")
    approval.get_by_role("button", name=approve).click()
    expect(approval).to_have_attribute("data-state", "executed")
    expect(approval).to_contain_text("0.001")
    thread = page.url
    page.get_by_role("button", name=settings).click()
    expect(page.get_by_role("main").get_by_role("link")).not_to_have_count(0)
    assert page.url.endswith("/settings")
    page.go_back()
    assert page.url == thread
    # Whoever has seen it all is not told again.
    expect(cards(page, "approval")).to_be_in_viewport()
    expect(page.get_by_role("button", name=settings)).to_have_count(0)


def test_the_first_page_has_what_is_left_until_it_is_done_or_dismissed(mock: str, visit: Visit) -> None:
    page = visit(mock)
    steps = page.locator("[data-step]")
    expect(steps).to_have_count(3)
    done = page.get_by_role("img", name="Done")
    expect(done).to_have_count(0)
    page.locator("[data-step=command]").click()
    expect(standing(cards(page, "terminal"), "finished")).to_be_visible()
    # Another browser of the same person knows of it.
    for one in (page, visit(mock)):
        one.goto(mock)
        expect(one.locator("[data-step]")).to_have_count(3)
        expect(one.locator("[data-step=command]").get_by_role("img", name="Done")).to_be_visible()
        expect(one.get_by_role("img", name="Done")).to_have_count(1)
    assert violations(page) == []
    page.locator("[data-step=file]").click()
    in_thread(page)
    page.goto(mock)
    expect(done).to_have_count(2)
    page.get_by_role("button", name="Dismiss").click()
    expect(steps).to_have_count(0)
    later = visit(mock)
    expect(later.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()
    expect(later.locator("[data-step]")).to_have_count(0)
