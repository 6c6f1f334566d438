"""The only way out: through workerd's interception, whatever a program in the computer tries."""

import json
import re
from collections.abc import Callable

import pytest

from tests.integration.engine.rigging import Box

NewBox = Callable[[], Box]
CA = "/etc/cloudflare/certs/cloudflare-containers-ca.crt"
CURL = f"curl -sS --max-time 100 --cacert {CA} "


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_request_reaches_the_worker_with_its_url_and_props(online: Box, scheme: str) -> None:
    seen = json.loads(online.sh(f"{CURL} -d body -H 'X-Own: 1' '{scheme}://Example.test/a%2fb?q=1&r=%20'"))
    assert seen["url"] == f"{scheme}://example.test/a%2fb?q=1&r=%20"
    assert (seen["method"], seen["body"], seen["headers"]["x-own"]) == ("POST", "body", "1")
    assert seen["props"] == {"owner": "somebody"}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_refusal_of_the_worker_arrives_as_it_is(online: Box, scheme: str) -> None:
    assert online.sh(f"{CURL} -w '%{{http_code}}' {scheme}://denied.test/") == "denied by a rule\n403"


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    ("options", "path", "code"), [("--head", "/x", "200"), ("", "/empty", "204"), ("-X DELETE", "/x", "200")]
)
def test_answers_without_a_body_end(online: Box, scheme: str, options: str, path: str, code: str) -> None:
    assert online.sh(f"{CURL} {options} -o /dev/null -w '%{{http_code}}' {scheme}://e.test{path}") == code


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_many_requests_use_one_connection(online: Box, scheme: str) -> None:
    urls = " ".join(f"-o /dev/null {scheme}://one.test/{number}" for number in range(20))
    codes = online.sh(f"{CURL} -w '%{{http_code}} %{{num_connects}}\\n' {urls}").split("\n")
    assert codes[:20] == ["200 1", *["200 0"] * 19]


