"""Notices as they leave real workerd: sealed for a browser, signed for a webhook, and when nobody looks."""

import asyncio
import hmac
import json
import time
import uuid
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.egress.outside import Outside, Seen
from tests.push_service.browser import Browser

ORDER = "/orders\nbuy 0.01 BTC 70000 Ioc"
SECONDS = 60.0

T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T | None]], otherwise: str) -> T:
    """Look until there is something to see."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if (found := await look()) is not None:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(otherwise)


def host() -> str:
    return f"{uuid.uuid4().hex}.invalid"


async def subscribed(person: Person, path: str = "") -> Browser:
    browser = Browser(f"https://{host()}/send/1{path}")
    await person.post("/api/notices/subscriptions", browser.subscription, expect=201)
    return browser


async def hooked(person: Person, url: str) -> str:
    """The secret of a webhook that was just set up."""
    made = await person.ask("PUT", "/api/notices/webhook", expect=200, json={"url": url})
    return str(made["secret"])


async def asked(person: Person) -> str:
    """An order of the person that waits for their approval, with no page open; returns the id of its run."""
    thread = await person.thread()
    return str((await thread.send(ORDER))["run"]["id"])


async def ended(person: Person, kind: str) -> list[dict[str, Any]]:
    """The deliveries of a kind, as soon as all of them have ended."""

    async def look() -> list[dict[str, Any]] | None:
        items = (await person.get("/api/notices/deliveries"))["items"]
        found = [one for one in items if one["kind"] == kind]
        return found if found and all(one["state"] != "pending" for one in found) else None

    return await until(look, f"no notice of {kind} has ended")


def is_signed(seen: Seen, secret: str) -> bool:
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    message_id, timestamp, signature = (seen.headers[name] for name in names)
    signed = f"{message_id}.{timestamp}.".encode() + seen.body
    digest = hmac.digest(b64decode(secret.removeprefix("whsec_")), signed, "sha256")
    return signature == f"v1,{b64encode(digest).decode()}" and abs(time.time() - int(timestamp)) < 120


async def test_an_approval_reaches_the_browser_and_the_webhook_of_who_is_away(
    person: Person, outside: Outside
) -> None:
    browser, hook = await subscribed(person), f"https://{host()}/hook?token=a%2Fb"
    secret = await hooked(person, hook)
    await asked(person)
    deliveries = await ended(person, "approval")
    assert [(one["state"], one["status"]) for one in deliveries] == [("sent", 200)] * 2
    key = (await person.get("/api/notices"))["push_key"]
    (pushed,) = [seen for seen in outside.seen if seen.url == browser.endpoint]
    said = browser.taken(pushed.headers, pushed.body, key=key, now_s=time.time())
    assert (said["kind"], said["body"]) == ("approval", "Bot")
    assert said["path"] == f"/t/{deliveries[0]['thread_id']}"
    assert 0 < int(pushed.headers["ttl"]) <= 900
    (posted,) = [seen for seen in outside.seen if seen.url == hook]
    assert is_signed(posted, secret)
    assert json.loads(posted.body)["data"]["event"] == said["id"]


async def test_a_notice_waits_while_a_page_is_open_and_leaves_by_the_alarm_when_it_is_closed(
    person: Person, outside: Outside
) -> None:
    hook = f"https://{host()}/hook"
    await hooked(person, hook)
    thread = await person.thread()
    async with thread.watched() as watch:
        await thread.send(ORDER)
        await watch.until(lambda event: event["type"] == "approval.requested")

        async def held() -> bool | None:
            items = (await person.get("/api/notices/deliveries"))["items"]
            return [one["reason"] for one in items] == ["page_open"] or None

        await until(held, "the notice is not held")
    (one,) = await ended(person, "approval")
    assert one["state"] == "sent"
    assert len([seen for seen in outside.seen if seen.url == hook]) == 1


async def test_a_browser_that_is_gone_is_forgotten_and_a_redirect_is_not_followed(
    person: Person, outside: Outside
) -> None:
    await subscribed(person, "?answer=status+410")
    target = f"https://{host()}/elsewhere"
    await hooked(person, f"https://{host()}/?answer=redirect+307+{target}")
    await asked(person)
    found = {one["channel"]: one for one in await ended(person, "approval")}
    assert (found["push"]["state"], found["push"]["reason"]) == ("dropped", "place_gone")
    assert (found["webhook"]["state"], found["webhook"]["reason"]) == ("failed", "redirected")
    assert [place["channel"] for place in (await person.get("/api/notices"))["places"]] == ["webhook"]
    assert [seen for seen in outside.seen if seen.url == target] == []


async def test_a_test_says_at_once_what_became_of_it_and_a_silent_place_is_given_up(
    person: Person, outside: Outside
) -> None:
    hook = f"https://{host()}/hook"
    secret = await hooked(person, hook)
    (sent,) = (await person.post("/api/notices/test", {"channel": "webhook"}))["items"]
    assert (sent["state"], sent["status"]) == ("sent", 200)
    (posted,) = [seen for seen in outside.seen if seen.url == hook]
    assert is_signed(posted, secret)
    await hooked(person, f"https://{host()}/?answer=trickle+silent")
    (failed,) = (await person.post("/api/notices/test", {"channel": "webhook"}))["items"]
    assert (failed["state"], failed["reason"]) == ("failed", "unreachable")


@pytest.mark.parametrize("url", ["https://berth.invalid/", "https://169.254.169.254/", "http://a.example/"])
async def test_nothing_inside_is_taken_as_a_place(person: Person, url: str) -> None:
    await person.ask("PUT", "/api/notices/webhook", expect=422, json={"url": url})
    wish = {**Browser(url).subscription, "endpoint": url}
    await person.post("/api/notices/subscriptions", wish, expect=422)
    assert (await person.get("/api/notices"))["places"] == []


async def test_settings_are_the_owners_and_a_time_zone_has_to_be_one(
    person: Person, stack: LocalStack
) -> None:
    settings = {"quiet": {"begin": 1320, "until": 420}, "titles": False}
    chosen = await person.ask("PUT", "/api/notices/settings", expect=200, json=settings)
    assert chosen["settings"]["quiet"] == settings["quiet"]
    await person.ask("PATCH", "/api/me", expect=200, json={"time_zone": "Asia/Shanghai"})
    await person.ask("PATCH", "/api/me", expect=422, json={"time_zone": "Mars/Olympus"})
    assert (await person.get("/api/notices"))["time_zone"] == "Asia/Shanghai"
    async with Person.at(stack) as other:
        shown = await other.get("/api/notices")
    assert (shown["settings"]["quiet"], shown["time_zone"]) == (None, "UTC")
    assert shown["email_available"] is False
    await person.ask("PUT", "/api/notices/email", expect=403, json={"address": "o@example.org"})
