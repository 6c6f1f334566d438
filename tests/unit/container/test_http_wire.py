"""Requests that are HTTP, requests that are not, and percent-encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computerd import errors, http_wire
from computerd.errors import InvalidRequest, MalformedHttp


def test_a_head_is_taken_apart() -> None:
    head = http_wire.parse_head(b"PUT /files/content?path=a HTTP/1.1\r\nHost: x\r\nContent-Length: 7")
    assert (head.method, head.path, head.query, head.length) == ("PUT", b"/files/content", b"path=a", 7)
    assert head.keep_alive
    assert head.chunked_ok
    assert head.headers["host"] == b"x"


@pytest.mark.parametrize(
    ("lines", "keep_alive"),
    [
        (b"GET / HTTP/1.1", True),
        (b"GET / HTTP/1.1\r\nConnection: close", False),
        (b"GET / HTTP/1.0", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive", True),
    ],
)
def test_who_keeps_the_connection(lines: bytes, keep_alive: bool) -> None:
    assert http_wire.parse_head(lines).keep_alive is keep_alive


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"GET /",
        b"GET / HTTP/2.0",
        b"GET / HTTP/1.1 x",
        b"GET  / HTTP/1.1",
        b"GET http://elsewhere/ HTTP/1.1",
        b"GET /a\x00b HTTP/1.1",
        b"G\xc3\x84T / HTTP/1.1",
        b"GET / HTTP/1.1\r\nHost",
        b"GET / HTTP/1.1\r\nHost : x",
        b"GET / HTTP/1.1\r\n folded: x",
        b"GET / HTTP/1.1\r\nA: b\nC: d",
        b"GET / HTTP/1.1\r\nA: b\rC: d",
        b"GET / HTTP/1.1\r\nA: b\x00",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1",
        b"POST / HTTP/1.1\r\nContent-Length: +1",
        b"POST / HTTP/1.1\r\nContent-Length: 0x1",
        b"POST / HTTP/1.1\r\nContent-Length: -1",
        b"POST / HTTP/1.1\r\nContent-Length: ",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: identity",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked",
        b"GET / HTTP/1.1\r\n" + b"\r\n".join(b"A%d: b" % number for number in range(65)),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(lines: bytes) -> None:
    with pytest.raises(MalformedHttp):
        http_wire.parse_head(lines)


@pytest.mark.parametrize(("line", "size"), [(b"0", 0), (b"1a", 26), (b"F;name=value", 15)])
def test_chunk_sizes(line: bytes, size: int) -> None:
    assert http_wire.parse_chunk_size(line) == size


@pytest.mark.parametrize("line", [b"", b"g", b"-1", b"0x1", b"1 2", b"123456789"])
def test_what_is_no_chunk_size(line: bytes) -> None:
    with pytest.raises(MalformedHttp):
        http_wire.parse_chunk_size(line)


@given(st.binary())
def test_any_name_survives_quoting(name: bytes) -> None:
    text = name.decode("utf-8", "surrogateescape")
    quoted = http_wire.quote(text)
    assert quoted.isascii()
    assert http_wire.unquote(quoted.encode()).encode("utf-8", "surrogateescape") == name


def test_a_query_is_decoded_like_a_form() -> None:
    assert http_wire.parse_query(b"path=a%20b+c%2B&exclusive=1&path=d%FF") == {
        "path": "d\udcff",
        "exclusive": "1",
    }


@pytest.mark.parametrize("data", [b"%", b"%2", b"a%zz", b"% 1", b"%1 "])
def test_a_broken_percent_sign_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidRequest):
        http_wire.unquote(data)


def test_a_chunk_says_its_length() -> None:
    assert http_wire.chunk(b"x" * 17) == b"11\r\n" + b"x" * 17 + b"\r\n"


def test_every_status_of_a_refusal_has_a_reason() -> None:
    kinds = errors.Refusal.__subclasses__()
    assert len(kinds) > 10
    assert {kind.status for kind in kinds} <= set(http_wire.REASONS)
