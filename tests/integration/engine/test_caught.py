"""Programs that know nothing of a proxy: caught at the ports of the web, and judged like all others."""

import errno
import json
import os
import resource

import pytest

from tests.integration.engine.rigging import ROOT, Box, EngineProcess, wait_for

CA = "/etc/cloudflare/certs/cloudflare-containers-ca.crt"
CURL = f"curl -sS --max-time 100 --cacert {CA} --noproxy '*' "
PYTHON = ("/usr/bin/python3", "-I", "-c")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_request_reaches_the_worker_as_it_would_through_the_proxy(online: Box, scheme: str) -> None:
    seen = json.loads(online.sh(f"{CURL} -d body -H 'X-Own: 1' '{scheme}://Example.test/a%2fb?q=1&r=%20'"))
    assert seen["url"] == f"{scheme}://example.test/a%2fb?q=1&r=%20"
    assert (seen["method"], seen["body"], seen["headers"]["x-own"]) == ("POST", "body", "1")
    assert seen["props"] == {"owner": "somebody"}
    assert online.sh(f"{CURL} -w '%{{http_code}}' {scheme}://denied.test/") == "denied by a rule\n403"


def test_python_without_proxies_trusts_the_leaf(online: Box) -> None:
    program = (
        "import ssl, urllib.request as u; direct = u.ProxyHandler({}); "
        f"tls = u.HTTPSHandler(context=ssl.create_default_context(cafile='{CA}')); "
        "print(u.build_opener(direct, tls).open('https://e.test/x', timeout=20).read().decode())"
    )
    assert json.loads(online.python(program))["url"] == "https://e.test/x"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_one_connection_carries_many_requests_and_large_bodies(online: Box, scheme: str) -> None:
    urls = " ".join(f"-o /dev/null {scheme}://one.test/{number}" for number in range(20))
    codes = online.sh(f"{CURL} -w '%{{http_code}} %{{num_connects}}\\n' {urls}").split("\n")
    assert codes[:20] == ["200 1", *["200 0"] * 19]
    script = (
        "head -c 33554432 /dev/urandom > /workspace/up;"
        f"{CURL} -T /workspace/up {scheme}://e.test/echo | cmp - /workspace/up && echo same;"
        f" {CURL} {scheme}://e.test/bytes/33554432 | wc -c"
    )
    assert online.sh(script) == "same\n33554432\n"


@pytest.mark.parametrize(
    "host", ["93.184.216.34", "[2606:4700:4700::1111]", "198.18.0.1", "[::ffff:1.2.3.4]"]
)
def test_an_address_is_a_destination_like_a_name(online: Box, host: str) -> None:
    assert "url" in online.sh(f"{CURL} -g http://{host}/")


TALK = r"""
import socket, ssl, sys
scheme, cafile, name = sys.argv[1:]
s = socket.create_connection(('93.184.216.34', 443 if scheme == 'https' else 80), 20)
if scheme == 'https':
    context = ssl.create_default_context(cafile=cafile)
    context.check_hostname = False
    s = context.wrap_socket(s, server_hostname=name or None)
s.sendall(bytes.fromhex(sys.stdin.read()))
found = b''
try:
    while part := s.recv(65536):
        found += part
except ConnectionError:
    pass
sys.stdout.write(found.hex())
"""


def talk(box: Box, scheme: str, data: bytes, name: str = "e.test") -> bytes:
    """Send bytes to an address of the outside, and return all that comes back."""
    done = box.exec(*PYTHON, TALK, scheme, CA, name, stdin=data.hex())
    assert done["exit"] == 0, done["stderr"]
    return bytes.fromhex(done["stdout"])


GOOD = b"GET / HTTP/1.1\r\nHost: e.test\r\n\r\n"
LAST = GOOD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "data",
    [
        b"POST / HTTP/1.1\r\nHost: e.test\r\nContent-Length: 44\r\nContent-Length: 0\r\n\r\n" + GOOD,
        b"POST / HTTP/1.1\r\nHost: e.test\r\nContent-Length: 4\r\n" + CHUNKED,
        b"GET / HTTP/1.1\nHost: e.test\n\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n" + GOOD.replace(b"e.test", b"other.test"),
        b"GET / HTTP/1.1\r\nHost: e.test\r\nHost: e.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test:8080\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test@x\r\n\r\n",
        b"GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"CONNECT e.test:443 HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET //other.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"GET /\\other.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: e.test\r\nX: " + b"y" * 70000 + b"\r\n\r\n",
    ],
)
def test_hostile_framing_is_refused_and_the_connection_closed(online: Box, scheme: str, data: bytes) -> None:
    answer = talk(online, scheme, data)
    assert answer.startswith(b"HTTP/1.1 400"), answer
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_second_host_on_a_connection_is_refused(online: Box, scheme: str) -> None:
    assert b"other.test" not in talk(online, scheme, GOOD + GOOD.replace(b"e.test", b"other.test"))
    assert b"//e.test/" in talk(online, scheme, LAST)


