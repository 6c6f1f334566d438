"""An owner's own rules: what they open, and that they open nothing that is closed."""

import pytest

from egress.own import foreseen, own_rule, proposed_rule
from egress.policy import decide, policy_for, with_own_rules
from egress.rules import PolicyError

POLICY = policy_for((), own_hosts=("berth.invalid",))


def allowed(
    url: str, *, host: str = "mine.invalid", path: str = "/", method: str = "GET", owner: str = "me"
) -> bool:
    policy = with_own_rules(POLICY, [own_rule("me", host, path, 1_000)])
    return decide(policy, method, url, owner=owner, now_ms=999).allowed


def test_it_opens_reads_of_its_host_to_its_owner() -> None:
    assert allowed("https://mine.invalid/any/path?q")
    assert allowed("https://mine.invalid/x", method="HEAD")
    assert not allowed("https://mine.invalid/x", method="POST")
    assert not allowed("http://mine.invalid/x")
    assert not allowed("https://sub.mine.invalid/x")
    assert not allowed("https://mine.invalid/x", owner="you")


def test_a_path_opens_itself_and_what_is_below() -> None:
    for path in ("/data", "/data/"):
        assert allowed("https://mine.invalid/data", path=path)
        assert allowed("https://mine.invalid/data/x/y", path=path)
        assert not allowed("https://mine.invalid/database", path=path)
        assert not allowed("https://mine.invalid/", path=path)


def test_it_ends_at_its_date() -> None:
    policy = with_own_rules(POLICY, [own_rule("me", "mine.invalid", "/", 1_000)])
    assert not decide(policy, "GET", "https://mine.invalid/", owner="me", now_ms=1_000).allowed


@pytest.mark.parametrize(
    ("host", "stands_for"),
    [
        ("Mine.INVALID.", "mine.invalid"),
        ("bücher.invalid", "xn--bcher-kva.invalid"),
        ("\uff41\u3002invalid", "a.invalid"),
    ],
)
def test_a_host_is_kept_in_its_one_spelling(host: str, stands_for: str) -> None:
    assert proposed_rule(POLICY, "me", host, "/a", 1).host == stands_for


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("", "/"),
        ("a.invalid", "/a?token=1"),
        ("a.invalid", "/a#b"),
        ("*.a.invalid", "/"),
        ("invalid", "/"),
        ("10.0.0.1", "/"),
        ("0x7f000001", "/"),
        ("a b", "/"),
        ("a/b.invalid", "/"),
        ("user@a.invalid", "/"),
        ("a.invalid:8080", "/"),
        ("*.invalid", "/"),
        ("a.invalid", "/{rest}"),
        ("a.invalid", "/a/../b"),
        ("a.invalid", "/a%2fb"),
        ("api.hyperliquid.xyz", "/exchange"),
        ("API.Hyperliquid.xyz.", "/info"),
        ("localhost", "/"),
        ("metadata.google.internal", "/"),
        ("berth.invalid", "/"),
        ("mainnet.infura.io", "/"),
        ("x.workers.dev", "/"),
    ],
)
def test_what_is_closed_or_no_host_cannot_be_opened(host: str, path: str) -> None:
    with pytest.raises(PolicyError):
        proposed_rule(POLICY, "me", host, path, 1)


def test_what_a_command_would_meet_is_foreseen() -> None:
    rules = [own_rule("me", "mine.invalid", "/data", 1_000)]

    def said(url: str, now_ms: int = 999) -> tuple[bool, str, bool]:
        verdict, can_open = foreseen(POLICY, "me", rules, url, now_ms)
        return verdict.allowed, verdict.rule, can_open

    assert said("https://mine.invalid/data/x") == (True, "owner", False)
    assert said("mine.invalid/data") == (True, "owner", False)
    # What a rule of one's own may open is offered, and only that.
    assert said("https://mine.invalid/data", now_ms=1_000) == (False, "default", True)
    assert said("https://mine.invalid/other") == (False, "default", True)
    assert said("http://mine.invalid/data") == (False, "default", False)
    assert said("https://mine.invalid:8443/data") == (False, "default", False)
    assert said("https://berth.invalid/") == (False, "berth", False)
    for closed in (
        "http://169.254.169.254/latest",
        "http://localhost/",
        "not an address",
        "file:///etc/passwd",
    ):
        allowed, rule, can_open = said(closed)
        assert (allowed, can_open) == (False, False)
        assert rule != "default"