def test_one_proxy_connection_serves_requests_to_several_hosts(online: Box) -> None:
    urls = " ".join(f"http://host{number}.test/" for number in range(4))
    found = online.sh(f"{CURL} -w '|%{{num_connects}}\\n' {urls}").splitlines()
    assert [json.loads(line.split("|")[0])["url"] for line in found] == urls.split()
    assert [line.split("|")[1] for line in found] == ["1", "0", "0", "0"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_large_bodies_stream_both_ways(online: Box, scheme: str) -> None:
    script = (
        "head -c 33554432 /dev/urandom > /workspace/up;"
        f"{CURL} -T /workspace/up {scheme}://e.test/echo | cmp - /workspace/up && echo same;"
        f" {CURL} {scheme}://e.test/bytes/33554432 | wc -c"
    )
    assert online.sh(script) == "same\n33554432\n"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_chunked_upload_and_one_that_asks_first_are_taken(online: Box, scheme: str) -> None:
    url = f"{scheme}://e.test/echo"
    chunked = f"echo chunk | {CURL} -T - {url}"
    asking = f"head -c 2000000 /dev/zero | {CURL} -H 'Expect: 100-continue' --data-binary @- {url} | wc -c"
    assert online.sh(f"{chunked}; {asking}") == "chunk\n2000000\n"


def test_pip_speaks_to_its_index_through_the_worker(online: Box) -> None:
    found = online.sh(
        f"cd /workspace; python3 -m pip --cert {CA} --retries 0 --disable-pip-version-check download "
        "--index-url https://denied.test/simple nothing-of-this-name 2>&1"
    )
    assert "403" in found or "No matching distribution" in found


WEB_SOCKET = r"""
import base64, os, socket, ssl, sys
secure, through = sys.argv[1] == 'wss', sys.argv[3]
port = 443 if secure else 80
if through == 'proxy':
    s = socket.create_connection(('127.0.0.1', 3128))
    s.sendall(b'CONNECT ws.test:%d HTTP/1.1\r\nHost: ws.test\r\n\r\n' % port)
    assert b' 200 ' in s.recv(4096)
else:
    s = socket.create_connection(('ws.test', port))
if secure:
    s = ssl.create_default_context(cafile=sys.argv[2]).wrap_socket(s, server_hostname='ws.test')
key = base64.b64encode(os.urandom(16))
s.sendall(b'GET /ws HTTP/1.1\r\nHost: ws.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
          b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ' + key + b'\r\n\r\n')
head = b''
while b'\r\n\r\n' not in head: head += s.recv(1)
assert b' 101 ' in head, head
s.sendall(b'\x81\x82\0\0\0\0hi')
print(s.recv(100)[2:].decode())
"""


@pytest.mark.parametrize("through", ["proxy", "address"])
@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_a_web_socket_goes_out_through_any_tunnel(online: Box, scheme: str, through: str) -> None:
    done = online.exec("/usr/bin/python3", "-I", "-c", WEB_SOCKET, scheme, CA, through)
    assert (done["stdout"], done["stderr"]) == ("echo hi\n", "")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_another_host_inside_than_in_connect_is_refused(online: Box, scheme: str) -> None:
    tunnel = "--proxytunnel -o /dev/null -w '%{http_code}'"
    assert online.sh(f"{CURL} {tunnel} -H 'Host: other.test' {scheme}://front.test/") == "400"
    assert online.sh(f"{CURL} {tunnel} -H 'Host: FRONT.test.' {scheme}://front.test/") == "200"


@pytest.mark.parametrize("trusting", ["", "-k"])
def test_another_name_in_tls_than_in_connect_is_refused(online: Box, trusting: str) -> None:
    there = "--connect-to one.test:443:two.test:443 https://one.test/"
    assert online.exec("/bin/bash", "-c", f"{CURL} {trusting} {there}")["exit"] == 35


TUNNEL = r"""
import socket, ssl, sys
s = socket.create_connection(('127.0.0.1', 3128))
secure = sys.argv[1] == 'https'
s.sendall(b'CONNECT e.test:%d HTTP/1.1\r\nHost: e.test\r\n\r\n' % (443 if secure else 80))
assert b' 200 ' in s.recv(4096)
if secure:
    s = ssl.create_default_context(cafile=sys.argv[2]).wrap_socket(s, server_hostname='e.test')
s.settimeout(20)
s.sendall(bytes.fromhex(sys.argv[3]))
found = b''
while part := s.recv(65536):
    found += part
sys.stdout.write(found.hex())
"""


def tunnelled(box: Box, scheme: str, data: bytes) -> bytes:
    done = box.exec("/usr/bin/python3", "-I", "-c", TUNNEL, scheme, CA, data.hex())
    return bytes.fromhex(done["stdout"])


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
IN_TUNNEL = b"GET / HTTP/1.1\r\nHost: e.test\r\n\r\n"


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: e.test\r\nContent-Length: 44\r\nContent-Length: 0\r\n\r\n" + IN_TUNNEL,
        b"POST / HTTP/1.1\r\nHost: e.test\r\nContent-Length: 4\r\n" + CHUNKED,
        b"POST / HTTP/1.1\r\nHost: e.test\r\nTransfer-Encoding: chunked\t, x\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\nHost: e.test\n\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test\r\nHost: other.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test:8080\r\n\r\n",
        b"GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"CONNECT e.test:443 HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_hostile_framing_in_a_tunnel_is_refused_and_the_tunnel_closed(
    online: Box, scheme: str, data: bytes
) -> None:
    answer = tunnelled(online, scheme, data)
    assert answer.startswith(b"HTTP/1.1 400"), answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_hostile_request_behind_a_good_one_ends_the_tunnel(online: Box, scheme: str) -> None:
    bad = IN_TUNNEL.replace(b"e.test", b"other.test")
    assert b"other.test" not in tunnelled(online, scheme, IN_TUNNEL + bad)


def test_a_port_that_is_not_intercepted_leads_nowhere(online: Box) -> None:
    assert "there is no direct way out" in online.sh(f"{CURL} http://e.test:8080/")


def test_without_interceptors_nothing_leaves(new_box: NewBox) -> None:
    box = new_box().start()
    assert "there is no direct way out" in box.sh("curl -sS --max-time 100 http://e.test/")
    assert "there is no direct way out" in box.sh("curl -sSk --max-time 100 https://e.test/")


def raw(box: Box, data: bytes) -> bytes:
    """Send bytes to the proxy from inside and return all that comes back."""
    program = (
        "import socket, sys; s = socket.create_connection(('127.0.0.1', 3128)); s.settimeout(20);"
        f"s.sendall({data!r}); s.shutdown(socket.SHUT_WR);"
        "sys.stdout.write(repr(b''.join(iter(lambda: s.recv(65536), b''))))"
    )
    found = box.python(program)
    return bytes(eval(found, {}))  # noqa: S307 - a literal that the program above wrote


GOOD = b"GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"POST http://e.test/ HTTP/1.1\r\nHost: e.test\r\nContent-Length: 44\r\nContent-Length: 0\r\n\r\n"
        + GOOD,
        b"POST http://e.test/ HTTP/1.1\r\nHost: e.test\r\nContent-Length: 4\r\n" + CHUNKED,
        b"POST http://e.test/ HTTP/1.1\r\nHost: e.test\r\nTransfer-Encoding: chunked\t, x\r\n\r\n0\r\n\r\n",
        b"GET http://e.test/ HTTP/1.1\nHost: e.test\n\n",
        b"GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\nX: a\nY: b\r\n\r\n",
        b"GET http://e.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n",
        b"GET http://user@e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET http://e.test\\@x/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET https://e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET http://e.test:99999/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET http://\xff.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"CONNECT e.test HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"CONNECT e.test:80 HTTP/1.1\r\nHost: other.test\r\n\r\n",
        b"CONNECT e.test:80 HTTP/1.1\r\nHost: e.test:80\r\n\r\n" + GOOD,
        b"CONNECT a..b:443 HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"CONNECT e.test:443\r\nX-Hostname: evil HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x00\x05hello\r\n\r\n",
        b"GET http://e.test/" + b"a" * 70000 + b" HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\n" + b"X: " + b"y" * 70000 + b"\r\n\r\n",
    ],
)
def test_hostile_framing_is_refused_and_the_connection_closed(online: Box, data: bytes) -> None:
    answer = raw(online, data)
    assert answer.split(b"\r\n")[0].split(b" ")[1] in (b"400", b"431", b"501"), answer
    assert b"e.test/" not in answer.split(b"\r\n\r\n", 1)[1]


