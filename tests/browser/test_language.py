"""What the server and the computer say reaches a person in their language."""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.threads import cards, post


def send(page: Page, text: str) -> None:
    field = page.locator("main textarea").first
    field.fill(text)
    # What completes a command lies above the field.
    field.press("Escape")
    field.press("Enter")


def test_refusals_and_mistakes_are_said_in_chinese(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url, phone=True, locale="zh-CN")
    bot = post(page, "/api/bots", {"name": "Bot"})
    thread = post(page, "/api/threads", {"bot_id": bot["id"]})
    page.goto(f"{stack.url}/t/{thread['id']}")
    expect(page.locator("[data-connection=live]")).to_be_attached()
    send(page, "/ordrs")
    answer = cards(page, "assistant")
    expect(answer.last).to_contain_text("没有 /ordrs 这个命令。是不是想用 /orders 或 /order？")
    send(page, "/orders\nbuy 0.01 BTC")
    expect(answer.last).to_contain_text("第 2 行：buy 0.01 BTC 缺少价格。")
    send(page, "/read missing.txt")
    file = cards(page, "file").last
    expect(file).to_contain_text("工作区里没有 'missing.txt' 这个文件。")
    send(page, "/orders\nbuy 0.0001 BTC 60010\nbuy 1 XYZ 5")
    order = cards(page, "tool").last
    expect(order).to_contain_text("第 1 笔：金额 6.001 USDC 低于最低的 10；第 2 笔：没有 'XYZ' 这个市场")
    for card in (file, order):
        expect(card.get_by_role("group")).not_to_contain_text("There is")
