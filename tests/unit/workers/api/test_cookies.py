"""The cookie of a session: never sent where somebody else could read or set it."""

import pytest

from api.cookies import jar_at
from api.device import device_of
from contracts.limits import SESSION_DAYS

LINUX = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)


def test_over_https_it_is_of_this_host_alone() -> None:
    jar = jar_at("https", "berth.example")
    assert jar is not None
    assert jar.kept("s3cret") == (
        f"__Host-berth=s3cret; Path=/; Max-Age={SESSION_DAYS * 86_400}; HttpOnly; SameSite=Lax; Secure"
    )
    assert jar.emptied().startswith("__Host-berth=; Path=/; Max-Age=0;")
    assert "Domain" not in jar.kept("x")


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost:8787", "berth-local-8787"),
        ("a.localhost:1", "berth-local-1"),
        ("localhost", "berth-local-80"),
    ],
)
def test_on_this_machine_each_port_has_its_own(host: str, name: str) -> None:
    jar = jar_at("http", host)
    assert jar is not None
    assert jar.kept("x").startswith(f"{name}=x; Path=/; ")
    assert "Secure" not in jar.kept("x")


@pytest.mark.parametrize("host", ["berth.example", "10.0.0.1:80", "localhost.evil.test", ""])
def test_without_https_elsewhere_there_is_none(host: str) -> None:
    assert jar_at("http", host) is None


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("__Host-berth=a_b-C", "a_b-C"),
        ("other=1; __Host-berth=x; third=2", "x"),
        ("__host-berth=x", None),
        ("berth-local-443=x", None),
        ("x__Host-berth=x", None),
        ("", None),
        (";;;===", None),
        ("__Host-berth", None),
        ("\x00=1", None),
    ],
)
def test_what_a_header_has_of_it(header: str, found: str | None) -> None:
    jar = jar_at("https", "berth.example")
    assert jar is not None
    assert jar.secret_in(header) == found


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (LINUX, "Chrome, Linux"),
        (f"{LINUX} Edg/140", "Edge, Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15; rv:140.0) Gecko Firefox/140.0", "Firefox, Mac"),
        ("curl/8", ""),
        ("", ""),
    ],
)
def test_a_device_is_called_by_what_its_browser_says(agent: str, name: str) -> None:
    assert device_of(agent) == name
