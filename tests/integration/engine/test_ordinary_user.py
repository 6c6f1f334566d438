"""The engine of an ordinary user: no users to give, no cgroups, and the same walls."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine.rigging import ROOT, Box, EngineProcess, Rig

NOBODY = 65534
PYTHON = "/usr/bin/python3"


@pytest.fixture
def box(short_folder: Path, tmp_path: Path) -> Iterator[Box]:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")
    if Path(PYTHON).resolve().name != f"python3.{sys.version_info.minor}":
        pytest.skip("the system's Python is another one than that of the tests")
    folder = short_folder / os.urandom(3).hex()
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    path = f"PYTHONPATH={ROOT}:{sysconfig.get_path('purelib')}"
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    engine = EngineProcess(folder, python=(*user, "env", path, "PYTHONDONTWRITEBYTECODE=1", PYTHON)).start()
    rig = Rig(engine.socket, tmp_path).start()
    yield rig.box("ordinary")
    rig.stop()
    assert engine.stop() == 0


def test_it_runs_a_computer_with_network_exec_and_snapshots(box: Box) -> None:
    box.call("intercept", owner="me")
    box.start()
    assert box.sh("id -u; grep CapEff /proc/self/status; touch /etc/x").split()[:3] == [
        "1000",
        "CapEff:",
        "0" * 16,
    ]
    for options in ("", "--noproxy '*'"):
        assert '"url":"http://e.test/"' in box.sh(f"curl -sS {options} http://e.test/")
    assert box.request("POST", "/echo", b"x" * 1_000_000) == (200, b"x" * 1_000_000)
    for _ in range(100):
        assert box.fetch("/boot")["status"] == 200
    box.sh("echo kept > /workspace/f; chmod 000 /workspace/f")
    snapshot = box.call("snapshot")
    box.call("destroy")
    box.start(containerSnapshot=snapshot)
    assert box.sh("chmod 600 /workspace/f; cat /workspace/f") == "kept\n"
    box.call("destroy")


def test_its_limits_are_by_process(box: Box) -> None:
    box.start()
    assert box.sh("ulimit -u; ulimit -d; ulimit -c").split() == ["1024", str(4 << 20), "0"]
    assert "MemoryError" in box.python("bytearray(8 << 30)")
    box.call("destroy")
