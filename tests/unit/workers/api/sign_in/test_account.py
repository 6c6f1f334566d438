"""Accounts elsewhere: OpenID Connect and Cloudflare Access, whatever a provider or a browser says."""

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web

from api.sign_in import account
from api.sign_in.account import Begun
from api.sign_in.office import LIMITS
from api.sign_in.settings import Access, Oidc
from contracts.errors import BerthError, ErrorCode
from contracts.limits import LOGIN_SECONDS, SIGN_IN_PROVIDER_BYTES_MAX
from durable_objects.platform.directory import hashed
from tests.identity.authenticator import b64
from tests.identity.pretender import CLIENT, Pretender, SigningKey
from tests.unit.workers.api.sign_in.desk import PLACE, Desk


@pytest.fixture
def oidc(desk: Desk, provider: Pretender) -> Desk:
    desk.set(ways=("oidc",), oidc=Oidc(provider.url, CLIENT, "", "Test ID"), sign_up_open=True)
    return desk


@pytest.fixture
def access(desk: Desk, provider: Pretender) -> Desk:
    desk.set(ways=("access",), access=Access(provider.url, CLIENT), sign_up_open=True)
    return desk


async def begun(desk: Desk, return_to: str = "/t/1", code: str = "") -> Begun:
    return await account.begin(desk.office(), return_to, code)


async def refused(work: Any, code: ErrorCode = ErrorCode.UNAUTHENTICATED) -> None:
    with pytest.raises(BerthError) as caught:
        await work
    assert caught.value.code == code


async def test_a_person_goes_to_the_provider_and_comes_back_as_who_they_are(
    oidc: Desk, provider: Pretender
) -> None:
    start = await begun(oidc)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(start.url).query).items()}
    assert start.url.startswith(f"{provider.url}/authorize?")
    assert asked["redirect_uri"] == f"{PLACE.origin}{account.CALLBACK}"
    assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
    known, return_to = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    assert (known.name, return_to) == ("Ada", "/t/1")
    assert provider.forms[0]["redirect_uri"] == asked["redirect_uri"]
    assert b64(sha256(provider.forms[0]["code_verifier"].encode()).digest()) == asked["code_challenge"]
    again = await begun(oidc)
    second, _ = await account.finish(oidc.office(), provider.come_back(again.url), again.login)
    assert second.person_id == known.person_id
    shown = oidc.shown(known.person_id)
    assert [(one.issuer, one.name) for one in shown.accounts] == [(provider.url, "Ada")]


async def test_a_secret_goes_to_the_token_endpoint_in_the_form_that_it_takes(
    oidc: Desk, provider: Pretender
) -> None:
    oidc.set(oidc=Oidc(provider.url, CLIENT, "hush", "Test ID"))
    provider.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    start = await begun(oidc)
    await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    assert provider.forms[0]["client_secret"] == "hush"


async def test_who_comes_back_twice_is_refused_and_the_provider_is_not_asked(
    oidc: Desk, provider: Pretender
) -> None:
    start = await begun(oidc)
    query = provider.come_back(start.url)
    await account.finish(oidc.office(), query, start.login)
    await refused(account.finish(oidc.office(), query, start.login))
    assert len(provider.forms) == 1


async def test_nobody_finishes_what_another_browser_began(oidc: Desk, provider: Pretender) -> None:
    mine, theirs = await begun(oidc), await begun(oidc)
    await refused(account.finish(oidc.office(), provider.come_back(theirs.url), mine.login))
    await refused(account.finish(oidc.office(), provider.come_back(mine.url), ""))
    assert provider.forms == []


async def test_a_login_that_was_changed_or_is_too_old_is_none(oidc: Desk, provider: Pretender) -> None:
    start = await begun(oidc)
    query = provider.come_back(start.url)
    changed = start.login[:-2] + ("AA" if start.login[-2:] != "AA" else "BB")
    await refused(account.finish(oidc.office(), query, changed))
    oidc.later_ms = LOGIN_SECONDS * 1000
    await refused(account.finish(oidc.office(), query, start.login))
    assert provider.forms == []


async def test_what_the_provider_itself_refuses_signs_nobody_in(oidc: Desk) -> None:
    start = await begun(oidc)
    state = parse_qs(urlsplit(start.url).query)["state"][0]
    await refused(account.finish(oidc.office(), f"error=access_denied&state={state}", start.login))
    start = await begun(oidc)
    state = parse_qs(urlsplit(start.url).query)["state"][0]
    await refused(account.finish(oidc.office(), f"code=never-given&state={state}", start.login))


async def test_an_answer_that_names_another_provider_is_refused(oidc: Desk, provider: Pretender) -> None:
    start = await begun(oidc)
    query = f"{provider.come_back(start.url)}&iss=https%3A%2F%2Fevil.test"
    await refused(account.finish(oidc.office(), query, start.login))
    assert provider.forms == []


