"""A decision needs a session or a token that was made for it, and there is no other way to one."""

from typing import Any

import aiohttp
import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.chat.test_signed_in import Browser
from tests.integration.venue.test_nobody_else import assert_nothing_was_sent, wait_with

ORDER = "/orders\nbuy 0.01 BTC 70000 Ioc"


async def decide(person: Person, intent: dict[str, Any], headers: dict[str, str]) -> int:
    body = {"digest": intent["digest"], "approve": [1], "reason": ""}
    asked = {"host": person.headers["host"], **headers}
    path = f"/api/approvals/{intent['id']}/decision"
    async with person.session.post(path, json=body, headers=asked) as response:
        return response.status


async def token(person: Person, *scopes: str) -> dict[str, str]:
    made = await person.post("/api/tokens", {"name": "x", "scopes": list(scopes)}, expect=201)
    return {"authorization": f"Bearer {made['token']}"}


async def test_without_the_right_nothing_is_decided_and_with_it_it_is(
    person: Person, stack: LocalStack
) -> None:
    thread = await person.thread()
    intent = await wait_with(person, thread, ORDER)
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        browser = Browser(stack, session, person.name)
        await browser.sign_in()
        secret = browser.cookie.partition("=")[2]
    tries = {
        "nobody": ({}, 401),
        "an empty token": ({"authorization": "Bearer "}, 401),
        "a session's secret as a token": ({"authorization": f"Bearer {secret}"}, 401),
        "a session's secret in another cookie": ({"cookie": f"__Host-berth={secret}"}, 401),
        "a token to read": (await token(person, "read"), 403),
        "a token to chat": (await token(person, "read", "chat"), 403),
        "a session, from another page": (
            {"cookie": browser.cookie, "origin": "http://evil.example"},
            403,
        ),
        "a session, from another site": ({"cookie": browser.cookie, "sec-fetch-site": "cross-site"}, 403),
        "a session, from another port": ({"cookie": browser.cookie, "sec-fetch-site": "same-site"}, 403),
    }
    for what, (headers, status) in tries.items():
        assert await decide(person, intent, headers) == status, what
    assert (await person.get(f"/api/approvals/{intent['id']}")) == intent
    await assert_nothing_was_sent(person)
    assert await decide(person, intent, await token(person, "approve")) == 200
    assert (await person.get(f"/api/approvals/{intent['id']}"))["by"] is not None


async def test_a_session_of_this_page_decides(person: Person, stack: LocalStack) -> None:
    thread = await person.thread()
    intent = await wait_with(person, thread, ORDER)
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        browser = Browser(stack, session, person.name)
        await browser.sign_in()
        headers = {"cookie": browser.cookie, **browser.headers, "sec-fetch-site": "same-origin"}
        assert await decide(person, intent, headers) == 200


@pytest.mark.parametrize("scopes", [("read",), ("read", "chat", "approve")])
async def test_a_socket_decides_nothing_whatever_it_says(person: Person, scopes: tuple[str, ...]) -> None:
    thread = await person.thread()
    intent = await wait_with(person, thread, ORDER)
    headers = {"host": person.headers["host"], **await token(person, *scopes)}
    said = {"digest": intent["digest"], "approve": [1], "reason": "", "id": intent["id"]}
    async with person.session.ws_connect(f"/api/threads/{thread.id}/stream", headers=headers) as socket:
        for kind in ("decide_approval", "decision", "approve", "call"):
            await socket.send_json({"type": kind, **said})
        await socket.send_json({"type": "ping"})
        async for message in socket:
            if message.json()["type"] == "pong":
                break
    assert (await person.get(f"/api/approvals/{intent['id']}")) == intent
    await assert_nothing_was_sent(person)
