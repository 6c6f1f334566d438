"""A bad entry is refused when it is made; a good one covers what it says and nothing beside."""

from typing import Any

import pytest

from egress.address import canonical
from egress.rules import Allow, Deny, PolicyError, path_pattern


def allow(**fields: Any) -> Allow:
    return Allow(**{"name": "x", "host": "a.invalid", "reason": "why", "paths": ("/p",), **fields})


def covers(rule: Allow, url: str, method: str = "GET", owner: str = "o", now_ms: int = 0) -> bool:
    return rule.covers(method, canonical(url), owner, now_ms)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"reason": ""},
        {"host": ""},
        {"host": "10.0.0.1"},
        {"host": "a b"},
        {"host": "A.invalid"},
        {"host": "a.invalid."},
        {"host": "invalid"},
        {"host": "*.invalid"},
        {"host": "*"},
        {"host": "a.*.invalid"},
        {"port": 0},
        {"port": 65536},
        {"paths": ()},
        {"paths": ("x",)},
        {"paths": ("/a b",)},
        {"paths": ("/{no}",)},
        {"paths": ("/{name",)},
        {"paths": ("/{rest}/x",)},
        {"paths": ("/a//b",)},
        {"paths": ("/a?b",)},
        {"methods": frozenset()},
        {"methods": frozenset({"DELETE"})},
        {"body_bytes": 1},
        {"body": "venue_read"},
        {"body": "venue_read", "body_bytes": 1},
    ],
)
def test_a_bad_allow_rule_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        allow(**fields)


@pytest.mark.parametrize(
    ("name", "hosts", "reason"),
    [
        ("", ("a.b",), "r"),
        ("n", (), "r"),
        ("n", ("a.b",), ""),
        ("n", ("1.2.3.4",), "r"),
        ("n", ("A.b",), "r"),
    ],
)
def test_a_bad_deny_rule_is_refused(name: str, hosts: tuple[str, ...], reason: str) -> None:
    with pytest.raises(PolicyError):
        Deny(name, hosts, reason)


def test_a_host_is_exact_or_below_on_the_border_of_a_label() -> None:
    assert not covers(allow(), "https://b.a.invalid/p")
    below = allow(host="*.a.invalid")
    assert covers(below, "https://b.a.invalid/p")
    assert covers(below, "https://c.b.a.invalid/p")
    assert not covers(below, "https://a.invalid/p")
    assert not covers(below, "https://xa.invalid/p")


def test_a_deny_rule_closes_all_below_its_host() -> None:
    deny = Deny("n", ("a.invalid",), "r")
    hosts = ("a.invalid", "b.a.invalid", "xa.invalid", "a.invalid.test")
    assert [deny.covers("GET", canonical(f"https://{host}/")) for host in hosts] == [True, True, False, False]


@pytest.mark.parametrize(
    ("path", "yes", "no"),
    [
        ("/p", "/p", "/p/"),
        ("/{name}/x", "/a-b.c/x", "/a/b/x"),
        ("/{symbol}", "/BTC-USD", "/BTC-USD-X"),
        ("/{day}", "/2026-11-30", "/2026-11-3"),
        ("/f/{rest}", "/f/a/b/c", "/f"),
        ("/a.c", "/a.c", "/abc"),
    ],
)
def test_a_path_is_exact_or_typed(path: str, yes: str, no: str) -> None:
    assert path_pattern(path).fullmatch(yes)
    assert not path_pattern(path).fullmatch(no)


def test_a_rule_holds_for_its_methods_port_owners_and_until_its_date() -> None:
    rule = allow(owners=frozenset({"o"}), until_ms=1_000)
    assert covers(rule, "https://a.invalid/p", "HEAD", now_ms=999)
    assert not covers(rule, "https://a.invalid/p", now_ms=1_000)
    assert not covers(rule, "https://a.invalid/p", owner="other")
    assert not covers(rule, "https://a.invalid/p", "POST")
    assert not covers(rule, "https://a.invalid:8443/p")
    assert not covers(rule, "http://a.invalid:443/p")


def test_an_encoded_slash_needs_a_rule_that_knows_it() -> None:
    url = "https://a.invalid/@t%2Fn"
    assert not covers(allow(paths=("/{rest}",)), url)
    assert covers(allow(paths=("/{rest}",), encoded_slash=True), url)
