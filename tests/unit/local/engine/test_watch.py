"""Requests in a tunnel: good ones pass as they are however they are cut, bad ones end it."""

import pytest

from local.engine.destination import Destination
from local.engine.errors import MalformedRequestError, MismatchError
from local.engine.watch import RequestWatch

TO = Destination("a.test", 443)
GET = b"GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n"
POST = b"POST /y HTTP/1.1\r\nHost: A.test.:443\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
UPGRADE = b"GET /ws HTTP/1.1\r\nHost: a.test\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
OTHER = GET.replace(b"a.test", b"b.test")


def watch() -> RequestWatch:
    return RequestWatch(TO, 443)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_many_requests_in_any_pieces_pass(size: int) -> None:
    data = (GET + POST + CHUNKED) * 3
    watching = watch()
    for start in range(0, len(data), size):
        assert watching.feed(data[start : start + size]) == b""


@pytest.mark.parametrize("before", [b"", GET, POST, CHUNKED])
@pytest.mark.parametrize(
    "bad",
    [
        OTHER,
        GET.replace(b"a.test", b"a.test:80"),
        GET.replace(b"/x", b"https://a.test/x"),
        GET.replace(b"/x", b"//b.test/x"),
        GET.replace(b"/x", b"/\\b.test/x"),
        b"GET /x HTTP/1.0\r\n\r\n",
        CHUNKED.replace(b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n"),
        GET.replace(b"GET /x", b"CONNECT a.test:443"),
        GET.replace(b"\r\n", b"\n"),
        GET.replace(b"\r\n\r\n", b"\r\nX: a\nY: b\r\n\r\n"),
        GET.replace(b"Host: a.test\r\n", b""),
        GET.replace(b"\r\n\r\n", b"\r\nHost: b.test\r\n\r\n"),
        POST.replace(b"Length: 5", b"Length: 5\r\nContent-Length: 6"),
        CHUNKED.replace(b"chunked", b"chunked\r\nContent-Length: 5"),
        CHUNKED.replace(b"5\r\nhello", b"zz\r\nhello"),
        CHUNKED.replace(b"5\r\nhello", b"0x5\r\nhello"),
        CHUNKED.replace(b"5\r\nhello", b"5;a=b\r\nhello"),
        CHUNKED.replace(b"5\r\nhello", b"5 \r\nhello"),
        CHUNKED.replace(b"5\r\nhello", b"123456789\r\nhello"),
        CHUNKED.replace(b"5\r\nhello", b"5\nhello"),
        CHUNKED.replace(b"hello\r\n0", b"hello\n0"),
        CHUNKED.replace(b"hello\r\n0", b"helloXX0"),
        CHUNKED.replace(b"0\r\n\r\n", b"0\n\nGET / HTTP/1.1\nHost: b.test\n\n"),
        CHUNKED.replace(b"0\r\n\r\n", b"0\r\nX: trailer\r\n\r\n"),
        CHUNKED.replace(b"chunked", b"chunked\t"),
        CHUNKED.replace(b"chunked", b"gzip, chunked"),
        POST.replace(b"Length: 5", b"Length: 5, 5"),
        POST.replace(b"Length: 5", b"Length: 0000000000000005"),
        GET.replace(b"\r\n\r\n", b"\r\nX: a\r\n b\r\n\r\n"),
        GET.replace(b"Host: a", b"Host:\r\n\ta"),
        b"GET / HTTP/1.0\r\n\r\n",
        GET.replace(b"/1.1", b"/1.2"),
        b"\r\n\r\n" + GET,
        b"\x16\x03\x01\x00\x05hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.test\r\nX: " + b"y" * 70_000,
    ],
)
def test_a_bad_request_is_refused_wherever_it_comes(before: bytes, bad: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        watch().feed(before + bad)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_chunks_end_where_they_say(size: int) -> None:
    chunks = b"5\r\nhello\r\n0A\r\n" + OTHER[:10] + b"\r\n000\r\n\r\n"
    data = CHUNKED.partition(b"5\r\n")[0] + chunks
    watching = watch()
    for start in range(0, len(data), size):
        assert watching.feed(data[start : start + size]) == b""
    with pytest.raises(MalformedRequestError):
        watching.feed(OTHER)


@pytest.mark.parametrize("before", [GET, POST, UPGRADE])
def test_only_the_first_request_may_ask_for_another_protocol(before: bytes) -> None:
    watching = watch()
    watching.feed(before)
    watching.unswitched()
    with pytest.raises(MalformedRequestError):
        watching.feed(UPGRADE)


def test_a_request_inside_a_body_is_a_body() -> None:
    length = str(len(OTHER)).encode()
    assert watch().feed(POST.replace(b"Length: 5", b"Length: " + length).replace(b"hello", OTHER)) == b""


def test_what_follows_a_request_for_another_protocol_waits_for_the_answer() -> None:
    watching = watch()
    assert watching.feed(UPGRADE + b"frames") == b"frames"
    assert watching.switching
    watching.unswitched()
    with pytest.raises(MalformedRequestError):
        watching.feed(OTHER)


def test_a_client_without_a_word_on_its_destination_is_bound_to_its_first_host() -> None:
    watching = RequestWatch(None, 80)
    assert watching.feed(GET) == b""
    assert watching.to == Destination("a.test", 80)
    with pytest.raises(MismatchError):
        watching.feed(OTHER)


@pytest.mark.parametrize(
    "head", [b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost:\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_without_one_host_there_is_no_destination(head: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        RequestWatch(None, 80).feed(head)


def test_a_host_may_not_name_another_port_than_it_came_to() -> None:
    with pytest.raises(MismatchError):
        RequestWatch(None, 80).feed(GET.replace(b"a.test", b"a.test:81"))


def test_the_name_in_tls_is_the_destination_or_must_agree_with_it() -> None:
    watching = RequestWatch(None, 443)
    assert watching.name_in_tls("A.test") == "a.test"
    assert watch().name_in_tls(None) == "a.test"
    with pytest.raises(MismatchError):
        watching.feed(OTHER)
    with pytest.raises(MismatchError):
        watch().name_in_tls("b.test")


@pytest.mark.parametrize("name", [None, "", "a..b", "a.test:80", "a b"])
def test_tls_must_name_a_host(name: str | None) -> None:
    with pytest.raises(MalformedRequestError):
        RequestWatch(None, 443).name_in_tls(name)