def test_what_tls_names_and_what_host_names_must_be_one(online: Box) -> None:
    assert talk(online, "https", LAST, "other.test").startswith(b"HTTP/1.1 400")
    there = "--connect-to one.test:443:two.test:443 https://one.test/ -H 'Host: two.test'"
    assert online.sh(f"{CURL} -k -o /dev/null -w '%{{http_code}}' {there}") == "400"


def test_a_name_that_comes_in_pieces_is_waited_for(online: Box) -> None:
    program = (
        "import socket, time; s = socket.create_connection(('1.2.3.4', 80), 20)\n"
        f"for byte in {LAST!r}:\n    s.sendall(bytes([byte])); time.sleep(0.001)\n"
        "print(b''.join(iter(lambda: s.recv(65536), b'')).decode())"
    )
    assert "http://e.test/" in online.python(program)


@pytest.mark.parametrize("url", ["https://1.1.1.1/", "-g 'https://[2606:4700::1]/'"])
def test_without_a_name_in_tls_there_is_no_handshake(online: Box, engine: EngineProcess, url: str) -> None:
    before = engine.log()
    assert online.exec("/bin/bash", "-c", f"{CURL} -k {url}")["exit"] == 35
    # A hostile program must not be able to fill a disk of the host with lines.
    assert engine.log() == before


def test_plain_text_at_the_port_of_tls_is_closed(online: Box) -> None:
    assert online.exec("/bin/bash", "-c", f"{CURL} http://e.test:443/")["exit"] != 0
    assert online.exec("/bin/bash", "-c", f"{CURL} -k https://e.test:80/")["exit"] != 0


@pytest.mark.parametrize(
    "to", ["('1.1.1.1', 8443)", "('e.test', 22)", "('2606::1', 8443)", "('8.8.8.8', 53)"]
)
def test_other_ports_are_refused_without_a_wait(online: Box, to: str) -> None:
    program = (
        f"import socket\ntry: socket.create_connection({to}, 5)\nexcept OSError as error: print(error.errno)"
    )
    # What was waited for in vain has no number.
    assert online.python(program) == f"{errno.ENETUNREACH}\n"


def test_the_computers_own_ports_are_its_own(online: Box) -> None:
    serve = (
        "python3 -m http.server -b 0.0.0.0 9000 -d /etc/ssl >/dev/null 2>&1 &"
        " until (exec 3<>/dev/tcp/127.0.0.1/9000) 2>/dev/null; do sleep 0.05; done;"
    )
    assert "openssl" in online.sh(f"{serve} {CURL} http://127.0.0.1:9000/; kill %1")
    for host in ("localhost", "127.0.0.1", "127.8.9.10", "[::1]"):
        assert online.exec("/bin/bash", "-c", f"{CURL} -g http://{host}/")["exit"] in {7, 56}


def test_nobody_inside_can_change_the_routes(online: Box) -> None:
    source = (ROOT / "local/engine/anyip.py").read_text()
    assert "Operation not permitted" in online.python(source + "\nroute_to_loopback()\n")
    assert "Operation not permitted" in online.python(source + "\nlistener(8443)\n")


def test_every_name_has_one_address_and_localhost_its_own(online: Box) -> None:
    program = (
        "import socket\nfor name in ('secret.example.com', 'x', 'localhost'):"
        " print(sorted({found[4][0] for found in socket.getaddrinfo(name, 80)}))"
    )
    assert online.python(program) == "['198.18.0.1']\n['198.18.0.1']\n['127.0.0.1', '::1']\n"
    assert online.sh("getent ahostsv4 example.com").split()[0] == "198.18.0.1"
    assert online.sh("getent ahostsv6 example.com | grep -v ::ffff:") == ""
    assert online.exec("/usr/bin/getent", "hosts", "a b")["exit"] != 0


def test_questions_are_answered_on_a_connection_too(online: Box) -> None:
    program = r"""
import socket
question = b'\0\1\1\0\0\1\0\0\0\0\0\0\1e\4test\0\0\1\0\1'
for sent in (len(question).to_bytes(2, 'big') + question) * 2, b'\xff\xff' + question, b'\0\3abc', b'\0\0':
    s = socket.create_connection(('127.0.0.1', 53), 20)
    found = b''
    try:
        for byte in sent:
            s.send(bytes([byte]))
        s.shutdown(socket.SHUT_WR)
        while part := s.recv(999):
            found += part
    except ConnectionError:
        pass
    print(found.count(socket.inet_aton('198.18.0.1')))
"""
    assert online.python(program).split() == ["2", "0", "0", "0"]


