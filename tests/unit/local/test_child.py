"""A child process: its lines, its log, its end."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.child import Child, ChildError

Start = Callable[[str], Child]
PATIENT = 20.0


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Child] = []

    def run(script: str) -> Child:
        child = Child("the child", [sys.executable, "-uc", script], log=tmp_path / "log")
        started.append(child)
        return child

    yield run
    for child in started:
        child.kill()


def _deadline() -> float:
    return time.monotonic() + PATIENT


def _gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(") ")[2].startswith("Z")


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = _deadline()
    while not condition():
        assert time.monotonic() < deadline, "the awaited condition did not come true"
        time.sleep(0.01)


def test_lines_come_one_by_one(start: Start) -> None:
    child = start("print('one'); print('two'); input()")
    assert child.next_line(_deadline()) == "one"
    assert child.next_line(_deadline()) == "two"


def test_child_that_ends_says_how(start: Start) -> None:
    with pytest.raises(ChildError, match="the child ended with exit code 7"):
        start("raise SystemExit(7)").next_line(_deadline())


def test_child_that_stays_silent_is_not_waited_for_forever(start: Start) -> None:
    with pytest.raises(ChildError, match="did not answer in time"):
        start("input()").next_line(time.monotonic() + 0.01)


def test_what_it_says_on_standard_error_is_in_the_log(start: Start, tmp_path: Path) -> None:
    child = start("import sys; sys.stderr.write('trouble'); print('done'); input()")
    child.next_line(_deadline())
    child.stop()
    assert (tmp_path / "log").read_text() == "trouble"


def test_stop_lets_it_clean_up(start: Start, tmp_path: Path) -> None:
    child = start(
        "import signal, sys\n"
        "def clean(*_):\n    sys.stderr.write('cleaned'); sys.exit()\n"
        "signal.signal(signal.SIGTERM, clean); print('ready'); signal.pause()"
    )
    child.next_line(_deadline())
    child.stop()
    assert (tmp_path / "log").read_text() == "cleaned"
    assert not child.running


def test_child_that_ignores_the_request_is_killed(start: Start) -> None:
    script = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); signal.pause()"
    child = start(script)
    child.next_line(_deadline())
    child.stop(grace_seconds=0.05)
    assert not child.running


def test_what_it_started_ends_with_it(start: Start) -> None:
    child = start(
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE).pid); input()"
    )
    grandchild = int(child.next_line(_deadline()))
    child.kill()
    _wait_until(lambda: _gone(grandchild))


def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from local.child import Child\n"
        f"child = Child('c', ['sleep', '600'], log=Path({str(tmp_path / 'log')!r}))\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        _wait_until(lambda: _gone(pid))