def _audience(provider: Pretender) -> None:
    provider.claims["aud"] = "another client"


def _no_audience(provider: Pretender) -> None:
    provider.claims["aud"] = None


def _issuer(provider: Pretender) -> None:
    provider.claims["iss"] = "https://evil.test"


def _expired(provider: Pretender) -> None:
    provider.claims["exp"] = int(time.time()) - 60


def _no_end(provider: Pretender) -> None:
    provider.claims["exp"] = None


def _nonce(provider: Pretender) -> None:
    provider.claims["nonce"] = "another"


def _no_nonce(provider: Pretender) -> None:
    provider.claims["nonce"] = None


def _no_subject(provider: Pretender) -> None:
    provider.claims["sub"] = None


def _unsigned(provider: Pretender) -> None:
    provider.header["alg"] = "none"


def _shared_secret(provider: Pretender) -> None:
    provider.header["alg"] = "HS256"


def _other_key(provider: Pretender) -> None:
    provider.signer = SigningKey.new(provider.key.name)


def _no_token(provider: Pretender) -> None:
    provider.says["/token"] = lambda _request: web.json_response(
        {"access_token": "a", "token_type": "Bearer"}
    )


def _unknown_key(provider: Pretender) -> None:
    provider.signer = SigningKey.new("never published")


WRONG = [_audience, _no_audience, _issuer, _expired, _no_end, _no_subject, _unsigned, _shared_secret]
WRONG += [_other_key, _unknown_key]


@pytest.mark.parametrize("wrong", [*WRONG, _nonce, _no_nonce, _no_token])
async def test_a_token_that_does_not_hold_signs_nobody_in(
    oidc: Desk, provider: Pretender, wrong: Callable[[Pretender], None]
) -> None:
    wrong(provider)
    start = await begun(oidc)
    await refused(account.finish(oidc.office(), provider.come_back(start.url), start.login))
    assert oidc.persons == {}


async def test_keys_are_asked_for_again_when_one_is_unknown(oidc: Desk, provider: Pretender) -> None:
    start = await begun(oidc)
    known, _ = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    provider.key = SigningKey.new("second")

    async def comes_in() -> bool:
        again = await begun(oidc)
        try:
            second, _ = await account.finish(oidc.office(), provider.come_back(again.url), again.login)
        except BerthError:
            # Not more often than every few seconds: a made-up token could have them asked for each time.
            return False
        assert second.person_id == known.person_id
        return True

    async with asyncio.timeout(60):
        while not await comes_in():
            await asyncio.sleep(0.2)
    assert provider.asked.count("/jwks") == 2
    # It is told apart by what it signs with, and the first key is not good any more.
    provider.signer = SigningKey.new("first")
    start = await begun(oidc)
    await refused(account.finish(oidc.office(), provider.come_back(start.url), start.login))


