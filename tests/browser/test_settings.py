"""The settings: one page for all of them, and how long things are kept, also where a server refuses."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.threads import composer, new_thread

SECTIONS = ("General", "Sign-in", "Workspaces", "Notices", "Bots", "Computer", "Trading", "Usage", "Data")


def section(page: Page, name: str, *, phone: bool = False) -> Locator:
    """The section, gone to from wherever the page is by what a person sees."""
    if phone:
        page.get_by_role("button", name="Open threads").click()
    rail = page.get_by_role("dialog") if phone else page.get_by_role("navigation", name="Threads")
    rail.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("navigation", name="Settings").get_by_role("link", name=name).click()
    return page.get_by_role("region", name=name, exact=True)


def opened(page: Page) -> Locator:
    data = section(page, "Data")
    expect(data.get_by_label("Full results")).to_have_value("30")
    return data


def test_ages_are_shown_changed_and_kept(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url.replace("127.0.0.1", "ages.localhost"))
    data = opened(page)
    save = data.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    expect(data.get_by_label("Conversations")).to_have_value("ever")
    expect(data.get_by_text("Only until its command has ended.")).to_be_visible()
    expect(data.get_by_text("Removed so far: results 0, pictures 0, conversations 0.")).to_be_visible()
    warning = data.get_by_text("What is older than that is removed")
    data.get_by_label("Pictures").select_option("365")
    expect(warning).to_have_count(0)
    data.get_by_label("Conversations").select_option("90")
    expect(warning).to_be_visible()
    save.click()
    expect(data.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(warning).to_have_count(0)
    page.reload()
    expect(data.get_by_label("Pictures")).to_have_value("365")
    expect(data.get_by_label("Conversations")).to_have_value("90")


def test_what_the_server_refuses_is_said_and_nothing_is_lost(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("status of 500",)
    page = visit(mock)

    def refuse(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        problem = {"code": "internal", "message": "Something went wrong on our side."}
        route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(problem))

    page.route("**/api/me", refuse)
    data = opened(page)
    data.get_by_label("Full results").select_option("7")
    data.get_by_role("button", name="Save").click()
    expect(data.get_by_role("group", name="Something went wrong")).to_be_visible()
    expect(data.get_by_label("Full results")).to_have_value("7")
    page.unroute("**/api/me")
    data.get_by_role("button", name="Save").click()
    expect(data.get_by_text("Saved.", exact=True)).to_be_visible()


@pytest.mark.parametrize(("phone", "theme"), [(False, "light"), (True, "dark")])
def test_everybody_can_use_each_section(mock: str, visit: Visit, theme: str, *, phone: bool) -> None:
    page = visit(f"{mock}/settings", phone=phone, color_scheme=theme)
    index = page.get_by_role("navigation", name="Settings")
    for name in SECTIONS:
        index.get_by_role("link", name=name).click()
        shown = page.get_by_role("region", name=name, exact=True)
        expect(shown.get_by_role("heading", name=name, exact=True)).to_be_focused()
        expect(shown.get_by_text("Loading…")).to_have_count(0)
        expect(page).to_have_title(f"{name} · Berth")
        assert violations(page) == []
        # Nothing is wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if phone:
            expect(index).to_have_count(0)
            shown.get_by_role("link", name="All settings").click()
            expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_focused()


def test_it_is_left_to_where_it_was_opened_but_not_from_a_field(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    thread = page.url
    trading = section(page, "Trading")
    address = trading.get_by_label("Address of the account")
    address.fill("0xab")
    page.keyboard.press("Escape")
    expect(address).to_have_value("0xab")
    # What was written is there after the page was drawn in another theme, and a menu takes its Escape itself.
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("menuitemradio", name="Light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("button", name="Language").click()
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(address).to_have_value("0xab")
    page.get_by_role("heading", name="Trading", exact=True).click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(thread)
    expect(composer(page)).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Back to the conversation").click()
    expect(page).to_have_url(thread)


def test_the_former_address_of_usage_leads_there_and_home_from_there(mock: str, visit: Visit) -> None:
    page = visit(f"{mock}/usage")
    expect(page.get_by_role("heading", name="Usage", exact=True)).to_be_visible()
    expect(page).to_have_url(f"{mock}/settings/usage")
    page.keyboard.press("Escape")
    expect(page).to_have_url(f"{mock}/")


def test_bots_and_the_computer_are_there_too(mock: str, visit: Visit) -> None:
    page = visit(mock)
    bots = section(page, "Bots")
    bots.get_by_role("button", name="Settings of Quill").click()
    page.get_by_role("dialog").get_by_label("Name", exact=True).fill("Nib")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(bots.get_by_text("Nib", exact=True)).to_be_visible()
    computer = section(page, "Computer")
    expect(computer.get_by_role("heading", name=re.compile("^Standby"))).to_be_visible()
    computer.get_by_role("button", name="Reset the computer…").click()
    expect(page.get_by_role("dialog", name="Reset the computer?")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(computer).to_be_visible()


def test_a_phone_goes_there_from_the_rail(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True)
    page.get_by_role("button", name="Open threads").click()
    page.get_by_role("dialog").get_by_role("link", name="Settings").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_focused()


@pytest.mark.parametrize(
    ("locale", "title", "general", "language"),
    [("zh-CN", "设置", "通用", "语言"), ("zh-TW", "設定", "一般", "語言")],
)
def test_it_speaks_chinese_until_another_language_is_chosen(
    mock: str, visit: Visit, locale: str, title: str, general: str, language: str
) -> None:
    page = visit(f"{mock}/settings", locale=locale)
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.get_by_role("region", name=general).get_by_label(language).select_option("en")
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="General").get_by_label("Language")).to_have_value("en")
