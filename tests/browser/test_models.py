"""What a model says to itself, and how an answer ends, on a served Berth with a recorded conversation."""

from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit
from tests.browser.threads import cards, composer, new_thread, say

MAKE = """recording => fetch("/api/bots", {
  method: "POST",
  headers: {"content-type": "application/json"},
  body: JSON.stringify({name: "Played", model: {provider: "scripted", recording}}),
}).then(answer => answer.status)"""
RECORDING = [
    {"text": "It is a dot.", "reasoning": "First <b>look</b>.\nThen **say**.", "calls": []},
    {"text": "And another.", "calls": []},
]


def test_reasoning_is_folded_and_is_text(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url.replace("127.0.0.1", "reasoning.localhost"))
    assert page.evaluate(MAKE, RECORDING) == 201
    page.reload()
    new_thread(page)
    expect(composer(page)).to_have_attribute("placeholder", "Message Played")
    say(page, "go")
    expect(cards(page, "assistant")).to_have_text("It is a dot.")
    card = cards(page, "reasoning")
    expect(card).to_have_attribute("data-done", "true")
    expect(card.get_by_text("Then **say**.")).to_be_hidden()
    card.get_by_text("Thought").click()
    expect(card.get_by_text("First <b>look</b>.")).to_be_visible()
    expect(card.locator("b, strong")).to_have_count(0)
    page.reload()
    expect(cards(page, "reasoning")).to_have_count(1)
    page.get_by_role("button", name="Settings of Played").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("A recorded conversation")).to_be_checked()
    dialog.get_by_label("Rounds").fill("3")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    say(page, "on")
    expect(cards(page, "assistant").last).to_have_text("And another.")
