"""Two deployments at once in one folder: the second is told, and a dead one holds up nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.deploy.turn import alone
from local.launcher.errors import LauncherError

HOLD = """
import sys, pathlib
from local.deploy.turn import alone
with alone(pathlib.Path(sys.argv[1])):
    print("in", flush=True)
    input()
"""


def test_the_second_waits_for_nobody_and_is_told(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(LauncherError, match="another"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass


def test_one_that_was_killed_lets_go(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in\n"
        with pytest.raises(LauncherError, match="another"), alone(tmp_path):
            pass
        other.kill()
        other.wait()
        with alone(tmp_path):
            pass
