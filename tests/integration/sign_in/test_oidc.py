"""OpenID Connect with a real provider: there and back, once, in the browser that began it, to this page."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.identity.real_provider import agree
from tests.integration.sign_in.guest import Guest
from tests.integration.sign_in.test_passkeys import invited

# As a browser says it of the provider's page, from which it was sent here.
LINK = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def begun(guest: Guest, return_to: str = "/", code: str = "") -> str:
    return str(guest.ask("POST", "/api/sign-in/oidc", {"return_to": return_to, "code": code})["url"])


def back(guest: Guest, address: str) -> str:
    """Follow the way back; returns where on the page one ends."""
    answer = guest.client.get(address, headers=LINK)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_who_is_invited_comes_in_and_comes_back_without_an_invitation(guest: Guest, operator: Guest) -> None:
    assert guest.ask("GET", "/api/sign-in")["oidc_name"] == "Test ID"
    url = begun(guest, "/t/abc?x=1", invited(operator))
    assert "code_challenge_method=S256" in url
    assert back(guest, agree(url, "bob")) == "/t/abc?x=1"
    before, shown = guest.person_id, guest.ask("GET", "/api/ways-in")
    assert (shown["name"], shown["accounts"][0]["name"]) == ("Name of bob", "Name of bob")
    # Neither the subject nor a token of the provider is in any answer.
    assert "berth-login" not in {cookie.name for cookie in guest.client.cookies.jar}
    guest.forget()
    assert back(guest, agree(begun(guest), "bob")) == "/"
    assert guest.person_id == before


def test_who_is_not_invited_is_told_on_the_page_and_is_nobody(guest: Guest) -> None:
    assert back(guest, agree(begun(guest), "eve")) == "/sign-in?failed=forbidden"
    guest.ask("GET", "/api/me", expect=401)


def test_the_way_back_is_good_once_and_in_the_browser_that_began(guest: Guest, operator: Guest) -> None:
    there = agree(begun(guest, "/", invited(operator)), "carol")
    with Guest(guest.origin) as other:
        assert back(other, there) == "/sign-in?failed=unauthenticated"
        begun(other)
        assert back(other, there) == "/sign-in?failed=unauthenticated"
        other.ask("GET", "/api/me", expect=401)
    login = dict(guest.client.cookies)
    assert back(guest, there) == "/"
    guest.forget()
    guest.client.cookies.update(login)
    assert back(guest, there) == "/sign-in?failed=unauthenticated"
    guest.ask("GET", "/api/me", expect=401)


@pytest.mark.parametrize("query", ["", "code=x", "state=x", "code=a&code=b&state=c", "error=access_denied"])
def test_a_way_back_that_nobody_went_is_refused(guest: Guest, query: str) -> None:
    assert back(guest, f"/api/sign-in/oidc/callback?{query}") == "/sign-in?failed=unauthenticated"
    url = begun(guest)
    state = parse_qs(urlsplit(url).query)["state"][0]
    assert back(guest, f"/api/sign-in/oidc/callback?code=made-up&state={state}") == (
        "/sign-in?failed=unauthenticated"
    )


@pytest.mark.parametrize(
    "return_to",
    [
        "//evil.test", "/\\evil.test", "https://evil.test", "javascript:alert(1)", "evil.test", "",
        "/a\nLocation: //evil.test", "/\t/evil.test", " /", "/" + "a" * 1_000,
    ],
)  # fmt: skip
def test_the_way_back_leads_to_this_page_and_nowhere_else(guest: Guest, return_to: Any) -> None:
    guest.ask("POST", "/api/sign-in/oidc", {"return_to": return_to}, expect=422)


def test_a_path_as_long_as_may_be_is_come_back_to(guest: Guest, operator: Guest) -> None:
    path = "/" + "a" * 999
    assert back(guest, agree(begun(guest, path, invited(operator)), "dora")) == path