async def hang(_request: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


def _says(path: str, answer: Callable[[web.Request], Any]) -> Callable[[Pretender], None]:
    def change(provider: Pretender) -> None:
        provider.says[path] = answer

    return change


DISCOVERY = "/.well-known/openid-configuration"
LONG = "x" * (SIGN_IN_PROVIDER_BYTES_MAX + 1)


def _another_issuer(provider: Pretender) -> None:
    provider.metadata["issuer"] = "https://evil.test"


def _plain_http(provider: Pretender) -> None:
    provider.metadata["token_endpoint"] = "http://berth.test/token"


def _no_keys(provider: Pretender) -> None:
    provider.metadata["jwks_uri"] = None


@pytest.mark.parametrize(
    "wrong",
    [
        _says(DISCOVERY, lambda _request: web.Response(status=500)),
        _says(DISCOVERY, lambda _request: web.Response(text="<html>", content_type="text/html")),
        _says(DISCOVERY, lambda _request: web.json_response({"issuer": LONG})),
        _says(DISCOVERY, lambda _request: web.Response(status=302, headers={"location": "/elsewhere"})),
        _another_issuer,
        _plain_http,
        _no_keys,
    ],
)
async def test_a_provider_that_is_none_is_not_gone_to(
    oidc: Desk, provider: Pretender, wrong: Callable[[Pretender], None]
) -> None:
    wrong(provider)
    await refused(begun(oidc), ErrorCode.SIGN_IN_UNAVAILABLE)


@pytest.mark.parametrize(
    "wrong",
    [
        _says("/token", lambda _request: web.Response(status=500)),
        _says("/token", lambda _request: web.json_response({"error": "invalid_client"}, status=401)),
        _says("/token", lambda _request: web.json_response({"access_token": LONG, "token_type": "Bearer"})),
        _says("/jwks", lambda _request: web.Response(status=503)),
        _says("/jwks", lambda _request: web.json_response({"keys": LONG})),
    ],
)
async def test_a_provider_that_fails_behind_its_door_is_said_to(
    oidc: Desk, provider: Pretender, wrong: Callable[[Pretender], None]
) -> None:
    start = await begun(oidc)
    query = provider.come_back(start.url)
    wrong(provider)
    await refused(account.finish(oidc.office(), query, start.login), ErrorCode.SIGN_IN_UNAVAILABLE)
    assert oidc.persons == {}


@pytest.mark.parametrize("path", [DISCOVERY, "/token", "/jwks"])
async def test_a_provider_that_never_answers_is_given_up(
    oidc: Desk, provider: Pretender, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setitem(LIMITS, "seconds", 1)
    provider.says[path] = hang

    async def whole() -> None:
        start = await begun(oidc)
        await account.finish(oidc.office(), provider.come_back(start.url), start.login)

    await refused(whole(), ErrorCode.SIGN_IN_UNAVAILABLE)


async def test_a_provider_that_is_not_there_is_said_to_be_so(oidc: Desk) -> None:
    oidc.set(oidc=Oidc("http://127.0.0.1:9", CLIENT, "", "Nobody"))
    with pytest.raises(BerthError, match="Nobody did not answer") as caught:
        await begun(oidc)
    assert caught.value.code == ErrorCode.SIGN_IN_UNAVAILABLE


async def test_who_is_new_needs_an_invitation_and_one_lets_one_in(oidc: Desk, provider: Pretender) -> None:
    oidc.set(sign_up_open=False)
    code = oidc.directory.invite("local").code
    start = await begun(oidc)
    await refused(
        account.finish(oidc.office(), provider.come_back(start.url), start.login), ErrorCode.FORBIDDEN
    )
    start = await begun(oidc, code=code)
    ada, _ = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    # Who is here already uses up none, and who comes next finds this one used.
    provider.claims["sub"] = "bob-1"
    start = await begun(oidc, code=code)
    await refused(
        account.finish(oidc.office(), provider.come_back(start.url), start.login), ErrorCode.FORBIDDEN
    )
    provider.claims["sub"] = "ada-1"
    start = await begun(oidc)
    again, _ = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    assert again.person_id == ada.person_id


async def test_an_account_that_the_deployment_names_comes_in_as_an_operator(
    oidc: Desk, provider: Pretender
) -> None:
    oidc.set(sign_up_open=False, operators=frozenset({f"{provider.url}|ada-1"}))
    start = await begun(oidc)
    known, _ = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    assert known.operator


async def test_the_first_person_may_come_from_a_provider(oidc: Desk, provider: Pretender) -> None:
    oidc.set(sign_up_open=False, setup_code=hashed("a setup code of many characters"))
    start = await begun(oidc, code="a setup code of many characters")
    known, _ = await account.finish(oidc.office(), provider.come_back(start.url), start.login)
    assert known.operator


async def test_access_says_who_it_is_with_each_request(access: Desk, provider: Pretender) -> None:
    provider.claims = {"email": "ada@example.com", "type": "app"}
    vouched = await account.vouched_by_access(access.office(), provider.id_token())
    assert (vouched.subject, vouched.name) == ("ada-1", "ada@example.com")
    assert await account.known_by_access(access.office(), vouched) is None
    made = await account.admit(access.office(), vouched, "")
    found = await account.known_by_access(access.office(), vouched)
    assert found is not None
    assert found.person_id == made.person_id
    assert provider.asked == ["/cdn-cgi/access/certs"]


def _service(provider: Pretender) -> None:
    provider.claims |= {"sub": "", "common_name": "a service"}


@pytest.mark.parametrize("wrong", [*WRONG, _service])
async def test_what_access_did_not_say_of_a_person_for_here_is_refused(
    access: Desk, provider: Pretender, wrong: Callable[[Pretender], None]
) -> None:
    wrong(provider)
    await refused(account.vouched_by_access(access.office(), provider.id_token()))


@pytest.mark.parametrize("token", ["", "a", "a.b.c", "é", "." * 60_000])
async def test_what_is_no_token_is_refused(access: Desk, token: str) -> None:
    await refused(account.vouched_by_access(access.office(), token))


async def test_access_that_does_not_answer_is_said_to(access: Desk, provider: Pretender) -> None:
    provider.says["/cdn-cgi/access/certs"] = lambda _request: web.Response(status=500)
    with pytest.raises(BerthError, match="Cloudflare Access did not answer") as caught:
        await account.vouched_by_access(access.office(), provider.id_token())
    assert caught.value.code == ErrorCode.SIGN_IN_UNAVAILABLE
