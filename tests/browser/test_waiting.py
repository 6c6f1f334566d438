"""A run that waits for its person: over a closed browser and a restarted server, answered from elsewhere."""

import httpx
from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import PATIENCE_MS, Visit
from tests.browser.serving import serving
from tests.browser.threads import cards, say
from tests.model_server.script import Answer, Call
from tests.model_server.server import ScriptedServer, served

MODEL = "scripted"
QUESTION = {"question": "Which of the two?", "kind": "choice", "choices": ["first", "second"]}
BEFORE = (
    Answer("I look.", [Call("computer__exec", {"command": "echo second > chosen"})]),
    Answer("", [Call("ask__owner", QUESTION)]),
)
AFTER = (
    Answer("", [Call("computer__exec", {"command": "cat chosen"})]),
    Answer("It is done."),
    Answer("I have looked: it says second."),
)


def test_question_outlives_browser_and_server_and_is_answered_from_another(
    mortal: LocalStack, visit: Visit
) -> None:
    server = ScriptedServer(BEFORE, model=MODEL)
    with serving(served(server)) as model:
        settings = {"provider": "openai", "base_url": model, "model": MODEL}
        with httpx.Client(
            base_url=f"{mortal.url}/api", headers=mortal.headers, timeout=PATIENCE_MS / 1000
        ) as api:
            bot = api.post("/bots", json={"name": "Bot", "model": settings}).json()
            thread = api.post("/threads", json={"bot_id": bot["id"]}).json()
        address = f"{mortal.url}/t/{thread['id']}"
        first = visit(address)
        say(first, "choose for me")
        expect(cards(first, "waiting")).to_contain_text("Which of the two?")
        first.context.close()
        mortal.kill_host()
        mortal.start_host()
        server._answers = AFTER
        second = visit(address, locale="zh-CN")
        waiting = cards(second, "waiting")
        expect(waiting).to_contain_text("等")
        waiting.get_by_role("button", name="second").click()
        expect(cards(second, "assistant").last).to_contain_text("it says second")
        expect(cards(second, "question")).to_contain_text("Which of the two?")
        expect(cards(second, "user")).to_have_count(2)
        expect(second.locator("[data-card^=run-]")).to_have_count(0)
