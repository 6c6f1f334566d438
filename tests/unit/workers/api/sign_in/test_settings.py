"""What a deployment says about signing in: what is wrong or missing closes a way, and none is half open."""

import pytest

from api.sign_in.place import place_of
from api.sign_in.settings import SignIn, sign_in_of
from contracts.errors import BerthError, ErrorCode
from contracts.limits import SETUP_CODE_CHARACTERS_MIN
from durable_objects.platform.directory import hashed

OIDC = {"BERTH_OIDC_ISSUER": "https://id.example", "BERTH_OIDC_CLIENT_ID": "berth"}
ACCESS = {"BERTH_ACCESS_TEAM": "https://team.cloudflareaccess.com/", "BERTH_ACCESS_AUDIENCE": "abc"}


def read(**told: str) -> SignIn:
    return sign_in_of(lambda name: told.get(name, ""))


def test_nothing_is_nobody() -> None:
    assert read().ways == ()
    assert not read().sign_up_open


def test_all_ways_at_once() -> None:
    found = read(BERTH_SIGN_IN="access  oidc passkey local", **OIDC, **ACCESS)
    assert found.ways == ("local", "passkey", "oidc", "access")
    assert found.oidc
    assert (found.oidc.name, found.oidc.client_secret) == ("id.example", "")
    assert found.access
    assert found.access.team == "https://team.cloudflareaccess.com"


@pytest.mark.parametrize(
    "changed",
    [
        {"BERTH_OIDC_ISSUER": ""},
        {"BERTH_OIDC_ISSUER": "http://id.example"},
        {"BERTH_OIDC_ISSUER": "id.example"},
        {"BERTH_OIDC_CLIENT_ID": ""},
        {"BERTH_ACCESS_TEAM": ""},
        {"BERTH_ACCESS_TEAM": "http://team.cloudflareaccess.com"},
        {"BERTH_ACCESS_AUDIENCE": ""},
    ],
)
def test_a_way_without_its_settings_is_not_offered(changed: dict[str, str]) -> None:
    found = read(BERTH_SIGN_IN="oidc access passkey", **{**OIDC, **ACCESS, **changed})
    closed = "oidc" if "OIDC" in next(iter(changed)) else "access"
    assert found.ways == tuple(way for way in ("passkey", "oidc", "access") if way != closed)


def test_a_word_that_is_no_way_opens_nothing() -> None:
    assert read(BERTH_SIGN_IN="everybody").ways == ()
    assert not read(BERTH_SIGN_UP="Open").sign_up_open
    assert read(BERTH_SIGN_UP="open").sign_up_open


def test_a_setup_code_that_could_be_guessed_is_not_taken() -> None:
    long = "x" * SETUP_CODE_CHARACTERS_MIN
    assert read(BERTH_SETUP_CODE=long).setup_code == hashed(long)
    assert read(BERTH_SETUP_CODE=long[1:]).setup_code == ""


@pytest.mark.parametrize(
    ("host", "scheme", "origin", "rp_id"),
    [
        ("berth.example", "http", "https://berth.example", "berth.example"),
        ("Berth.Example", "https", "https://berth.example", "berth.example"),
        ("localhost:8787", "http", "http://localhost:8787", "localhost"),
        ("ada.localhost:8787", "http", "http://ada.localhost:8787", "ada.localhost"),
    ],
)
def test_a_browser_must_name_the_place_it_is_at(host: str, scheme: str, origin: str, rp_id: str) -> None:
    place = place_of(host, scheme, {"berth.example"})
    assert (place.origin, place.rp_id) == (origin, rp_id)


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "berth.example.evil.test",
        "localhost.evil.test",
        "",
        "a b",
        "berth.example/x",
        "notlocalhost",
    ],
)
def test_nobody_signs_in_at_another_place(host: str) -> None:
    with pytest.raises(BerthError) as caught:
        place_of(host, "https", {"berth.example"})
    assert caught.value.code == ErrorCode.FORBIDDEN
