"""A computer that runs wild: it is stopped at its limits and nobody else notices."""

import json
from collections.abc import Callable

import pytest

from tests.integration.engine.conftest import numbers
from tests.integration.engine.rigging import Box, Docker, EngineProcess, wait_for

NewBox = Callable[[], Box]


@pytest.fixture(autouse=True)
def limited(engine: EngineProcess) -> None:
    assert engine.process is not None
    if "rlimits" in engine.banner:
        pytest.skip("no cgroup is writable here")


def test_a_fork_bomb_stays_inside(new_box: NewBox) -> None:
    box, neighbour = new_box().start(), new_box().start()
    box.exec("/bin/bash", "-c", "(b() { b | b & }; b) >/dev/null 2>&1 </dev/null & sleep 1")
    assert neighbour.sh("for i in 1 2 3; do /bin/true & done; wait; echo fine") == "fine\n"
    assert box.fetch("/boot")["status"] == 200
    assert box.call("destroy") == {"running": False}


def test_the_number_of_processes_is_limited(new_box: NewBox) -> None:
    box = new_box().start()
    assert "Resource temporarily unavailable" in box.sh("for i in $(seq 100); do sleep 20 & done 2>&1")


def test_a_memory_hog_is_killed_alone(new_box: NewBox) -> None:
    box, neighbour = new_box().start(), new_box().start()
    done = box.exec("/usr/bin/python3", "-c", "x = bytearray(1 << 30); x[::4096] = b'x' * len(x[::4096])")
    assert done["exit"] == 137
    assert box.fetch("/boot")["status"] == 200
    assert neighbour.fetch("/boot")["status"] == 200


def test_files_in_tmp_count_as_memory(new_box: NewBox) -> None:
    box = new_box().start()
    assert "No space left" in box.sh("head -c 64M /dev/zero > /dev/shm/big")


def test_the_computer_may_make_groups_for_its_commands_but_not_lift_its_limits(new_box: NewBox) -> None:
    box = new_box().start()
    found = box.sh(
        "for kind in pids unified; do d=/run/berth/cgroup/$kind; if [ -d $d ]; then"
        " mkdir $d/one && (echo $BASHPID > $d/one/cgroup.procs && grep -c /one$ /proc/self/cgroup);"
        " rmdir $d/one || echo left;"
        " fi; done"
    )
    assert set(found.split()) == {"1"}
    refused = box.sh(
        "echo max > /run/berth/cgroup/pids/pids.max; echo -1 > /run/berth/cgroup/memory/memory.limit_in_bytes"
    )
    assert "Permission denied" in refused or "Read-only" in refused


def test_the_end_for_want_of_memory_is_told(docker: Docker) -> None:
    name = f"hog{next(numbers)}"
    hog = "x = bytearray(1 << 30); x[::4096] = b'x' * len(x[::4096])"
    docker.post(f"/containers/create?name={name}", {"Image": "i", "Cmd": ["/usr/bin/python3", "-c", hog]})
    docker.post(f"/containers/{name}/start")
    assert docker.post(f"/containers/{name}/wait") == {"StatusCode": 137}
    assert docker.get(f"/containers/{name}/json")["State"]["OOMKilled"] is True
    docker.call("DELETE", f"/containers/{name}?force=true")


def test_after_a_computer_is_gone_its_groups_are_gone(docker: Docker, engine: EngineProcess) -> None:
    name = f"short{next(numbers)}"
    docker.post(f"/containers/create?name={name}", {"Image": "i", "Cmd": ["/bin/sleep", "600"]})
    docker.post(f"/containers/{name}/start")
    identity = json.loads(docker.call("GET", f"/containers/{name}/json")[1])["Id"][:10]
    assert engine.groups(identity)
    docker.call("DELETE", f"/containers/{name}?force=true")
    wait_for("the groups to go", lambda: not engine.groups(identity))
