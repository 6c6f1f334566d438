"""HTTP as clients speak it, well and badly."""

import json
import socket
from pathlib import Path

import pytest

from tests.unit.container.computer import Computer, fresh_id, start, until

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


def post(order: bytes) -> bytes:
    return b"POST /commands HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(order) + order


def read_all(client: socket.socket) -> bytes:
    received = bytearray()
    while data := client.recv(65536):
        received += data
    client.close()
    return bytes(received)


def read_answers(client: socket.socket, count: int) -> bytes:
    received = bytearray()
    while received.count(b"HTTP/1.1 ") < count or not received.endswith(b"}"):
        data = client.recv(65536)
        assert data, bytes(received)
        received += data
    return bytes(received)


def test_health_names_the_service_and_its_start(computer: Computer) -> None:
    first, second = (computer.call("GET", "/health").json for _ in range(2))
    assert first == second
    assert first["service"] == "computerd"
    assert first["version"]
    assert len(first["boot"]) == 16


def test_each_start_has_a_boot_of_its_own(computer: Computer, own_folder: Path) -> None:
    other = start(own_folder)
    boots = {c.call("GET", "/health").json["boot"] for c in (computer, other)}
    assert len(boots) == 2
    assert other.stop() == 0


def test_one_connection_serves_many_requests(computer: Computer) -> None:
    connection = computer.connect()
    for number in range(3):
        connection.request("POST", "/commands", json.dumps({"id": fresh_id(), "command": f"echo {number}"}))
        assert f'"{number}\\n"' in connection.getresponse().read().decode()
    connection.close()


def test_requests_sent_together_are_answered_in_order(computer: Computer) -> None:
    client = computer.raw(HEALTH + b"GET /commands HTTP/1.1\r\nHost: x\r\n\r\n" + HEALTH)
    answers = read_answers(client, 3).split(b"HTTP/1.1 ")[1:]
    client.close()
    assert [b"boot" in answer for answer in answers] == [True, False, True]


def test_an_idle_connection_outlives_the_deadlines_of_others(hasty: Computer) -> None:
    idle = hasty.raw(HEALTH)
    read_answers(idle, 1)
    fresh = hasty.raw()
    slow = hasty.raw(b"GET /health HTTP/1.1\r\n")
    assert read_all(slow) == b""
    for client in (idle, fresh):
        client.sendall(HEALTH)
        assert b"200 OK" in read_answers(client, 1)
        client.close()


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
        b"POST /commands HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /commands HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /commands HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_is_no_http_is_answered_with_400_and_closed(computer: Computer, data: bytes) -> None:
    answer = read_all(computer.raw(data + HEALTH))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"Connection: close" in answer
    assert b"computerd" not in answer


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/commands/x/y", 404, "not_found"),
        ("GET", "/files", 404, "not_found"),
        ("POST", "/health", 405, "invalid_request"),
        ("DELETE", "/commands", 405, "invalid_request"),
        ("GET", "/commands/a%20b", 400, "invalid_request"),
        ("GET", "/commands/%zz", 400, "invalid_request"),
    ],
)
def test_paths_and_methods_that_are_not_there(
    computer: Computer, method: str, path: str, status: int, code: str
) -> None:
    answer = computer.call(method, path)
    assert (answer.status, answer.json["code"]) == (status, code)


