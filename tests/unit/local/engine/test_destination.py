"""Where a proxy request wants to go: plain names and literals pass, nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.engine.destination import Destination, parse_authority, parse_url
from local.engine.errors import MalformedRequestError


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("example.test:443", Destination("example.test", 443)),
        ("Example.TEST:1", Destination("example.test", 1)),
        ("_dmarc.example.test.:80", Destination("_dmarc.example.test.", 80)),
        ("1.2.3.4:80", Destination("1.2.3.4", 80)),
        ("[::1]:443", Destination("::1", 443)),
        ("[2606:4700:0:0::1111]:65535", Destination("2606:4700::1111", 65535)),
    ],
)
def test_an_authority_is_read(text: str, found: Destination) -> None:
    assert parse_authority(text) == found


@pytest.mark.parametrize(
    "text",
    ["", ":80", "a", "a:", "a:0", "a:65536", "a:-1", "a:+1", "a:1 ", " a:1", "a b:1", "a..b:1", ".a:1",
     "-:1x", "[a]:1", "[::1:1", "::1:1", "a@b:1", "a/b:1", "a\r\nb:1", "a%2e:1", "\u00e9:1", "a:\u0661",
     "a" * 300 + ":1", "[fe80::1%eth0]:1"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(MalformedRequestError):
        parse_authority(text)


@pytest.mark.parametrize(
    ("target", "host", "port", "path"),
    [
        ("http://a.test", "a.test", 80, "/"),
        ("http://a.test/", "a.test", 80, "/"),
        ("HTTP://a.test:8080/x?y#z", "a.test", 8080, "/x?y"),
        ("http://a.test?y", "a.test", 80, "/?y"),
        ("http://a.test/%2f/..//x;y", "a.test", 80, "/%2f/..//x;y"),
        ("http://[::1]/x", "::1", 80, "/x"),
        ("http://a.test/http://b.test/", "a.test", 80, "/http://b.test/"),
    ],
)
def test_a_url_is_read_and_its_path_left_as_it_is(target: str, host: str, port: int, path: str) -> None:
    assert parse_url(target) == (Destination(host, port), path)


@pytest.mark.parametrize(
    "target",
    ["/", "a.test", "https://a.test/", "ftp://a.test/", "http:///x", "http://u@a.test/", "http://u:p@a.test/",
     "http://a.test\\x/", "http://a.test\\@b.test/", "//a.test/", "http:a.test", "*",
     "http://a.test//b.test/x", "http://a.test/\\b.test/x", "http://a.test//[x#y"],
)  # fmt: skip
def test_a_url_of_another_kind_is_refused(target: str) -> None:
    with pytest.raises(MalformedRequestError):
        parse_url(target)


def test_a_header_carries_brackets_where_they_are_needed() -> None:
    assert Destination("::1", 80).authority(80) == "[::1]"
    assert Destination("a.test", 8080).authority(80) == "a.test:8080"


@given(st.text())
def test_what_is_accepted_can_be_put_into_a_header(text: str) -> None:
    try:
        found = parse_authority(text, 80)
    except MalformedRequestError:
        return
    assert found.header.isascii()
    assert found.header.isprintable()
    assert not set(found.header) & set(" /\\@?#%")
