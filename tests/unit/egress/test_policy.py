"""Who may be reached: deny first, silence means no, and no spelling of an address gets around it."""

from dataclasses import replace

import pytest

from egress.policy import checked, decide, policy_for, with_own_rules
from egress.registries import Registry
from egress.rules import Allow, Policy, PolicyError
from egress.tables import DENY, PUBLIC, VENUE_HOSTS

INDEX = Registry("index.invalid", 443, ("/simple/",), "pip-index")
FILES = Registry("files.invalid", 443, ("/packages/",), "pip-files")
NPM = Registry("npm.invalid", 8443, ("/",), "npm")
APT = Registry("apt.invalid", 80, ("/debian/",), "apt")
POLICY = policy_for((INDEX, FILES, NPM, APT), own_hosts=("berth.invalid",))


def verdict(url: str, method: str = "GET", policy: Policy = POLICY) -> tuple[bool, str]:
    found = decide(policy, method, url)
    return found.allowed, found.rule


@pytest.mark.parametrize(
    ("method", "url", "rule"),
    [
        ("GET", "https://index.invalid/simple/six/", "registry:pip-index"),
        ("HEAD", "https://index.invalid:443/simple/six/", "registry:pip-index"),
        ("get", "https://INDEX.invalid./simple/six/", "registry:pip-index"),
        ("GET", "https://files.invalid/packages/ab/six.whl?x=1", "registry:pip-files"),
        ("GET", "https://npm.invalid:8443/@types%2fnode", "registry:npm"),
        ("GET", "https://npm.invalid:8443/left-pad/-/left-pad-1.0.0.tgz", "registry:npm"),
        ("GET", "http://apt.invalid/debian/dists/bookworm/InRelease", "registry:apt"),
        ("POST", "https://api.hyperliquid.xyz/info", "venue_read"),
        ("POST", "https://API.hyperliquid-testnet.xyz./%69nfo", "venue_read"),
        ("GET", "https://api.kraken.com/0/public/OHLC?pair=XBTUSD", "market:kraken"),
        ("GET", "https://api.frankfurter.dev/v1/2026-01-01..2026-02-01", "market:frankfurter"),
    ],
)
def test_what_the_tables_open_passes(method: str, url: str, rule: str) -> None:
    assert verdict(url, method) == (True, rule)


@pytest.mark.parametrize(
    ("method", "url", "rule"),
    [
        ("POST", "https://index.invalid/simple/six/", "default"),
        ("PUT", "https://npm.invalid:8443/evil", "default"),
        ("GET", "https://index.invalid/other/", "default"),
        ("GET", "https://index.invalid:8443/simple/", "default"),
        ("GET", "http://index.invalid/simple/", "default"),
        ("GET", "https://index.invalid/@types%2fnode", "default"),
        ("GET", "https://index.invalid.evil.test/simple/", "default"),
        ("GET", "https://evil-index.invalid/simple/", "default"),
        ("GET", "https://xindex.invalid/simple/", "default"),
        ("GET", "https://sub.index.invalid/simple/", "default"),
        ("GET", "https://example.com/", "default"),
        ("POST", "https://api.kraken.com/0/private/AddOrder", "default"),
        ("POST", "https://api.kraken.com/0/public/OHLC", "default"),
        ("GET", "https://api.coingecko.com/api/v3/coins/a/b/ohlc", "default"),
        ("GET", "https://user@index.invalid/simple/", "malformed"),
        ("GET", "https://index.invalid/simple/..%2fsecret", "ambiguous_path"),
        ("GET", "http://2852039166/", "address"),
        ("GET", "http://metadata/", "local"),
        ("GET", "http://metadata.google.internal/", "local"),
        ("GET", "http://7f000001.nip.io/", "names_of_addresses"),
        ("GET", "https://berth.invalid/api/me", "berth"),
        ("GET", "https://local.BERTH.invalid./api/me", "berth"),
        ("GET", "https://other.workers.dev/", "platform"),
        ("POST", "https://mainnet.infura.io/v3/key", "chain"),
        ("POST", "https://rpc.hyperliquid.xyz/evm", "venue"),
    ],
)
def test_everything_else_is_denied_with_a_rule(method: str, url: str, rule: str) -> None:
    assert verdict(url, method) == (False, rule)


VENUE_PATHS = (
    "/exchange", "/%65xchange", "/EXCHANGE", "/exchange/", "/exchange;x=1", "/exchange?a=b", "/ws", "/",
    "/info/", "/Info", "/info;x", "/info?x=1", "/info/exchange",
)  # fmt: skip


@pytest.mark.parametrize("path", VENUE_PATHS)
@pytest.mark.parametrize(
    "host", [*VENUE_HOSTS, "API.HyperLiquid.XYZ", "api.hyperliquid.xyz.", "hyperliquid.xyz"]
)
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_the_venue_is_denied_even_where_a_rule_would_allow_it(host: str, path: str, method: str) -> None:
    name = host.lower().rstrip(".")
    generous = with_own_rules(
        POLICY, [Allow("owner", name, "why", ("/{rest}",), methods=frozenset({"GET", "HEAD", "POST"}))]
    )
    assert verdict(f"https://{host}{path}", method, generous) == (False, "venue")


def test_reads_of_the_venue_go_over_https_at_its_own_port() -> None:
    assert verdict("http://api.hyperliquid.xyz/info", "POST") == (False, "venue")
    assert verdict("https://api.hyperliquid.xyz:8443/info", "POST") == (False, "venue")
    assert verdict("https://api.hyperliquid.xyz/info", "GET") == (False, "venue")
    assert verdict("https://x.api.hyperliquid.xyz/info", "POST") == (False, "venue")


def test_a_rule_of_an_owner_is_for_that_owner() -> None:
    mine = with_own_rules(
        POLICY, [Allow("owner", "mine.invalid", "why", ("/{rest}",), owners=frozenset({"me"}))]
    )
    assert decide(mine, "GET", "https://mine.invalid/x", owner="me").allowed
    assert not decide(mine, "GET", "https://mine.invalid/x", owner="you").allowed


def test_what_is_allowed_is_sent_in_its_canonical_form() -> None:
    assert (
        decide(POLICY, "GET", "https://INDEX.invalid./simple/%61?q").url == "https://index.invalid/simple/a?q"
    )
    assert decide(POLICY, "GET", "https://denied.invalid/").url == ""


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy((), PUBLIC),
        Policy(DENY, ()),
        Policy(DENY[1:], PUBLIC),
        Policy((replace(DENY[0], hosts=("hyperliquid.xyz",)), *DENY[1:]), PUBLIC),
    ],
)
def test_an_empty_policy_or_one_that_opens_the_venue_is_refused(policy: Policy) -> None:
    with pytest.raises(PolicyError):
        checked(policy)


def test_an_empty_policy_denies() -> None:
    assert verdict("https://index.invalid/simple/", policy=Policy()) == (False, "default")


def test_a_registry_that_is_no_host_is_refused() -> None:
    with pytest.raises(PolicyError):
        policy_for((Registry("10.0.0.1", 443, ("/",), "npm"),))


@pytest.mark.parametrize(
    "url", ["https://a b/", "nonsense", "https://us:er@ho\nst/x", "https://" + "x" * 9000]
)
def test_what_cannot_be_read_is_shown_as_plain_letters(url: str) -> None:
    shown = decide(POLICY, "GET", url).host
    assert shown.isascii()
    assert shown.isprintable()
    assert 0 < len(shown) <= 100