def test_head_has_no_body(computer: Computer) -> None:
    answer = read_all(computer.raw(HEALTH.replace(b"GET", b"HEAD")))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 405")
    assert body == b""


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b'{"id":1}', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_order_is_refused_and_the_connection_lives(computer: Computer, body: bytes) -> None:
    client = computer.raw(b"POST /commands HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert b"400 Bad Request" in read_answers(client, 1)
    client.sendall(HEALTH)
    assert b"200 OK" in read_answers(client, 1)
    client.close()


def test_a_body_over_its_limit_is_refused_unread(computer: Computer) -> None:
    client = computer.raw(b"POST /commands HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")
    answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"Connection: close" in answer


def test_a_refusal_reaches_a_client_that_is_still_sending(hasty: Computer) -> None:
    answer = hasty.call("PUT", "/files/content?path=big", b"x" * 5_000_000)
    assert (answer.status, answer.json["code"]) == (413, "upload_too_large")
    assert not (hasty.workspace / "big").exists()


def test_a_body_in_chunks_is_put_together(computer: Computer) -> None:
    order = json.dumps({"id": fresh_id(), "command": "echo chunked"}).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in order) + b"0\r\nTrailer: x\r\n\r\n"
    client = computer.raw(b"POST /commands HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + HEALTH)
    received = bytearray()
    while b"computerd" not in received:
        received += client.recv(65536)
    client.close()
    assert b"chunked\\n" in received


def test_a_client_that_asks_first_is_told_to_go_on(computer: Computer) -> None:
    client = computer.raw(
        b"PUT /files/content?path=asked HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    )
    assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.sendall(b"ok")
    assert b"200 OK" in client.recv(1000)
    client.close()
    assert (computer.workspace / "asked").read_bytes() == b"ok"


def test_an_old_client_gets_no_chunks(computer: Computer) -> None:
    order = json.dumps({"id": fresh_id(), "command": "echo old"}).encode()
    answer = read_all(computer.raw(post(order).replace(b"HTTP/1.1", b"HTTP/1.0")))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"chunked" not in head
    kinds = [json.loads(line)["type"] for line in body.splitlines()]
    assert kinds == ["started", "output", "exited"]


def test_a_head_that_does_not_end_is_dropped_and_others_are_served(hasty: Computer) -> None:
    client = hasty.raw(b"GET /health HTTP/1.1\r\n")
    assert hasty.call("GET", "/health").status == 200
    assert read_all(client) == b""


def test_a_head_that_drips_is_dropped_all_the_same(hasty: Computer) -> None:
    client = hasty.raw(b"GET /health HTTP/1.1\r\n")
    client.settimeout(0.05)
    sent = 0
    while sent < 1000:
        client.sendall(b"A: b\r\n") if sent < 20 else None
        sent += 1
        try:
            assert client.recv(100) == b""
        except TimeoutError:
            continue
        except ConnectionResetError:
            pass
        break
    client.close()
    assert sent < 1000


def test_a_body_that_stops_is_dropped(hasty: Computer) -> None:
    client = hasty.raw(b"PUT /files/content?path=never HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc")
    assert read_all(client) == b""
    assert not (hasty.workspace / "never").exists()


def test_a_reader_who_never_reads_is_dropped(hasty: Computer) -> None:
    order = json.dumps({"id": fresh_id(), "command": "yes", "timeout_s": 2}).encode()
    client = hasty.raw(post(order))
    until(lambda: bool(hasty.call("GET", "/commands").json["running"]))
    until(lambda: not hasty.call("GET", "/commands").json["running"])
    received = read_all(client)
    assert not received.endswith(b"0\r\n\r\n")


def test_a_client_that_goes_in_the_middle_of_a_body_leaves_nothing(computer: Computer) -> None:
    client = computer.raw(b"PUT /files/content?path=half HTTP/1.1\r\nContent-Length: 1000\r\n\r\nabc")
    client.close()
    folder = computer.workspace / ".berth/tmp"
    until(lambda: not list(folder.iterdir()) if folder.exists() else True)
    assert not (computer.workspace / "half").exists()


def test_a_crowd_of_idle_connections_shuts_nobody_out(hasty: Computer) -> None:
    clients = [hasty.raw() for _ in range(30)]
    assert hasty.run("echo served").text == "served\n"
    assert hasty.call("GET", "/health").status == 200
    for client in clients:
        client.close()


def test_an_answer_leaves_in_one_write(computer: Computer) -> None:
    client = computer.raw(HEALTH)
    first = client.recv(65536)
    client.close()
    assert first.endswith(b"}")


def test_the_first_frame_comes_with_the_head(computer: Computer) -> None:
    order = json.dumps({"id": fresh_id(), "command": "sleep 0.2"}).encode()
    client = computer.raw(post(order))
    first = client.recv(65536)
    client.close()
    assert b"200 OK" in first
    assert b'"started"' in first


def test_it_ends_in_order_when_asked_to(own_folder: Path) -> None:
    computer = start(own_folder)
    frames = computer.open("sleep 309")
    next(frames)
    assert computer.stop() == 0


def test_an_option_that_makes_no_sense_ends_it_at_once(own_folder: Path) -> None:
    with pytest.raises(AssertionError, match="did not start"):
        start(own_folder, "--nonsense", "1")
