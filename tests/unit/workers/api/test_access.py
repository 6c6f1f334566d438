"""Who may call: one person on this machine, from a page of this machine, and nobody else."""

import pytest

from api.access import LOCAL_OWNER, owner_of
from contracts.errors import BerthError, ErrorCode

HERE = {"host": "localhost:8787"}


def refused(
    method: str, headers: dict[str, str], sign_in: str = "local", *, upgrade: bool = False
) -> ErrorCode:
    with pytest.raises(BerthError) as caught:
        owner_of(sign_in, method, headers, upgrade=upgrade)
    return caught.value.code


@pytest.mark.parametrize("host", ["localhost", "localhost:8787", "127.0.0.1:1", "[::1]:8787"])
def test_this_machine_is_let_in(host: str) -> None:
    assert owner_of("local", "GET", {"host": host}) == LOCAL_OWNER


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost:99999",
        "localhost\\evil.test",
        "evil.test@localhost",
        "localhost, localhost",
        "localhost:80:80",
        "LOCALHOST/",
        "evil.test",
        "localhost.evil.test",
        "127.0.0.1.nip.io",
        "10.0.0.5:8787",
        "[",
        "user@evil.test",
    ],
)
def test_any_other_name_is_refused(host: str) -> None:
    assert refused("GET", {"host": host}) == ErrorCode.FORBIDDEN


def test_a_name_before_localhost_is_another_owner() -> None:
    assert owner_of("local", "GET", {"host": "alice.localhost:8787"}) == "local-alice"


@pytest.mark.parametrize("host", [".localhost", "a.b.localhost", "-a.localhost", "a" * 32 + ".localhost"])
def test_what_is_no_name_before_localhost_is_refused(host: str) -> None:
    assert refused("GET", {"host": host}) == ErrorCode.FORBIDDEN


@pytest.mark.parametrize("sign_in", ["", "none", "LOCAL", "access"])
def test_without_local_sign_in_everything_is_refused(sign_in: str) -> None:
    assert refused("GET", HERE, sign_in) == ErrorCode.UNAUTHENTICATED


@pytest.mark.parametrize("origin", ["http://localhost:8787", "https://localhost:8787"])
def test_writes_from_a_page_of_this_address_pass(origin: str) -> None:
    assert owner_of("local", "POST", HERE | {"origin": origin}) == LOCAL_OWNER


@pytest.mark.parametrize(
    "origin",
    ["http://evil.test", "http://localhost:9999", "null", "", "file://", "http://localhost:8787.evil.test"],
)
def test_writes_from_another_page_are_refused(origin: str) -> None:
    assert refused("POST", HERE | {"origin": origin}) == ErrorCode.FORBIDDEN
    assert refused("GET", HERE | {"origin": origin}, upgrade=True) == ErrorCode.FORBIDDEN


def test_a_client_that_is_no_browser_may_write() -> None:
    assert owner_of("local", "DELETE", HERE) == LOCAL_OWNER


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_it_came_from_elsewhere_is_refused(site: str) -> None:
    assert refused("POST", HERE | {"sec-fetch-site": site}) == ErrorCode.FORBIDDEN
