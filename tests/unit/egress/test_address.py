"""One canonical form: every spelling of the same place becomes it, and what is in doubt is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.limits import EGRESS_URL_CHARACTERS_MAX
from egress.address import AddressError, canonical, is_literal


def rule_of(url: str) -> str:
    with pytest.raises(AddressError) as caught:
        canonical(url)
    return caught.value.rule


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://Index.INVALID./a?b=%2F#c", "https://index.invalid/a?b=%2F"),
        ("https://index.invalid:443", "https://index.invalid/"),
        ("http://index.invalid:80/", "http://index.invalid/"),
        ("http://index.invalid:443/", "http://index.invalid:443/"),
        ("https://xn--bcher-kva.invalid/", "https://xn--bcher-kva.invalid/"),
        ("https://a.invalid/%65x%7Ey%c3%a9%2b", "https://a.invalid/ex~y%C3%A9%2B"),
        ("https://a.invalid/x/@types%2fnode", "https://a.invalid/x/@types%2Fnode"),
    ],
)
def test_every_spelling_has_one_form(url: str, sent: str) -> None:
    assert canonical(url).url == sent
    assert canonical(sent).url == sent


@pytest.mark.parametrize(
    "path",
    [
        "/info%2f..%2fexchange",
        "/info/..%5cexchange",
        "/info/%252e%252e/exchange",
        "//exchange",
        "/info%00/../exchange",
        "/a/%2e%2e/b",
        "/a/./b",
        "/a/..",
        "/a\\b",
        "/a%0d%0ab",
        "/a%7f",
        "/@types%2f..%2fnode",
        "/@a%2fb%2fc",
    ],
)
def test_a_path_that_reads_in_two_ways_is_refused(path: str) -> None:
    assert rule_of(f"https://a.invalid{path}") == "ambiguous_path"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.invalid/",
        "https:///x",
        "https://user@a.invalid/",
        "https://user:pw@a.invalid/",
        "https://@a.invalid/",
        "https://a.invalid:99999/",
        "https://a.invalid:0/",
        "https://a.invalid:x/",
        "https://a..invalid/",
        "https://a.invalid../",
        "https://-a.invalid/",
        "https://a。invalid/",
        "https://a.invalid/%",
        "https://a.invalid/%zz",
        "https://a.invalid/a b",
        "https://a.invalid/?a\tb",
        f"https://{'a' * 64}.invalid/",
        f"https://{'a.' * 127}invalid/",
        "a.invalid/x",
    ],
)
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    assert rule_of(url) == "malformed"


def test_an_address_may_be_as_long_as_the_limit_and_no_longer() -> None:
    start = "https://a.invalid/"
    longest = start + "x" * (EGRESS_URL_CHARACTERS_MAX - len(start))
    assert canonical(longest).url == longest
    assert rule_of(longest + "x") == "malformed"


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "127.0.0.1",
        "127.1",
        "2852039166",
        "0xA9FEA9FE",
        "0x",
        "0251.0376.0251.0376",
        "169.254.43518",
        "0",
        "1.2.3.4.5",
        "evil.test.1",
        "[::1]",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[fe80::1]",
    ],
)
def test_addresses_of_machines_are_refused_by_their_shape(host: str) -> None:
    assert rule_of(f"http://{host}/") == "address"


@pytest.mark.parametrize("host", ["a.b", "1password.com", "0x.org", "7f000001.nip.io", "cafe.babe"])
def test_names_that_only_look_like_addresses_are_names(host: str) -> None:
    assert not is_literal(host)


@given(st.text(max_size=60))
def test_whatever_has_a_form_keeps_it(rest: str) -> None:
    try:
        once = canonical(f"https://a.invalid/{rest}").url
    except AddressError:
        return
    assert canonical(once).url == once
    assert once.startswith("https://a.invalid/")
