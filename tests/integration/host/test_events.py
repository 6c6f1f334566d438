"""What outlives a request or comes without one: alarms, sockets, streams, work after the answer."""

import threading
from collections.abc import Iterator

import httpx
from websockets.sync.client import connect

from tests.integration.host.probe_host import DEADLINE_SECONDS, ProbeHost, until


def test_alarm_rings(probe: ProbeHost) -> None:
    probe.get("alarm", name="alarmed", ms=20)
    until(lambda: probe.get("notes", name="alarmed") == ["alarm"])


def test_socket_of_an_object_is_answered_and_its_end_is_told(probe: ProbeHost) -> None:
    address = f"{probe.url.replace('http', 'ws', 1)}/api/socket?name=talk"
    limit = DEADLINE_SECONDS
    with connect(address, open_timeout=limit) as first, connect(address, open_timeout=limit):
        first.send("one")
        assert first.recv(timeout=DEADLINE_SECONDS) == "2 open, got one"
        first.send("two")
        assert first.recv(timeout=DEADLINE_SECONDS) == "2 open, got two"
        first.close(code=4001)
        until(lambda: probe.get("notes", name="talk") == ["closed 4001"])


def test_part_of_a_response_arrives_before_the_rest_exists(probe: ProbeHost) -> None:
    with httpx.stream(
        "GET", f"{probe.url}/api/stream", params={"name": "source"}, timeout=DEADLINE_SECONDS
    ) as response:
        lines = response.iter_lines()
        assert next(lines) == "first"
        probe.get("release", name="source")
        assert next(lines) == "second"
        assert list(lines) == []


def test_part_of_a_request_is_read_before_the_rest_is_sent(probe: ProbeHost) -> None:
    def parts() -> Iterator[bytes]:
        yield b"12345"
        until(lambda: probe.get("notes", name="sink") == ["read 1"])
        yield b"123"

    response = httpx.post(
        f"{probe.url}/api/upload", params={"name": "sink"}, content=parts(), timeout=DEADLINE_SECONDS
    )
    assert response.json() == [5, 3]


def test_work_goes_on_after_the_answer(probe: ProbeHost) -> None:
    assert probe.get("later", name="late") == "answered"
    assert probe.get("notes", name="late") == []
    probe.get("release", name="late")
    until(lambda: probe.get("notes", name="late") == ["after the answer"])


def test_task_that_never_rests_leaves_room_for_others(probe: ProbeHost) -> None:
    answers = []
    spinning = threading.Thread(target=lambda: answers.append(probe.get("spin", name="busy")))
    spinning.start()
    probe.get("release", name="busy")
    spinning.join(timeout=DEADLINE_SECONDS)
    assert answers == [True]


def test_a_line_written_while_callbacks_wait_loses_none_of_them(probe: ProbeHost) -> None:
    """workerd runs microtasks when something is logged, and Python cannot be entered while it writes."""
    assert probe.get("say", name="talker", line="a line of the probe") == "a line of the probe"
    until(lambda: "a line of the probe" in probe.log_text())