def test_a_second_request_hidden_in_a_body_stays_a_body(online: Box) -> None:
    head = b"POST http://e.test/echo HTTP/1.1\r\nHost: e.test\r\nContent-Length: %d\r\n\r\n" % len(GOOD)
    answer = raw(online, head + GOOD)
    assert answer.count(b"HTTP/1.1 200") == 1
    assert GOOD in answer


def test_pipelined_requests_are_each_judged(online: Box) -> None:
    denied = GOOD.replace(b"e.test", b"denied.test")
    answer = raw(online, GOOD + denied + GOOD)
    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"403", b"200"]


def test_a_broken_chunk_in_the_middle_is_refused(online: Box) -> None:
    head = b"POST http://e.test/x HTTP/1.1\r\nHost: e.test\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert raw(online, head + b"5\r\nhello\r\nzz\r\n").startswith(b"HTTP/1.1 400")


def test_headers_of_one_hop_are_not_passed_on(online: Box) -> None:
    options = (
        "-H 'Connection: x-own, content-length' -H 'X-Own: 1' -H 'Proxy-Authorization: Basic eA==' -d body"
    )
    seen = json.loads(online.sh(f"{CURL} {options} http://e.test/"))
    assert seen["body"] == "body"
    assert not {"x-own", "proxy-authorization", "proxy-connection"} & seen["headers"].keys()


def test_an_upgrade_by_absolute_url_is_not_passed_on(online: Box) -> None:
    answer = raw(online, GOOD.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"))
    assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "script",
    [
        "curl -sS --max-time 3 --noproxy '*' http://1.1.1.1:8080",
        "curl -sS --max-time 3 --noproxy '*' https://example.com:8443",
        "curl -sS --max-time 3 -g --noproxy '*' 'http://[2606:4700:4700::1111]:81/'",
        "timeout 3 bash -c 'exec 3<>/dev/tcp/1.1.1.1/53'",
    ],
)
def test_other_ports_than_those_of_the_web_lead_nowhere(online: Box, script: str) -> None:
    assert online.exec("/bin/bash", "-c", script)["exit"] != 0


@pytest.mark.parametrize(
    "program",
    [
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))",
        "socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 768)",
        "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 443))",
        "socket.socket().bind(('0.0.0.0', 80))",
        "socket.create_connection(('127.0.0.1', 22), 3)",
    ],
)
def test_sockets_lead_nowhere(online: Box, program: str) -> None:
    assert online.exec("/usr/bin/python3", "-I", "-c", f"import socket; {program}")["exit"] != 0


def test_too_many_connections_are_turned_away_and_later_ones_served(online: Box) -> None:
    program = (
        "import socket; made = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(300)];"
        "made[-1].settimeout(20); print(repr(made[-1].recv(1)))"
    )
    assert online.sh(f'ulimit -n 1024; python3 -I -c "{program}"') == "b''\n"
    assert online.sh(f"{CURL} -o /dev/null -w '%{{http_code}}' http://e.test/") == "200"
