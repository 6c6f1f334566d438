"""Being signed in on the served Berth: nobody gets in without, and each credential does what it is for."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest

from api.rights import OF_OWNER, OF_PERSON
from durable_objects.bot_owner.stream import SIGNED_OUT
from local.stack import LocalStack
from tests.integration.chat.person import Person, ended
from tests.integration.chat.test_rights import place
from tests.integration.waiting import SECONDS

SAFE = ("GET", "HEAD")


class Browser:
    """A browser without a page: it keeps cookies, and says where its requests come from."""

    def __init__(self, stack: LocalStack, session: aiohttp.ClientSession, name: str) -> None:
        self.stack = stack
        self._session = session
        host = f"{name}.localhost:{stack.url.rsplit(':', 1)[1]}"
        self.cookie = ""
        self.headers = {"host": host, "origin": f"http://{host}"}

    def _with(self, more: Mapping[str, str]) -> dict[str, str]:
        cookie = {"cookie": self.cookie} if self.cookie else {}
        return {**self.headers, **cookie, **more}

    async def ask(
        self,
        method: str,
        path: str,
        expect: int | None = 200,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Any:
        """The answer as JSON; any status will do where none is expected."""
        asked = self._session.request(method, path, headers=self._with(headers or {}), **more)
        async with asked as response:
            text = await response.text()
            assert expect in {response.status, None}, f"{method} {path}: {response.status} {text[:500]}"
            if set_cookie := response.headers.get("set-cookie"):
                assert "HttpOnly; SameSite=Lax" in set_cookie
                self.cookie = set_cookie.partition(";")[0]
            return await response.json(content_type=None) if text else None

    async def sign_in(self, token: str | None = None, expect: int = 204) -> Any:
        body = {"token": self.stack.token if token is None else token}
        return await self.ask("POST", "/api/sign-in/local", expect, json=body)

    async def socket(self, path: str, headers: Mapping[str, str] | None = None) -> int:
        """The status that a socket is answered with."""
        try:
            async with self._session.ws_connect(path, headers=self._with(headers or {})):
                return 101
        except aiohttp.WSServerHandshakeError as error:
            return error.status

    async def ticket(self, path: str) -> str:
        return str((await self.ask("POST", "/api/tickets", 201, json={"path": path}))["ticket"])


@pytest.fixture
async def browser(stack: LocalStack, person: Person) -> AsyncIterator[Browser]:
    """Of `person`, and not signed in yet."""
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Browser(stack, session, person.name)


async def test_nobody_is_told_the_same_by_every_path(browser: Browser) -> None:
    said = set()
    routes = [*OF_OWNER, *OF_PERSON, "GET /api/nothing", "PUT /api/bots", "GET /api/owners/x/bots"]
    for route in routes:
        method, path = route.split(" ")
        for headers in ({}, {"authorization": "Bearer berth_l_x"}, {"cookie": "berth-local-80=x"}):
            said.add(str(await browser.ask(method, place(path), 401, headers, json={})))
    told = {"type": "about:blank", "title": "Unauthorized", "status": 401}
    why = {"message": "Sign in first.", "details": {"reason": "sign_in_first"}}
    assert said == {str({**told, "code": "unauthenticated", **why})}


async def test_the_token_of_the_start_signs_in_and_no_other(browser: Browser, person: Person) -> None:
    for wrong in ("", "berth_l_", browser.stack.token[:-1], browser.stack.token + "A", "\ud83d"):
        await browser.sign_in(wrong, 401)
        assert browser.cookie == ""
    await browser.sign_in()
    assert browser.cookie.startswith(f"berth-local-{browser.stack.url.rsplit(':', 1)[1]}=berth_s_local-")
    assert (await browser.ask("GET", "/api/me"))["id"] == f"local-{person.name}"


async def test_a_form_or_another_page_signs_nobody_in(browser: Browser) -> None:
    body = {"token": browser.stack.token}
    await browser.ask("POST", "/api/sign-in/local", 422, data=body)
    for origin in ("http://evil.example", "null", f"http://localhost:{browser.stack.url.rsplit(':', 1)[1]}"):
        await browser.ask("POST", "/api/sign-in/local", 403, {"origin": origin}, json=body)
    assert browser.cookie == ""


async def test_who_signs_out_is_nobody_again_and_the_other_device_stays(
    browser: Browser, stack: LocalStack, person: Person
) -> None:
    await browser.sign_in()
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        other = Browser(stack, session, person.name)
        await other.sign_in()
        kept = browser.cookie
        await browser.ask("POST", "/api/sign-out", 204)
        assert browser.cookie.endswith("=")
        browser.cookie = kept
        await browser.ask("GET", "/api/me", 401)
        await other.ask("GET", "/api/me")


async def test_sessions_are_listed_and_ended_from_another_device(
    browser: Browser, stack: LocalStack, person: Person
) -> None:
    await browser.sign_in()
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        others = [Browser(stack, session, person.name) for _ in range(3)]
        for other in others:
            other.headers["user-agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"
            await other.sign_in()
        listed = (await browser.ask("GET", "/api/sessions"))["items"]
        assert [one["device"] for one in listed].count("Firefox, Linux") == 3
        (own,) = [one for one in listed if one["current"]]
        (first, *_) = [one for one in listed if not one["current"]]
        await browser.ask("DELETE", f"/api/sessions/{first['id']}", 204)
        await browser.ask("DELETE", f"/api/sessions/{first['id']}", 404)
        assert len((await browser.ask("GET", "/api/sessions"))["items"]) == 3
        await browser.ask("POST", "/api/sessions/end-others", 204, json={})
        assert [one["id"] for one in (await browser.ask("GET", "/api/sessions"))["items"]] == [own["id"]]
        for other in others:
            await other.ask("GET", "/api/me", 401)


async def test_a_token_reaches_as_far_as_its_scopes(browser: Browser, person: Person) -> None:
    await browser.sign_in()
    made = {}
    for scopes in ("read", "chat", "read chat", "approve"):
        body = {"name": scopes, "scopes": scopes.split()}
        made[scopes] = (await browser.ask("POST", "/api/tokens", 201, json=body))["token"]
    await browser.ask("POST", "/api/tokens", 422, json={"name": "x", "scopes": ["manage"]})
    bot = await person.bot()
    needs = {
        ("GET", "/api/threads"): "read",
        ("POST", "/api/threads"): "chat",
        ("POST", "/api/approvals/int_x/decision"): "approve",
        ("POST", "/api/bots"): "manage",
        ("GET", "/api/tokens"): "manage",
        ("POST", "/api/tokens"): "manage",
        ("GET", "/api/operator/circuits"): "operate",
    }
    for scopes, token in made.items():
        for (method, path), need in needs.items():
            async with person.session.request(
                method,
                path,
                headers={"host": person.headers["host"], "authorization": f"Bearer {token}"},
                json={"bot_id": bot["id"]},
            ) as response:
                allowed = need in scopes.split()
                assert (response.status != 403) == allowed, (scopes, path, await response.text())


async def test_a_token_that_was_removed_is_nobodys(browser: Browser, person: Person) -> None:
    await browser.sign_in()
    made = await browser.ask("POST", "/api/tokens", 201, json={"name": "script"})
    bearer = {"host": person.headers["host"], "authorization": f"Bearer {made['token']}"}
    async with person.session.get("/api/threads", headers=bearer) as response:
        assert response.status == 200
    assert made["token"] not in str(await browser.ask("GET", "/api/tokens"))
    await browser.ask("DELETE", f"/api/tokens/{made['id']}", 204)
    async with person.session.get("/api/threads", headers=bearer) as response:
        assert response.status == 401


async def test_a_token_that_does_not_hold_ends_it_whatever_the_cookie_says(browser: Browser) -> None:
    await browser.sign_in()
    secret = browser.cookie.partition("=")[2]
    for wrong in ("Bearer x", "Basic eDp5", "", "Bearer", f"Bearer {secret}", f"Bearer  {secret[:-1]}"):
        if wrong:
            await browser.ask("GET", "/api/me", 401, {"authorization": wrong})
    await browser.ask("GET", "/api/me")


async def test_a_browsers_socket_needs_this_origin_and_a_ticket_that_counts_once(
    browser: Browser, person: Person
) -> None:
    thread, other = await person.thread(), await person.thread()
    path = f"/api/threads/{thread.id}/stream"
    assert await browser.socket(path) == 401
    await browser.sign_in()
    assert await browser.socket(path) == 403
    assert await browser.socket(f"{path}?ticket=x") == 403
    ticket = await browser.ticket(path)
    assert await browser.socket(f"/api/threads/{other.id}/stream?ticket={ticket}") == 403
    assert await browser.socket(f"{path}?ticket={ticket}") == 403
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{browser.stack.url.rsplit(':', 1)[1]}"):
        ticket = await browser.ticket(path)
        assert await browser.socket(f"{path}?ticket={ticket}", {"origin": origin}) == 403
    ticket = await browser.ticket(path)
    without, browser.headers = browser.headers, {"host": browser.headers["host"]}
    assert await browser.socket(f"{path}?ticket={ticket}") == 403
    browser.headers = without
    ticket = await browser.ticket(path)
    assert await browser.socket(f"{path}?after=0&ticket={ticket}") == 101
    assert await browser.socket(f"{path}?after=0&ticket={ticket}") == 403


async def test_a_ticket_of_one_session_is_none_of_another(
    browser: Browser, stack: LocalStack, person: Person
) -> None:
    thread = await person.thread()
    path = f"/api/threads/{thread.id}/stream"
    await browser.sign_in()
    ticket = await browser.ticket(path)
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        thief = Browser(stack, session, person.name)
        await thief.sign_in()
        assert await thief.socket(f"{path}?ticket={ticket}") == 403


async def test_a_session_of_one_person_opens_nothing_of_another(
    browser: Browser, stack: LocalStack, person: Person
) -> None:
    thread = await person.thread()
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        other = Browser(stack, session, f"{person.name}x")
        await other.sign_in()
        await other.ask("GET", f"/api/threads/{thread.id}", 404)
        await other.ask("GET", f"/api/owners/local-{person.name}/threads/{thread.id}", 404)


async def closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    async with asyncio.timeout(SECONDS):
        while (message := await socket.receive()).type == aiohttp.WSMsgType.TEXT:
            continue
    return socket.close_code if message.data is None else int(message.data)


async def test_who_is_signed_out_sees_nothing_more(
    browser: Browser, stack: LocalStack, person: Person
) -> None:
    """A session that is ended takes its sockets along, a token that is removed its own, and others go on."""
    thread = await person.thread()
    path = f"/api/threads/{thread.id}/stream"
    await browser.sign_in()
    made = await browser.ask("POST", "/api/tokens", 201, json={"name": "script"})
    bearer = {"host": person.headers["host"], "authorization": f"Bearer {made['token']}"}
    async with aiohttp.ClientSession(base_url=stack.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        other = Browser(stack, session, person.name)
        await other.sign_in()
        asked = other._with({})
        ticket = await other.ticket(path)
        async with (
            thread.watched() as going_on,
            session.ws_connect(f"{path}?ticket={ticket}", headers=asked) as socket,
            session.ws_connect(path, headers=bearer) as script,
        ):
            await browser.ask("POST", "/api/sessions/end-others", 204, json={})
            assert await closed(socket) == SIGNED_OUT
            await browser.ask("DELETE", f"/api/tokens/{made['id']}", 204)
            assert await closed(script) == SIGNED_OUT
            run_id = (await thread.send("hello"))["run"]["id"]
            await going_on.until(ended(run_id))


async def test_a_session_writes_for_a_page_only_and_a_token_for_none(browser: Browser) -> None:
    await browser.sign_in()
    made = await browser.ask("POST", "/api/tokens", 201, json={"name": "Script", "scopes": ["read", "chat"]})
    session, browser.cookie = browser.cookie, ""
    del browser.headers["origin"]
    for method, path in (("POST", "/api/tokens"), ("DELETE", "/api/bots/x"), ("PATCH", "/api/me")):
        said = await browser.ask(method, path, 403, {"cookie": session}, json={"name": "x", "scopes": []})
        assert said["code"] == "forbidden"
    assert (await browser.ask("GET", "/api/me", 200, {"cookie": session}))["id"]
    bearer = {"authorization": f"Bearer {made['token']}"}
    await browser.ask("POST", "/api/threads", 422, bearer, json={})


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_another_page_reads_nothing_with_the_cookie_that_its_browser_sends(
    browser: Browser, site: str
) -> None:
    await browser.sign_in()
    for mode, dest in (
        ("cors", "empty"),
        ("no-cors", "image"),
        ("navigate", "iframe"),
        ("websocket", "websocket"),
    ):
        told = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
        await browser.ask("GET", "/api/threads", 403, told)
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    await browser.ask("GET", "/api/threads", 200, followed)


async def test_requests_at_the_same_time_are_all_known(browser: Browser) -> None:
    await browser.sign_in()
    await asyncio.gather(*(browser.ask("GET", "/api/threads") for _ in range(20)))
