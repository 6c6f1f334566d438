"""The engine's socket without workerd: what is odd, malformed or hostile gets Docker's JSON errors."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.engine.conftest import numbers
from tests.integration.engine.rigging import Docker, EngineProcess, wait_for

pytestmark = pytest.mark.usefixtures("engine")
SLEEP = {"Image": "image", "Cmd": ["/bin/sleep", "6000"]}


@pytest.fixture
def sleeper(docker: Docker) -> Iterator[str]:
    name = f"sleeper{next(numbers)}"
    docker.post(f"/containers/create?name={name}", SLEEP)
    docker.post(f"/containers/{name}/start")
    yield name
    docker.call("DELETE", f"/containers/{name}?force=true")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nope", None, 404),
        ("GET", "/containers/none/json", None, 404),
        ("POST", "/containers/none/start", None, 404),
        ("DELETE", "/containers/none?force=true", None, 404),
        ("POST", "/containers/none/wait?condition=removed", None, 404),
        ("POST", "/containers/create?name=x", b"{", 400),
        ("POST", "/containers/create?name=x", [], 400),
        ("POST", "/containers/create?name=x", {"Image": "workerd-container-snap-none"}, 404),
        (
            "POST",
            "/containers/create?name=x",
            {"Image": "i", "HostConfig": {"Binds": ["/etc:/workspace"]}},
            404,
        ),
        ("POST", "/containers/create?name=x", {"Image": "i", "HostConfig": {"Binds": ["v:/etc"]}}, 400),
        ("POST", "/containers/create?name=" + "x" * 300, {"Image": "i"}, 400),
        ("GET", "/images/sha256:0000/json", None, 404),
        ("DELETE", "/images/workerd-container-snap-none", None, 404),
        ("GET", "/volumes/none", None, 404),
        ("DELETE", "/volumes/none", None, 404),
        ("GET", "/volumes?filters=x", None, 400),
        ("GET", "/exec/none/json", None, 404),
        ("POST", "/commit?container=none&repo=x", None, 404),
    ],
)
def test_an_error_has_its_status_and_a_message(
    docker: Docker, method: str, path: str, body: Any, status: int
) -> None:
    found, answer = docker.call(method, path, body)
    assert (found, list(json.loads(answer))) == (status, ["message"])


@pytest.mark.parametrize(
    "data", [b"\0\0\0\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\xff" * 100000]
)
def test_what_is_not_http_is_refused(docker: Docker, data: bytes) -> None:
    assert docker.raw(data).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("name", ["../../../../tmp/x", "a/b", "/lead", "..", "a b", "%2e%2e%2f"])
def test_a_name_is_never_a_path(docker: Docker, engine: EngineProcess, name: str) -> None:
    before = sorted(path.name for path in engine.state.iterdir())
    quoted = name.replace("%", "%25").replace("/", "%2F").replace(" ", "%20")
    status, answer = docker.call("POST", f"/containers/create?name={quoted}", SLEEP)
    assert status == 201
    docker.post("/volumes/create", {"Name": name})
    assert docker.get(f"/volumes/{quoted}")["Name"] == name
    assert sorted(path.name for path in engine.state.iterdir()) == before
    assert docker.call("DELETE", f"/volumes/{quoted}")[0] == 204
    assert docker.call("DELETE", f"/containers/{json.loads(answer)['Id']}")[0] == 204


@pytest.mark.parametrize(
    "path",
    ["/etc/.", "/", "/workspace/../../etc", "workspace", "/proc/1", "/tmp", "/home", "/workspace/none/."],
)
def test_only_what_is_kept_can_be_carried_out(docker: Docker, sleeper: str, path: str) -> None:
    status, _ = docker.call("GET", f"/containers/{sleeper}/archive?path={path}")
    assert status in (400, 404)


@pytest.mark.parametrize("path", ["/usr", "/etc/ssl", "/", "/workspace/none", "/proc"])
def test_only_what_is_kept_can_be_written(docker: Docker, sleeper: str, path: str) -> None:
    status, _ = docker.call("PUT", f"/containers/{sleeper}/archive?path={path}", bytes(10240))
    assert status in (400, 404)


def test_a_broken_archive_is_an_error_with_tars_words(docker: Docker, sleeper: str) -> None:
    status, answer = docker.call("PUT", f"/containers/{sleeper}/archive?path=/workspace", b"no tar" * 1000)
    assert status == 500
    assert b"tar" in answer


def test_states_have_docker_s_codes(docker: Docker, sleeper: str) -> None:
    assert docker.call("POST", f"/containers/create?name={sleeper}", SLEEP)[0] == 409
    assert docker.call("POST", f"/containers/{sleeper}/start", b"")[0] == 304
    assert docker.call("DELETE", f"/containers/{sleeper}")[0] == 400
    assert docker.call("POST", f"/containers/{sleeper}/kill?signal=SIGNONE")[0] == 400
    assert docker.call("POST", f"/containers/{sleeper}/stop?t=0")[0] == 204
    assert docker.call("POST", f"/containers/{sleeper}/stop")[0] == 304
    assert docker.call("POST", f"/containers/{sleeper}/kill")[0] == 409
    assert docker.post(f"/containers/{sleeper}/wait") == {"StatusCode": 137}


def test_a_command_that_is_not_there_fails_the_start_with_its_words(docker: Docker) -> None:
    name = f"missing{next(numbers)}"
    docker.post(f"/containers/create?name={name}", {"Image": "i", "Cmd": ["/nowhere"]})
    docker.post(f"/containers/{name}/start")
    assert docker.post(f"/containers/{name}/wait")["StatusCode"] != 0
    docker.call("DELETE", f"/containers/{name}?force=true")


def test_a_program_gets_its_three_standard_streams_and_no_other_descriptor(docker: Docker) -> None:
    name = f"bare{next(numbers)}"
    program = "import os; os._exit(len([n for n in os.listdir('/proc/self/fd') if int(n) > 2]))"
    command = ["/usr/bin/python3", "-I", "-c", program]
    docker.post(f"/containers/create?name={name}", {"Image": "i", "Cmd": command})
    docker.post(f"/containers/{name}/start")
    # One is the listing itself.
    assert docker.post(f"/containers/{name}/wait") == {"StatusCode": 1}
    docker.call("DELETE", f"/containers/{name}?force=true")


def test_volumes_are_listed_by_name_and_by_label(docker: Docker) -> None:
    # Letters that no name has which workerd makes: those are hexadecimal.
    for name, label in (("workerd-snap-x", "one"), ("workerd-snap-y", "two")):
        docker.post("/volumes/create", {"Name": name, "Labels": {"session": label}})
    query = "%7B%22label%22%3A%5B%22session%3Done%22%5D%7D"
    assert [v["Name"] for v in docker.get(f"/volumes?filters={query}")["Volumes"]] == ["workerd-snap-x"]
    query = "%7B%22name%22%3A%5B%22snap-y%22%5D%7D"
    assert [v["Name"] for v in docker.get(f"/volumes?filters={query}")["Volumes"]] == ["workerd-snap-y"]
    for name in ("workerd-snap-x", "workerd-snap-y"):
        assert docker.call("DELETE", f"/volumes/{name}")[0] == 204


def test_an_exec_needs_a_command_and_has_one_user(docker: Docker, sleeper: str) -> None:
    assert docker.call("POST", f"/containers/{sleeper}/exec", {"Cmd": []})[0] == 400
    assert docker.call("POST", f"/containers/{sleeper}/exec", {"Cmd": ["id"], "User": "root"})[0] == 501


def test_a_detached_exec_runs_and_can_be_asked_about(docker: Docker, sleeper: str) -> None:
    made = docker.post(f"/containers/{sleeper}/exec", {"Cmd": ["/bin/sh", "-c", "exit 4"]})["Id"]
    assert docker.get(f"/exec/{made}/json")["Running"] is False
    docker.post(f"/exec/{made}/start", {"Detach": True})
    wait_for("its end", lambda: docker.get(f"/exec/{made}/json")["ExitCode"] is not None)
    assert docker.get(f"/exec/{made}/json")["ExitCode"] == 4
    assert docker.call("POST", f"/exec/{made}/start", {"Detach": True})[0] == 304


def test_a_terminal_is_one_raw_stream_with_a_size(docker: Docker, sleeper: str) -> None:
    command = ["/bin/sh", "-c", "stty size; test -t 0 && echo terminal"]
    made = docker.post(f"/containers/{sleeper}/exec", {"Cmd": command, "Tty": True})["Id"]
    body = json.dumps({"Tty": True, "ConsoleSize": [33, 99]}).encode()
    head = f"POST /exec/{made}/start HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
    answer = docker.raw(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert answer.split(b"\r\n\r\n", 1)[1] == b"33 99\r\nterminal\r\n"


def test_the_end_of_a_container_is_an_event(docker: Docker) -> None:
    name = f"short{next(numbers)}"
    docker.post(f"/containers/create?name={name}", {"Image": "i", "Cmd": ["/bin/sh", "-c", "read x; exit"]})
    with docker.streaming("GET", "/events") as lines:
        docker.post(f"/containers/{name}/start")
        # Other computers of the same engine may begin and end meanwhile.
        ours = (event["Action"] for event in lines if event["Actor"]["Attributes"]["name"] == name)
        seen = [next(ours), next(ours)]
    assert seen == ["start", "die"]
    docker.call("DELETE", f"/containers/{name}?force=true")
