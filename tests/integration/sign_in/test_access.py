"""Cloudflare Access in front of Berth: signed test tokens, keys that change, and nobody without them."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from local.stack import LocalStack
from tests.identity.pretender import CLIENT, Pretender, SigningKey, pretender
from tests.integration.sign_in.conftest import SETUP_CODE
from tests.integration.sign_in.guest import Guest
from tests.integration.waiting import until

HEADER = "cf-access-jwt-assertion"


@pytest.fixture(scope="session")
async def team() -> AsyncIterator[Pretender]:
    async with pretender() as running:
        yield running


@pytest.fixture(scope="session")
async def behind_access(
    team: Pretender, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LocalStack]:
    settings = {
        "BERTH_SIGN_IN": "access",
        "BERTH_SETUP_CODE": SETUP_CODE,
        "BERTH_ACCESS_TEAM": team.url,
        "BERTH_ACCESS_AUDIENCE": CLIENT,
    }
    with LocalStack(tmp_path_factory.mktemp("access"), vars=settings) as running:
        yield running


async def asked(url: str, token: str, method: str, path: str, body: object = None, *, expect: int) -> object:
    """In a thread of its own: the team's keys are served from this one."""

    def ask() -> object:
        with Guest(url, **({HEADER: token} if token else {})) as guest:
            return guest.ask(method, path, body, expect=expect)

    return await asyncio.to_thread(ask)


async def test_access_vouches_for_each_request_and_its_keys_change(
    behind_access: LocalStack, team: Pretender
) -> None:
    url = behind_access.url
    await asked(url, "", "GET", "/api/me", expect=401)
    team.claims = {"email": "ada@example.com"}
    first = team.id_token()
    # Whom Access lets through is not yet somebody here.
    await asked(url, first, "GET", "/api/me", expect=401)
    ways = await asked(url, first, "GET", "/api/sign-in", expect=200)
    known_as = {"oidc_name": "", "access_name": "ada@example.com"}
    assert ways == {"ways": ["access"], "sign_up": "invited", "first": True, **known_as}
    await asked(url, first, "POST", "/api/sign-in/access", {}, expect=403)
    joined = await asked(url, first, "POST", "/api/sign-in/access", {"code": SETUP_CODE}, expect=200)
    assert isinstance(joined, dict)
    me = await asked(url, first, "GET", "/api/me", expect=200)
    assert isinstance(me, dict)
    assert me["id"] == joined["person_id"]
    ways = await asked(url, first, "GET", "/api/sign-in", expect=200)
    assert isinstance(ways, dict)
    assert ways["access_name"] is None
    shown = await asked(url, first, "GET", "/api/ways-in", expect=200)
    assert isinstance(shown, dict)
    assert shown["operator"]

    forged = SigningKey.new(team.key.name).token(
        {"iss": team.url, "aud": CLIENT, "sub": "ada-1", "iat": 0, "exp": int(time.time()) + 60}
    )
    await asked(url, forged, "GET", "/api/me", expect=401)
    team.claims = {"aud": "another application"}
    await asked(url, team.id_token(), "GET", "/api/me", expect=401)
    team.claims = {"exp": int(time.time()) - 60}
    await asked(url, team.id_token(), "GET", "/api/me", expect=401)
    team.claims = {}

    team.key = SigningKey.new("second")
    second = team.id_token()

    async def accepted() -> bool:
        try:
            await asked(url, second, "GET", "/api/me", expect=200)
        except AssertionError:
            return False
        return True

    await until("the new key is known", accepted)


async def test_a_session_or_another_way_is_nothing_here(behind_access: LocalStack) -> None:
    for path in ("/api/sign-in/passkey/options", "/api/sign-in/oidc"):
        await asked(behind_access.url, "", "POST", path, {}, expect=404)
    await asked(behind_access.url, "", "POST", "/api/sign-in/recovery", {"code": "AAAA"}, expect=404)
