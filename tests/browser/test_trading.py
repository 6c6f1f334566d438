"""The owner's trading on the page: the kill switch, rules in words, accounts, and how a card is decided."""

from playwright.sync_api import Locator, Page, Request, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.test_settings import section
from tests.browser.threads import cards, composer, new_bot, new_thread, say

ADDRESS = "0x" + "ab" * 20
KEY = "1" * 64
LONG_MS = 60_000


def settings(page: Page) -> Locator:
    trading = section(page, "Trading")
    expect(
        trading.get_by_text("Every order asks you first.").or_(trading.get_by_text("Without asking:"))
    ).to_be_visible()
    return trading


def test_rules_are_off_until_they_are_whole_and_are_said_in_words(mock: str, visit: Visit) -> None:
    page = visit(mock)
    trading = settings(page)
    expect(trading.get_by_label("Let some orders go without asking me")).not_to_be_checked()
    expect(trading.get_by_text("A simulated market. No real money.")).to_be_visible()
    trading.get_by_label("Let some orders go without asking me").check()
    trading.get_by_role("button", name="Save rules").click()
    for words in ("Choose at least one.", "Name at least one market.", "Choose at least one side."):
        expect(trading.get_by_text(words)).to_be_visible()
    assert violations(page) == []
    trading.get_by_label("Paper", exact=True).check()
    trading.get_by_label("Markets").fill("btc")
    trading.get_by_label("Buy", exact=True).check()
    trading.get_by_label("Most an order, in USDC").fill("500")
    trading.get_by_label("Most a day, in USDC").fill("2,000")
    sentence = "Without asking: BTC, buys, up to 500 USDC an order, 2,000 a day, on Paper."
    expect(trading.get_by_text(sentence)).to_be_visible()
    trading.get_by_role("button", name="Save rules").click()
    expect(trading.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(trading.get_by_text(sentence)).to_be_visible()
    expect(trading.get_by_text("Used today: 0 of 2,000 USDC.")).to_be_visible()
    # Off is off at once, without a button.
    trading.get_by_label("Let some orders go without asking me").uncheck()
    expect(trading.get_by_text("Every order asks you first.")).to_be_visible()
    trading.get_by_label("Ask again if the price has moved").fill("11")
    trading.get_by_role("button", name="Save approvals").click()
    expect(trading.get_by_label("Ask again if the price has moved")).to_have_attribute("aria-invalid", "true")


def test_a_key_is_sent_once_and_real_money_and_removal_are_asked_for(
    mock: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("status of 422",)
    page = visit(mock)
    trading = settings(page)
    address, key = trading.get_by_label("Address of the account"), trading.get_by_label("Agent key")
    expect(key).to_have_attribute("type", "password")
    address.fill(ADDRESS)
    key.fill(KEY[:-1] + "f")
    trading.get_by_role("button", name="Connect", exact=True).click()
    expect(trading.get_by_text("which could move its money. It was not kept.")).to_be_visible()
    expect(key).to_have_value("")
    key.fill(KEY)
    trading.get_by_role("button", name="Connect", exact=True).click()
    item = trading.get_by_role("listitem").filter(has_text=ADDRESS)
    expect(item).to_contain_text("Mainnet")
    expect(key).to_have_value("")
    expect(address).to_have_value("")
    item.get_by_role("button", name="Use 0xabab…abab").click()
    expect(item.get_by_role("alert")).to_contain_text("with real money")
    item.get_by_role("button", name="Use real money").click()
    expect(trading.get_by_text("The real venue. Real money.")).to_be_visible()
    expect(item).to_contain_text("In use")
    assert violations(page) == []
    item.get_by_role("button", name="Remove 0xabab…abab").click()
    expect(item.get_by_role("alert")).to_contain_text("and its key?")
    item.get_by_role("button", name="Remove 0xabab…abab").click()
    expect(item).to_have_count(0)
    expect(trading.get_by_text("A simulated market. No real money.")).to_be_visible()


def test_trading_is_halted_with_one_tap_and_that_it_failed_is_seen(
    mock: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("ERR_FAILED",)
    page = visit(mock, phone=True)
    new_thread(page)
    # Whoever never traded is not shown the button.
    expect(page.get_by_role("button", name="Halt trading")).to_have_count(0)
    page.evaluate(
        """() => fetch("/api/trading/approvals", {
            method: "PUT", headers: { "content-type": "application/json" }, body: '{"expires_seconds": 600}',
        })"""
    )
    page.reload()
    page.route("**/api/trading/switch", lambda route: route.abort())
    page.get_by_role("button", name="Halt trading").click()
    failed = page.locator("[data-bar=halt-failed]")
    expect(failed).to_contain_text("nothing has changed")
    page.unroute("**/api/trading/switch")
    failed.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-bar=halted]")).to_contain_text("Only cancelling is possible")
    expect(failed).to_have_count(0)
    expect(page.get_by_role("button", name="Halt trading")).to_have_count(0)
    assert violations(page) == []
    page.locator("[data-bar=halted]").get_by_role("button", name="Change…").click()
    page.get_by_role("region", name="Trading").get_by_label("Trading is on").check()
    expect(page.locator("[data-bar=halted]")).to_have_count(0)


def test_a_changed_paper_market_is_said_and_taken_back(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url.replace("127.0.0.1", "recorded.localhost"))
    page.evaluate(
        """() => fetch("/api/trading/paper", {
            method: "PUT", headers: { "content-type": "application/json" },
            body: JSON.stringify({
                loses: "orders",
                replay: { interval_seconds: 60, candles: { BTC: [["50000", "50000", "50000", "50000"]] } },
            }),
        })"""
    )
    trading = settings(page)
    expect(trading.get_by_text("It plays recorded candles. Every order is lost on its way.")).to_be_visible()
    assert violations(page) == []
    trading.get_by_role("button", name="Back to its own market").click()
    expect(trading.get_by_text("It plays recorded candles.")).to_have_count(0)
    expect(trading.get_by_role("button", name="Back to its own market")).to_have_count(0)


def test_a_card_takes_a_fresh_touch_once_and_none_while_trading_is_halted(
    stack: LocalStack, visit: Visit
) -> None:
    page = visit(stack.url.replace("127.0.0.1", "touches.localhost"))
    decisions: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/decision"):
            decisions.append(request.url)

    page.on("request", note)
    new_bot(page)
    say(page, "/orders\nbuy 0.01 BTC 70000 Ioc")
    card = cards(page, "approval")
    approve = card.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_enabled(timeout=LONG_MS)
    # Enter is still held down from the composer when the button has the focus.
    composer(page).focus()
    page.keyboard.down("Enter")
    approve.focus()
    page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(card).to_have_attribute("data-state", "pending")
    assert decisions == []
    page.reload()
    page.get_by_role("button", name="Halt trading").click()
    expect(card).to_contain_text("Only cancelling is possible", timeout=LONG_MS)
    expect(approve).to_be_disabled()
    page.locator("[data-bar=halted]").get_by_role("button", name="Change…").click()
    page.get_by_role("region", name="Trading").get_by_label("Trading is on").check()
    page.get_by_role("button", name="Back to the conversation").click()
    expect(approve).to_be_enabled()
    approve.dblclick()
    expect(card).to_have_attribute("data-state", "executed", timeout=LONG_MS)
    assert len(decisions) == 1
