"""Orders on a card: shown with where they come from, decided line by line, true after a reload."""

import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.threads import cards, new_bot, say

LINES = "/orders\nbuy 0.01 BTC 70000 Ioc\nsell 2 SOL 120 Ioc"


@pytest.fixture
def page(stack: LocalStack, visit: Visit) -> Page:
    page = visit(stack.url)
    new_bot(page)
    return page


def test_a_person_approves_one_line_and_declines_the_other(page: Page) -> None:
    say(page, LINES)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    expect(card.get_by_role("timer")).to_contain_text("Expires in 1")
    expect(card.get_by_role("row").nth(1)).to_contain_text("BuyBTC Ioc")
    expect(card).not_to_contain_text("This conversation used the computer")
    expect(cards(page, "waiting")).to_have_count(0)
    card.get_by_role("checkbox", name="Approve line 2").uncheck()
    card.get_by_role("button", name="Approve 1 of 2").click()
    expect(card).to_have_attribute("data-state", "executed")
    expect(card.get_by_role("row").nth(1)).to_contain_text("filled 0.01 at")
    expect(card.get_by_role("row").nth(2)).to_contain_text("declined")
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    page.reload()
    expect(cards(page, "approval").get_by_role("row").nth(1)).to_contain_text("filled 0.01 at")


def test_a_decision_made_elsewhere_is_seen_here(page: Page, stack: LocalStack) -> None:
    say(page, LINES)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    items = page.request.get(f"{stack.url}/api/approvals").json()["items"]
    (found,) = [one for one in items if one["thread_id"] == page.url.split("/t/")[1]]
    body = {"digest": found["digest"], "approve": [], "reason": "not today"}
    declined = page.request.post(f"{stack.url}/api/approvals/{found['id']}/decision", data=body)
    assert declined.ok
    expect(card).to_have_attribute("data-state", "declined")
    expect(card).to_contain_text("Declined")
    expect(card.get_by_role("button")).to_have_count(0)


def test_approving_waits_until_every_line_was_in_view_on_a_phone_in_chinese(
    stack: LocalStack, visit: Visit
) -> None:
    page = visit(stack.url, phone=True, locale="zh-CN")
    thread_id = page.evaluate(
        """async (lines) => {
            const post = async (path, body) => (await fetch(path, {
                method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
            })).json();
            const bot = await post("/api/bots", { name: "Trader" });
            const thread = await post("/api/threads", { bot_id: bot.id });
            await post(`/api/threads/${thread.id}/messages`, { client_id: "phone-0001", text: lines });
            return thread.id;
        }""",
        "/orders\n" + "\n".join(["buy 0.001 BTC 70000 Ioc"] * 20),
    )
    page.goto(f"{stack.url}/t/{thread_id}")
    card = cards(page, "approval")
    expect(card).to_contain_text("待审批")
    approve = card.get_by_role("button", name="批准")
    card.get_by_role("row").first.scroll_into_view_if_needed()
    card.get_by_role("row").last.scroll_into_view_if_needed()
    expect(approve).to_be_enabled()
    card.get_by_role("button", name="拒绝").click()
    expect(card).to_contain_text("已拒绝")
