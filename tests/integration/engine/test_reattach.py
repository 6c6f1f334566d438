"""workerd dies and another one takes over the computers that went on running."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine.rigging import IMAGE, Docker, Rig, wait_for

CURL = "curl -sS --max-time 100 --cacert /etc/cloudflare/certs/cloudflare-containers-ca.crt "


@pytest.fixture
def own_rig(engine_socket: Path, tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(engine_socket, tmp_path).start()
    yield rig
    if rig.process is not None:
        rig.stop()


def test_a_new_workerd_finds_the_computer_running_and_its_egress_works_again(own_rig: Rig) -> None:
    box = own_rig.box("survivor")
    box.call("intercept", owner="before")
    box.start()
    boot = box.fetch("/boot")["text"]
    box.sh("echo kept > /tmp/in-memory")

    own_rig.kill()
    own_rig.start()

    assert box.call("state") == {"running": True}
    assert box.fetch("/boot")["text"] == boot
    assert box.sh("cat /tmp/in-memory") == "kept\n"
    assert "berth: " in box.sh(f"{CURL} http://e.test/")

    box.call("intercept", owner="after")
    for scheme in ("http", "https"):
        seen = json.loads(box.sh(f"{CURL} {scheme}://e.test/"))
        assert seen["props"] == {"owner": "after"}
    assert box.call("destroy") == {"running": False}


def test_a_computer_that_ended_meanwhile_is_seen_as_ended_and_can_start(own_rig: Rig, docker: Docker) -> None:
    box = own_rig.box("lost")
    box.start()
    own_rig.kill()
    running = docker.get("/containers/json")
    mine = [found["Id"] for found in running if found["Image"] == IMAGE]
    for container in mine:
        docker.post(f"/containers/{container}/kill?signal=SIGKILL")
    wait_for("their end", lambda: not {found["Id"] for found in docker.get("/containers/json")} & {*mine})
    own_rig.start()
    assert box.call("state") == {"running": False}
    box.start()
    assert box.call("destroy") == {"running": False}


def test_workerd_alone_is_started_again_by_its_supervisor_and_keeps_the_computer(own_rig: Rig) -> None:
    box = own_rig.box("kept")
    box.call("intercept", owner="before")
    box.start()
    boot = box.fetch("/boot")["text"]
    own_rig.kill_workerd()
    assert wait_for("workerd to be back", lambda: own_rig.answers(box)) == {"running": True}
    assert box.fetch("/boot")["text"] == boot
    box.call("intercept", owner="after")
    assert json.loads(box.sh(f"{CURL} https://e.test/"))["props"] == {"owner": "after"}
    assert box.call("destroy") == {"running": False}
