"""The computer's own service as the engine starts it: pid 1, reached through workerd, kept by the object."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.engine.conftest import SERVICE
from tests.integration.engine.rigging import Box, Docker, EngineProcess, OperationError, Rig, wait_for

NewBox = Callable[[], Box]
pytestmark = pytest.mark.usefixtures("engine")


def healthy(box: Box) -> bool:
    try:
        return bool(box.fetch("/health")["status"] == 200)
    except OperationError:
        return False


def command(box: Box, identity: str, text: str) -> list[dict[str, object]]:
    """Run a command in the service and return its frames."""
    body = json.dumps({"id": identity, "command": text, "timeout_s": 60}).encode()
    status, answer = box.request("POST", "/commands", body)
    assert status == 200, answer
    return [json.loads(line) for line in answer.splitlines()]


def text_of(frames: list[dict[str, object]]) -> str:
    return "".join(str(frame["text"]) for frame in frames if frame["type"] == "output")


def identities(docker: Docker) -> set[str]:
    return {str(container["Id"]) for container in docker.get("/containers/json")}


def test_the_service_is_the_first_process_and_runs_commands(new_box: NewBox) -> None:
    box = new_box()
    box.call("intercept", owner="me")
    box.call("start", enableInternet=False, env={"BERTH_NETWORK": "testnet"})
    wait_for("the service", lambda: healthy(box))
    frames = command(
        box, "one", "id -u; tr '\\0' ' ' < /proc/1/cmdline; curl -sS https://e.test/ && echo $BERTH_NETWORK"
    )
    found = text_of(frames)
    assert found.startswith("1000\n/usr/bin/python3 -I -B /opt/berth/computerd ")
    assert '"url":"https://e.test/"' in found
    assert found.endswith("testnet\n")
    assert frames[-1]["exit_code"] == 0


def test_an_object_that_wishes_so_keeps_its_computer_while_it_sleeps(new_box: NewBox, docker: Docker) -> None:
    """Without the wish workerd removes the computer when it drops the idle object."""
    keeper = new_box().start()
    boot = keeper.fetch("/boot")["text"]
    before = identities(docker)
    careless = new_box().start(keep=False)
    its_own = identities(docker) - before
    wait_for("the careless object's computer to go", lambda: its_own.isdisjoint(identities(docker)))
    assert keeper.fetch("/boot")["text"] == boot
    assert careless.call("state") == {"running": False}


@pytest.fixture
def unsandboxed(short_folder: Path, tmp_path: Path) -> Iterator[Box]:
    folder = short_folder / "plain"
    folder.mkdir()
    engine = EngineProcess(folder, (*SERVICE, "--unsandboxed")).start()
    rig = Rig(engine.socket, tmp_path).start()
    yield rig.box("plain")
    rig.stop()
    assert engine.stop() == 0


def test_without_a_sandbox_the_same_service_runs_and_its_requests_are_intercepted(unsandboxed: Box) -> None:
    box = unsandboxed
    box.call("intercept", owner="me")
    box.call("start", enableInternet=False)
    wait_for("the service", lambda: healthy(box))
    found = text_of(command(box, "one", "pwd; curl -sS http://e.test/"))
    assert "/fs/workspace\n" in found
    assert '"url":"http://e.test/"' in found
    box.call("destroy")
