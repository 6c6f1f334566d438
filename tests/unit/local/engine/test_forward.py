"""Plain http: which heads are refused, and which headers go on."""

import pytest

from local.engine.destination import Destination
from local.engine.errors import MalformedRequestError
from local.engine.forward import HEAD_LIMIT, checked_headers, kept_headers, plain_answer, strict_head

TO = Destination("a.test", 80)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\n",
        b"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
        b"x" * (HEAD_LIMIT + 1),
        b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nA: b\r\ncontent-length: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n",
    ],
)
def test_a_loose_or_long_head_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        strict_head(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nA: b\r\n\r\nbody\nwith\nlines",
        b"GET /\r",
        b"POST / HTTP/1.1\r\nContent-Length: 22\r\nX: 1,2\r\n\r\n\r\n folded\r\ncontent-length: 2\r\n\r\n",
    ],
)
def test_a_strict_head_and_any_body_pass(data: bytes) -> None:
    strict_head(data)


@pytest.mark.parametrize("host", [b"a.test", b"A.test", b"a.test:80", b"a.test."])
def test_the_host_that_is_sent_on_is_the_urls(host: bytes) -> None:
    assert checked_headers([(b"host", host), (b"x", b"1")], TO) == [(b"host", b"a.test"), (b"x", b"1")]


@pytest.mark.parametrize("host", [b"b.test", b"a.test:8080", b"a.test, b.test", b""])
def test_a_host_that_is_not_the_urls_is_refused(host: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        checked_headers([(b"host", host)], TO)


def test_two_framings_are_refused() -> None:
    with pytest.raises(MalformedRequestError):
        checked_headers([(b"content-length", b"1"), (b"transfer-encoding", b"chunked")], TO)


def test_the_framing_itself_goes_on() -> None:
    assert (b"transfer-encoding", b"chunked") in checked_headers([(b"transfer-encoding", b"chunked")], TO)
    assert (b"content-length", b"1") in checked_headers([(b"content-length", b"1")], TO)


def test_headers_of_one_hop_stay_behind() -> None:
    headers = [
        (b"connection", b"x-mine, Content-Length, host"),
        (b"x-mine", b"1"),
        (b"content-length", b"3"),
        (b"proxy-authorization", b"secret"),
        (b"upgrade", b"h2c"),
        (b"te", b"trailers"),
        (b"accept", b"*/*"),
    ]
    assert kept_headers(headers) == [(b"content-length", b"3"), (b"accept", b"*/*")]


def test_a_plain_answer_says_its_length_and_closes() -> None:
    head, body = plain_answer(502, "no way out").split(b"\r\n\r\n")
    assert body == b"berth: no way out\n"
    assert b"Content-Length: 18" in head
    assert b"Connection: close" in head
