"""The owner's settings: how long things are kept, on the served Berth and where a server refuses."""

import json

from playwright.sync_api import Locator, Page, Route, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch


def opened(page: Page) -> Locator:
    page.get_by_role("button", name="Settings", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Full results")).to_have_value("30")
    return dialog


def test_ages_are_shown_changed_and_kept(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url.replace("127.0.0.1", "ages.localhost"))
    dialog = opened(page)
    save = dialog.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    expect(dialog.get_by_label("Conversations")).to_have_value("ever")
    expect(dialog.get_by_text("Only until its command has ended.")).to_be_visible()
    expect(dialog.get_by_text("Removed so far: results 0, pictures 0, conversations 0.")).to_be_visible()
    warning = dialog.get_by_text("What is older than that is removed")
    dialog.get_by_label("Pictures").select_option("365")
    expect(warning).to_have_count(0)
    dialog.get_by_label("Conversations").select_option("90")
    expect(warning).to_be_visible()
    save.click()
    expect(dialog.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(warning).to_have_count(0)
    page.reload()
    dialog = opened(page)
    expect(dialog.get_by_label("Pictures")).to_have_value("365")
    expect(dialog.get_by_label("Conversations")).to_have_value("90")


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
    dialog = opened(page)
    dialog.get_by_label("Full results").select_option("7")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("group", name="Something went wrong")).to_be_visible()
    expect(dialog.get_by_label("Full results")).to_have_value("7")
    page.unroute("**/api/me")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Saved.", exact=True)).to_be_visible()
