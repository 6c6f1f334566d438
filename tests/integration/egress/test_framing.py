"""Requests that two parsers could take apart differently, as a hostile program writes them on the wire."""

import json

import pytest

from tests.integration.chat.person import Thread
from tests.integration.egress.outside import Outside

MARKET, VENUE = "api.kraken.com", "api.hyperliquid.xyz"
OTHER = "api.coingecko.com"
# Sends what it is given through a tunnel to a host, and prints what comes back: so many answers, however long
# they take, and what follows them at once.
CLIENT = r"""
import json, socket, ssl, sys
host, wanted, parts = json.loads(sys.stdin.read())
wire = socket.create_connection(("127.0.0.1", 3128), 60)
wire.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
assert b" 200 " in wire.recv(1000)
wire = ssl.create_default_context().wrap_socket(wire, server_hostname=host)
for part in parts:
    wire.sendall(part.encode("latin-1"))
said = ""
try:
    while data := wire.recv(65536):
        said += data.decode("latin-1")
        sys.stdout.write(data.decode("latin-1"))
        wire.settimeout(1 if said.count("HTTP/1.1 ") >= wanted else 60)
except (TimeoutError, OSError):
    pass
"""
QUERY = '{"type":"meta"}'
POST = f"POST /info HTTP/1.1\r\nHost: {VENUE}\r\n"
CHUNKED = f"{POST}Transfer-Encoding: chunked\r\n\r\n"
WRITE = f"POST /exchange HTTP/1.1\r\nHost: {VENUE}\r\nContent-Length: 2\r\n\r\n{{}}"
HIDDEN = f"GET /api/v3/ping HTTP/1.1\nHost: {OTHER}\n\n"


async def answers(thread: Thread, host: str, *parts: str, wanted: int = 1) -> str:
    """What comes back when these parts are sent, of which so many answers are waited for."""
    given = json.dumps([host, wanted, parts])
    result = await thread.exec(
        f"cat >client.py <<'END'\n{CLIENT}\nEND\n"
        f"cat >given.json <<'END'\n{given}\nEND\n/usr/bin/python3 client.py <given.json"
    )
    return str(result["output"])


@pytest.mark.parametrize(
    ("host", "sent"),
    [
        (VENUE, f"{CHUNKED[:-2]}Content-Length: 15\r\n\r\nf\r\n{QUERY}\r\n0\r\n\r\n{WRITE}"),
        (VENUE, f"{POST}Content-Length: 15\r\nContent-Length: 0\r\n\r\n{QUERY}{WRITE}"),
        (VENUE, f"{POST}Content-Length: 15, 15\r\n\r\n{QUERY}"),
        (VENUE, f"{POST}Transfer-Encoding: chunked\t\r\n\r\nf\r\n{QUERY}\r\n0\r\n\r\n"),
        (VENUE, f"{POST}Transfer-Encoding:\r\n chunked\r\n\r\nf\r\n{QUERY}\r\n0\r\n\r\n"),
        (VENUE, f"{CHUNKED}f;a=b\r\n{QUERY}\r\n0\r\n\r\n"),
        (VENUE, f"{CHUNKED}f \r\n{QUERY}\r\n0\r\n\r\n"),
        (VENUE, f"{CHUNKED}f;\rx\r\n{QUERY}\r\n0\r\n\r\n"),
        (VENUE, f"{CHUNKED}f\n{QUERY}\n0\n\n{WRITE}"),
        (MARKET, f"{CHUNKED}1\nx\n0\n\n{HIDDEN}".replace(VENUE, MARKET)),
        (MARKET, f"GET //{OTHER}/api/v3/ping HTTP/1.1\r\nHost: {MARKET}\r\n\r\n"),
        (MARKET, f"GET /\\{OTHER}/api/v3/ping HTTP/1.1\r\nHost: {MARKET}\r\n\r\n"),
        (MARKET, "GET /0/public/Time HTTP/1.0\r\n\r\n"),
    ],
    ids=[
        "two framings", "two lengths", "list of lengths", "tab", "fold", "extension", "space", "bare return",
        "bare feeds", "hidden request", "two slashes", "turned slash", "no host",
    ],
)  # fmt: skip
async def test_what_can_be_read_in_two_ways_goes_nowhere(
    thread: Thread, outside: Outside, host: str, sent: str
) -> None:
    before = len(outside.seen)
    said = await answers(thread, host, sent)
    assert said.startswith("HTTP/1.1 400 ")
    assert said.count("HTTP/1.1 ") == 1
    # Nothing of the machine that runs all this.
    assert "workerd" not in said
    assert outside.seen[before:] == []


async def test_a_trailer_is_no_request_and_ends_the_connection(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    await answers(thread, VENUE, f"{CHUNKED}f\r\n{QUERY}\r\n0\r\nX-HTTP-Method: a\r\n\r\n{WRITE}")
    assert all(seen.url.endswith("/info") for seen in outside.seen[before:])


async def test_each_request_on_a_connection_is_judged(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    said = await answers(thread, VENUE, f"{POST}Content-Length: 15\r\n\r\n{QUERY}{WRITE}", wanted=2)
    assert said.count("HTTP/1.1 ") == 2
    assert '"rule": "venue"' in said
    other = f"GET /0/public/Time HTTP/1.1\r\nHost: {MARKET}\r\n\r\n"
    await answers(thread, MARKET, other, f"{other}".replace(MARKET, OTHER))
    assert [(seen.method, seen.url) for seen in outside.seen[before:]] in (
        [("POST", f"https://{VENUE}/info"), ("GET", f"https://{MARKET}/0/public/Time")],
        [("POST", f"https://{VENUE}/info")],
    )


async def test_headers_that_could_make_another_request_stay_here(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    names = ("X-Method-Override", "X-Host-Override", "X_Forwarded_Host", "Destination", "X-Client-IP")
    sent = "".join(f"{name}: {VENUE}\r\n" for name in names)
    ranges = "Range: bytes=" + ",".join(["0-"] * 500) + "\r\n"
    await answers(thread, MARKET, f"GET /0/public/Time HTTP/1.1\r\nHost: {MARKET}\r\n{sent}{ranges}\r\n")
    await answers(
        thread,
        VENUE,
        f"{POST}Content-Type: a/b; charset=utf-7\r\nX-Any: 1\r\nContent-Length: 15\r\n\r\n{QUERY}",
    )
    read, query = outside.seen[before:]
    assert VENUE not in read.headers.values()
    assert "range" not in read.headers
    assert query.headers["content-type"] == "application/json"
    assert "x-any" not in query.headers
