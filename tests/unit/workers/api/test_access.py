"""Where a request comes from: this address, and a page of this very origin."""

from contextlib import suppress

import pytest

from api.access import Source, check_body, check_page, check_source, local_person
from contracts.errors import BerthError

HERE = {"host": "localhost:8787"}


def passes(method: str, headers: dict[str, str], scheme: str = "http") -> bool:
    """Whether it is let through; what is not is forbidden, and nothing else."""
    with suppress(BerthError):
        check_source(Source(method, scheme, headers))
        return True
    with pytest.raises(BerthError, match="forbidden"):
        check_source(Source(method, scheme, headers))
    return False


@pytest.mark.parametrize("host", ["localhost", "localhost:8787", "127.0.0.1:1", "[::1]:8787"])
def test_this_machine_is_its_person(host: str) -> None:
    assert local_person(host) == "local"


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
        ".localhost",
        "a.b.localhost",
        "-a.localhost",
        "a" * 32 + ".localhost",
    ],
)
def test_any_other_name_is_nobodys(host: str) -> None:
    assert local_person(host) is None


def test_a_name_before_localhost_is_another_person() -> None:
    assert local_person("alice.localhost:8787") == "local-alice"


def test_writes_and_sockets_of_this_origin_pass() -> None:
    assert passes("POST", HERE | {"origin": "http://localhost:8787"})
    assert passes("GET", HERE | {"origin": "http://localhost:8787", "upgrade": "WebSocket"})
    assert passes("POST", {"host": "berth.example", "origin": "https://berth.example"}, "https")


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.test",
        "http://localhost:9999",
        "https://localhost:8787",
        "null",
        "",
        "file://",
        "http://localhost:8787.evil.test",
        "http://localhost:8787/",
        "HTTP://localhost:8787",
        "http://localhost:8787 http://evil.test",
    ],
)
def test_those_of_another_origin_are_refused(origin: str) -> None:
    assert not passes("POST", HERE | {"origin": origin})
    assert not passes("GET", HERE | {"origin": origin, "upgrade": "websocket"})


def test_a_client_that_is_no_browser_may_write() -> None:
    assert passes("DELETE", HERE)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_with_a_session_a_write_names_its_page(method: str) -> None:
    check_page(Source(method, "http", HERE | {"origin": "http://localhost:8787"}))
    with pytest.raises(BerthError, match="forbidden"):
        check_page(Source(method, "http", HERE))


def test_with_a_session_a_socket_names_its_page_and_a_look_need_not() -> None:
    with pytest.raises(BerthError, match="forbidden"):
        check_page(Source("GET", "http", HERE | {"upgrade": "websocket"}))
    check_page(Source("GET", "http", HERE))


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_it_came_from_elsewhere_is_refused(site: str) -> None:
    assert not passes("POST", HERE | {"sec-fetch-site": site})
    assert not passes("GET", HERE | {"sec-fetch-site": site, "sec-fetch-mode": "cors"})
    assert not passes(
        "GET", HERE | {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    )
    framed = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    assert not passes("GET", HERE | framed | {"sec-fetch-site": site})


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "none"])
def test_a_link_of_another_page_may_be_followed(site: str) -> None:
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert passes("GET", HERE | followed)
    assert passes("POST", HERE | followed) == (site in {"same-origin", "none"})


def taken(method: str, headers: dict[str, str], *, takes_bytes: bool = False) -> bool:
    with suppress(BerthError):
        check_body(Source(method, "http", HERE | headers), takes_bytes=takes_bytes)
        return True
    return False


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8"])
def test_a_write_is_json(kind: str) -> None:
    assert taken("POST", {"content-type": kind, "content-length": "2"})


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "text/json",
        "x",
    ],
)
def test_what_a_form_can_send_is_none(kind: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert not taken(method, {"content-type": kind, "content-length": "2"})
        assert not taken(method, {"content-type": kind, "transfer-encoding": "chunked"})
        assert taken(method, {"content-type": kind, "content-length": "2"}, takes_bytes=True)
    assert taken("GET", {"content-type": kind})


def test_a_write_without_a_body_needs_no_type() -> None:
    assert taken("POST", {})
    assert taken("DELETE", {"content-length": "0"})
    assert taken("POST", {"content-length": "0", "content-type": "application/octet-stream"})
    assert not taken("POST", {"content-length": "0", "content-type": "text/plain;charset=UTF-8"})
