"""The engine as a program: how it starts, what it refuses, how it ends and how it follows a crash."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine.rigging import DEADLINE_SECONDS, ROOT, SERVER, Docker, EngineProcess, wait_for

SLEEP = {"Image": "image", "Cmd": ["/bin/sleep", "6000"]}


@pytest.fixture
def own_engine(short_folder: Path) -> Iterator[EngineProcess]:
    folder = short_folder / os.urandom(3).hex()
    folder.mkdir()
    engine = EngineProcess(folder)
    yield engine
    if engine.process is not None:
        engine.stop()


def start_sleeper(engine: EngineProcess, name: str = "one") -> int:
    docker = Docker(engine.socket)
    docker.post(f"/containers/create?name={name}", SLEEP)
    docker.post(f"/containers/{name}/start")
    return int(docker.get(f"/containers/{name}/json")["State"]["Pid"])


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def tcp(port: int, request: str) -> bytes:
    """Send a request to a port of this machine and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), DEADLINE_SECONDS) as connection:
        connection.sendall(request.encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "local.engine", *options]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )


def test_the_probe_tells_what_this_machine_allows() -> None:
    found = json.loads(run("--probe").stdout)
    assert found["namespaces"] is True
    assert found["limits"] in ("cgroup-v2", "cgroup-v1", "rlimits")
    assert found["as_root"] is (os.geteuid() == 0)


def test_a_socket_path_that_the_kernel_cannot_hold_is_refused(tmp_path: Path) -> None:
    done = run("--socket", str(tmp_path / ("s" * 100)), "--state", str(tmp_path / "state"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "over 107 bytes" in done.stderr


def test_a_second_engine_on_the_same_state_is_refused(own_engine: EngineProcess) -> None:
    own_engine.start()
    done = run("--socket", str(own_engine.folder / "other.sock"), "--state", str(own_engine.state))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "another engine is using" in done.stderr


def test_a_missing_computer_program_is_refused(tmp_path: Path) -> None:
    done = run("--socket", str(tmp_path / "s"), "--state", str(tmp_path / "t"), "--computer", "/nowhere")
    assert done.returncode == 1
    assert "/nowhere" in done.stderr


def test_without_bubblewrap_it_says_so_in_one_sentence(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "local.engine",
        "--socket",
        str(tmp_path / "s"),
        "--state",
        str(tmp_path / "state"),
    ]
    environment = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "bubblewrap is missing" in done.stderr
    assert EngineProcess(tmp_path).groups() == []


def test_sigterm_stops_every_computer_and_leaves_only_what_is_kept(own_engine: EngineProcess) -> None:
    own_engine.start()
    processes = [start_sleeper(own_engine, name) for name in ("one", "two")]
    Docker(own_engine.socket).post("/commit?container=one&repo=workerd-container-snap-x")
    assert own_engine.stop() == 0
    assert all(gone(process) for process in processes)
    assert not own_engine.socket.exists()
    assert [len(list((own_engine.state / name).iterdir())) for name in "cti"] == [0, 0, 1]
    assert own_engine.groups() == []


def test_what_a_killed_engine_left_is_killed_and_removed_by_the_next(own_engine: EngineProcess) -> None:
    own_engine.start()
    process = start_sleeper(own_engine)
    Docker(own_engine.socket).post("/commit?container=one&repo=workerd-container-snap-x")
    identity = Docker(own_engine.socket).get("/containers/one/json")["Id"]
    assert own_engine.groups(identity[:10])
    own_engine.kill()
    own_engine.start()
    wait_for("the end of the old computer", lambda: gone(process))
    assert list((own_engine.state / "c").iterdir()) == []
    assert own_engine.groups(identity[:10]) == []
    docker = Docker(own_engine.socket)
    assert docker.get("/containers/json?all=true") == []
    assert docker.get("/images/workerd-container-snap-x/json")["Size"] > 0


def test_a_process_that_has_the_id_of_an_old_one_is_left_alone(own_engine: EngineProcess) -> None:
    own_engine.start()
    own_engine.kill()
    folder = own_engine.state / "c" / "old"
    folder.mkdir()
    with subprocess.Popen(["/bin/sleep", "600"]) as bystander:
        (folder / "process").write_text(f"{bystander.pid} 1")
        own_engine.start()
        assert not folder.exists()
        assert bystander.poll() is None
        bystander.kill()


def test_a_killed_engine_takes_its_computers_with_it(own_engine: EngineProcess) -> None:
    own_engine.start()
    process = start_sleeper(own_engine)
    own_engine.kill()
    wait_for("the end of the computer", lambda: gone(process))


def test_without_a_sandbox_the_same_api_runs_plain_processes(own_engine: EngineProcess) -> None:
    own_engine.options = ("--unsandboxed",)
    own_engine.start()
    docker = Docker(own_engine.socket)
    docker.post("/containers/create?name=p-proxy", {"Image": "egress", "Cmd": ["--http-egress-port", "1"]})
    docker.post("/containers/p-proxy/start")
    spec = {"Image": "i", "Cmd": SERVER, "HostConfig": {"NetworkMode": "container:p-proxy"}}
    docker.post("/containers/create?name=p", spec)
    docker.post("/containers/p/start")
    port = docker.get("/containers/p-proxy/json")["NetworkSettings"]["Ports"]["39001/tcp"][0]["HostPort"]
    request = "CONNECT 127.0.0.1:8080 HTTP/1.1\r\n\r\nGET /boot HTTP/1.1\r\nhost: x\r\n\r\n"

    def asked() -> bytes | None:
        answer = tcp(int(port), request)
        return answer if answer.startswith(b"HTTP/1.1 200") else None

    assert b'"boot"' in wait_for("the server", asked)
    process = docker.get("/containers/p/json")["State"]["Pid"]
    docker.post("/commit?container=p&repo=workerd-container-snap-p")
    assert own_engine.stop() == 0
    assert gone(process)


def test_an_image_is_the_whole_system_but_for_accounts_and_secrets(own_engine: EngineProcess) -> None:
    """The host's own root stands in for a built one: it has all the parts of a system."""
    own_engine.options = ("--image-root", "/")
    own_engine.start()
    docker = Docker(own_engine.socket)
    script = "test -d /usr/local/bin && test ! -w /var && test ! -e /etc/shadow && echo x > /var/tmp/f"
    docker.post("/containers/create?name=i", {"Image": "i", "Cmd": ["/bin/sh", "-c", script]})
    docker.post("/containers/i/start")
    assert docker.post("/containers/i/wait") == {"StatusCode": 0}