def test_hostile_packets_leave_the_resolver_answering(online: Box) -> None:
    program = r"""
import os, socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(('127.0.0.1', 53))
head = b'\0\1\1\0\0\1\0\0\0\0\0\0'
for bad in (b'', b'\0', head, head + b'\xc0\x0c\0\1\0\1', head + b'\x3f' * 700,
            b'\0\1\x80' + head[3:], bytes(60000)):
    s.send(bad)
for _ in range(3000):
    s.send(os.urandom(40))
print(socket.gethostbyname('after.test'))
"""
    assert online.python(program) == "198.18.0.1\n"


def test_too_many_connections_are_turned_away_and_later_ones_served(online: Box) -> None:
    program = (
        "import socket; made = [socket.create_connection(('1.1.1.1', 80)) for _ in range(300)];"
        "made[-1].settimeout(20); print(repr(made[-1].recv(1)))"
    )
    assert online.sh(f'ulimit -n 1024; python3 -I -c "{program}"') == "b''\n"
    assert online.sh(f"{CURL} -o /dev/null -w '%{{http_code}}' http://e.test/") == "200"


def test_a_want_of_descriptors_closes_no_door_for_good(online: Box, engine: EngineProcess) -> None:
    assert engine.process is not None
    process = engine.process.pid
    before = resource.prlimit(process, resource.RLIMIT_NOFILE)
    open_now = len(os.listdir(f"/proc/{process}/fd"))
    resource.prlimit(process, resource.RLIMIT_NOFILE, (open_now + 60, before[1]))
    try:
        online.python(
            "import socket, time\n"
            "made = [socket.create_connection(('1.1.1.1', (80, 443)[n % 2]), 5) for n in range(120)]\n"
            "time.sleep(1)"
        )
    finally:
        resource.prlimit(process, resource.RLIMIT_NOFILE, before)
    for url in ("http://e.test/", "https://e.test/"):
        assert online.sh(f"{CURL} -o /dev/null -w '%{{http_code}}' {url}") == "200"


def test_who_does_not_hear_a_refusal_still_counts(online: Box, engine: EngineProcess) -> None:
    assert engine.process is not None
    before = len(os.listdir(f"/proc/{engine.process.pid}/fd"))
    program = (
        f"import os, socket, ssl\ncontext = ssl.create_default_context(cafile='{CA}'); made = []\n"
        "def is_open(one):\n"
        "    wire = socket.socket(fileno=os.dup(one.fileno())); wire.setblocking(False)\n"
        "    try:\n        while wire.recv(9999): pass\n"
        "    except BlockingIOError: return True\n"
        "    except OSError: pass\n"
        "    return False\n"
        "try:\n    for number in range(400):\n"
        "        one = socket.create_connection(('1.1.1.1', 443), 20)\n"
        "        made.append(context.wrap_socket(one, server_hostname='e.test'))\n"
        "        made[-1].sendall(b'GET http://e.test/ HTTP/1.1\\r\\nHost: e.test\\r\\n\\r\\n')\n"
        "except OSError: pass\n"
        "print(sum(map(is_open, made)), flush=True); input()"
    )
    done = online.exec("/usr/bin/python3", "-I", "-c", program, stdin="\n")
    # At once: on a busy machine the first are let go before the last come.
    assert int(done["stdout"]) <= 256, done
    wait_for(
        "the end of them",
        lambda: len(os.listdir(f"/proc/{engine.process.pid}/fd")) <= before + 5 if engine.process else False,
    )


def test_who_leaves_before_the_answer_leaves_no_trace(online: Box, engine: EngineProcess) -> None:
    before = engine.log()
    program = r"""
import socket, struct
upgrade = b'GET /%s HTTP/1.1\r\nHost: e.test\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'
for _ in range(30):
    s = socket.create_connection(('1.1.1.1', 80), 20)
    s.sendall(b'GET http://e.test/ HTTP/1.1\r\nHost: e.test\r\n\r\n')
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()
    s = socket.create_connection(('1.1.1.1', 80), 20)
    # Corked, the end comes with what it ends: after the answer, the second would be refused for what it is.
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    s.sendall(upgrade % b'one' + upgrade % b'two')
    s.shutdown(socket.SHUT_WR)
    print(b'/one' in b''.join(iter(lambda: s.recv(9999), b'')))
"""
    assert online.python(program) == "True\n" * 30
    assert engine.log() == before
