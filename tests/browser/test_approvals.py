"""Orders on a card: shown with where they come from, decided line by line, true after a reload."""

import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.threads import cards, new_bot, post, say, terminal

TWENTY = "/orders\n" + "\n".join(["buy 0.001 BTC 70000 Ioc"] * 20)
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


def test_every_column_is_in_view_beside_the_computer(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url, viewport={"width": 1100, "height": 800})
    new_bot(page)
    say(page, LINES)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    page.keyboard.press("Control+j")
    expect(page.get_by_role("complementary", name="Computer")).to_be_visible()
    fits = "e => { const box = e.parentElement; return box.scrollWidth <= box.clientWidth }"
    assert card.get_by_role("table").evaluate(fits)
    card.get_by_role("button", name="Decline").click()
    expect(card).to_have_attribute("data-state", "declined")


def test_on_a_phone_every_figure_is_in_view_with_its_name(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url, viewport={"width": 430, "height": 932})
    new_bot(page)
    say(page, LINES)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    inside = """e => [...e.querySelectorAll("td, dd")].every((one) => {
      const [box, all] = [one.getBoundingClientRect(), e.getBoundingClientRect()];
      const within = box.left >= all.left && box.right <= all.right;
      return box.width > 0 && within && one.scrollWidth <= one.clientWidth;
    })"""
    assert card.evaluate(inside)
    named = "e => [...e.querySelectorAll('tbody tr:first-child td')].map((one) => one.dataset.name ?? '')"
    assert card.evaluate(named) == ["", "Size", "Price", "Value", "From mid", "Position after"]
    price = card.get_by_role("row").nth(1).get_by_role("cell").nth(2)
    assert price.evaluate("e => getComputedStyle(e, '::before').content") == '"Price"'
    assert card.locator("[data-totals] dt").all_text_contents() == [
        "Value",
        "Fee, about",
        "Margin",
        "Available",
    ]
    card.get_by_role("button", name="Decline").click()
    expect(card).to_have_attribute("data-state", "declined")


def test_a_decision_made_elsewhere_is_seen_here(page: Page, stack: LocalStack) -> None:
    say(page, LINES)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    items = page.request.get(f"{stack.url}/api/approvals").json()["items"]
    (found,) = [one for one in items if one["thread_id"] == page.url.split("/t/")[1]]
    body = {"digest": found["digest"], "approve": [], "reason": "not today"}
    assert "code" not in post(page, f"/api/approvals/{found['id']}/decision", body)
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
        TWENTY,
    )
    page.goto(f"{stack.url}/t/{thread_id}")
    card = cards(page, "approval")
    expect(card).to_contain_text("待审批")
    approve = card.get_by_role("button", name="批准")
    # The thread opens at its end, where the last lines are and the first ones are not.
    expect(card).to_contain_text("请先看完每一行")
    expect(approve).to_be_disabled()
    for row in card.get_by_role("row").all():
        row.scroll_into_view_if_needed()
    expect(approve).to_be_enabled()
    expect(card).not_to_contain_text("请先看完每一行")
    card.get_by_role("button", name="拒绝").click()
    expect(card).to_contain_text("已拒绝")


def test_line_taller_than_the_view_counts_once_all_of_it_went_by(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 500})
    say(page, TWENTY)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    card.locator("tbody td").first.evaluate("e => { e.style.height = '2400px'; }")
    approve = card.get_by_role("button", name="Approve", exact=True)
    log = page.get_by_role("log")
    log.evaluate("e => e.scrollTo(0, 0)")
    for row in card.get_by_role("row").all()[2:]:
        row.scroll_into_view_if_needed()
    expect(card).to_contain_text("1 was not in view yet")
    expect(approve).to_be_disabled()
    log.focus()
    for _ in range(30):
        page.keyboard.press("PageUp")
        page.wait_for_timeout(80)
    expect(approve).to_be_enabled()


def test_what_was_chosen_is_still_chosen_for_who_looked_at_what_led_to_it(page: Page) -> None:
    for text in ("$ seq 30", "$ seq 31", "$ seq 32", "$ seq 33", "$ seq 34", "$ seq 35"):
        say(page, text)
        expect(terminal(page, text[2:]).locator("[data-tone=finished]")).to_be_visible()
    say(page, TWENTY)
    card = cards(page, "approval")
    expect(card).to_contain_text("Needs approval")
    card.get_by_role("checkbox", name="Approve line 20").uncheck()
    card.get_by_role("textbox").fill("19 are enough")
    log = page.get_by_role("log")
    log.evaluate("e => e.scrollTo(0, 0)")
    expect(card).to_have_count(0)
    log.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    expect(card.get_by_role("checkbox", name="Approve line 20")).not_to_be_checked()
    expect(card.get_by_role("textbox")).to_have_value("19 are enough")
    card.get_by_role("button", name="Decline").click()
    expect(card).to_contain_text("19 are enough")
