"""computerd as the first process of a real sandbox, as an unprivileged user."""

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from computerd import process_tree
from tests.unit.container.computer import SANDBOX_HOST_UID, Computer, fresh_id, start_sandboxed, until
from tests.unit.container.conftest import no_traceback, sandboxes_work

BOMB = ":(){ :|:& };:; sleep 60"
PIDS = Path("/sys/fs/cgroup/pids")
MEMORY = Path("/sys/fs/cgroup/memory")

needs_sandbox = pytest.mark.skipif(not sandboxes_work(), reason="this machine allows no sandboxes")


def test_a_command_has_no_rights(sandbox: Computer) -> None:
    ran = sandbox.run("id -u; id -un; grep CapEff /proc/self/status; cat /etc/shadow; touch /usr/x /etc/x")
    assert ran.stdout.split() == ["1000", "berth", "CapEff:", "0" * 16]
    assert ran.stderr.count("cannot") + ran.stderr.count("No such file") == 3


def test_a_command_sees_the_listed_variables_only(sandbox: Computer) -> None:
    lines = sandbox.run("env; tr '\\0' '\\n' < /proc/$PPID/environ; cat /proc/1/environ").text
    names = set(re.findall(r"(?m)^(\w+)=", lines))
    assert "BERTH_NETWORK=testnet" in lines
    assert names & {"PYTHONPATH", "LD_LIBRARY_PATH", "OLDPWD"} == set()
    assert lines.count("Permission denied") == 2


def test_nothing_of_computerd_is_open_to_a_command(sandbox: Computer) -> None:
    ran = sandbox.run("ls /proc/1/fd /proc/1/root /proc/1/cwd; cat /proc/1/mem; ls -l /proc/self/fd")
    assert ran.stderr.count("ermission denied") == 4
    assert len(re.findall(r"(?m)-> ", ran.stdout)) == 4


@pytest.mark.parametrize("number", ["TERM", "INT", "HUP", "STOP", "KILL", "QUIT", "TSTP", "USR1", "SEGV"])
def test_no_signal_from_inside_touches_computerd(sandbox: Computer, number: str) -> None:
    boot = sandbox.call("GET", "/health").json["boot"]
    assert sandbox.run(f"kill -{number} 1; echo sent").stdout == "sent\n"
    assert sandbox.run("echo alive").stdout == "alive\n"
    assert sandbox.call("GET", "/health").json["boot"] == boot


def test_killing_everything_ends_only_the_command(sandbox: Computer) -> None:
    for _ in range(20):
        ran = sandbox.run("kill -9 -1; sleep 60", timeout_s=30)
        assert (ran.exit["signal"], ran.exit["timed_out"]) == (9, False)
        assert sandbox.run("echo next").stdout == "next\n"
    lines = sandbox.run("ps -e -o stat=,comm=").stdout.splitlines()
    assert not [line for line in lines if line.startswith("Z") or "sleep" in line]


def test_orphans_are_buried_by_the_first_process(sandbox: Computer) -> None:
    for _ in range(20):
        assert sandbox.run("(setsid sleep 311 &); kill -9 $PPID; sleep 311; true").exit["signal"] == 9
    lines = sandbox.run("ps -e -o stat=,args=").stdout.splitlines()
    assert not [line for line in lines if line.startswith("Z") or "sleep 311" in line]


def test_a_bomb_is_ended_and_others_go_on(sandbox: Computer) -> None:
    check_bomb(sandbox)


def check_bomb(computer: Computer) -> None:
    script = "for i in 1 2 3 4 5; do /bin/true; sleep 0.3; done; echo through"
    with ThreadPoolExecutor(4) as pool:
        others = [pool.submit(computer.run, script) for _ in range(3)]
        bomb = pool.submit(computer.run, BOMB, 4)
        assert computer.put("during", b"x").status == 200
        assert [other.result().stdout for other in others] == ["through\n"] * 3
        end = bomb.result().exit
    assert end["timed_out"] or end["signal"] or end["exit_code"]
    assert computer.run("echo next").stdout == "next\n"
    assert len(computer.run("ps -e -o pid=").stdout.split()) < 15


def test_pip_installs_for_the_person_without_more_ado(sandbox: Computer, tmp_path: Path) -> None:
    project = sandbox.workspace / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text(
        '[project]\nname = "hello-berth"\nversion = "1"\nscripts = {hello-berth = "hello_berth:main"}\n'
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (project / "backend.py").write_text(BACKEND)
    script = "pip install --no-index --no-build-isolation ./project 2>&1 | tail -1; hello-berth"
    ran = sandbox.run(script, timeout_s=120)
    assert "Successfully installed hello-berth-1" in ran.stdout
    assert ran.stdout.endswith("hello from a package\n")


BACKEND = """
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "hello_berth-1-py3-none-any.whl"
    info = "hello_berth-1.dist-info"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr("hello_berth.py", "def main():\\n    print('hello from a package')\\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: hello-berth\\nVersion: 1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/entry_points.txt", "[console_scripts]\\nhello-berth = hello_berth:main\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""


@needs_sandbox
def test_the_memory_of_an_idle_computer_is_small(own_folder: Path) -> None:
    computer = start_sandboxed(own_folder)
    computer.run("true")
    pids = _below(computer.process.pid)
    assert len(pids) >= 2
    total = sum(_pss_kb(pid) for pid in [*pids, computer.process.pid])
    # The promise is 20 MB for one computer; a second warm supervisor is there right after a command.
    assert total < 20 * 1024
    computer.stop()


def _below(pid: int) -> list[int]:
    # By the tree: the ids of processes begin again, so a child may have a lower one than its parent.
    return process_tree.below(pid, process_tree.parents())


def _pss_kb(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it ended while we looked
    match = re.search(r"(?m)^Pss:\s+(\d+)", text)
    return int(match[1]) if match else 0


@needs_sandbox
def test_it_obeys_the_world_outside(own_folder: Path) -> None:
    computer = start_sandboxed(own_folder)
    frames = computer.open("sleep 60")
    next(frames)
    # The first process of the sandbox is the one that its outermost started.
    parents = process_tree.parents()
    (inner,) = (own for own, parent in parents.items() if parent == computer.process.pid)
    os.kill(inner, signal.SIGTERM)
    assert computer.process.wait(120) == 0
    computer.stop()


@needs_sandbox
def test_a_full_workspace_leaves_old_files_and_results(own_folder: Path) -> None:
    computer = start_sandboxed(own_folder, "--size", "4000000", "--tmpfs", "/workspace")
    assert computer.put("kept", b"old").status == 200
    ran = computer.run("head -c 6000000 /dev/zero | tr '\\0' x; exit 5")
    assert ran.exit["exit_code"] == 5
    assert ran.exit["output_bytes"] == 6_000_000
    assert "the workspace is full" in ran.exit["log_note"]
    assert ran.exit["log_bytes"] < 4_000_000
    assert len(ran.of()) == 6_000_000
    refused = computer.put("kept", b"n" * 5_000_000)
    assert (refused.status, refused.json["code"]) == (507, "workspace_full")
    assert computer.get("kept").body == b"old"
    assert computer.run("ls -A .berth/tmp").stdout == ""
    no_traceback(computer)
    computer.stop()


@pytest.fixture
def delegated() -> Iterator[Path]:
    """A folder of the pids hierarchy that belongs to the computer's user."""
    folder = PIDS / f"berth-test-{fresh_id()}"
    if not os.access(PIDS / "cgroup.procs", os.W_OK) or os.getuid() != 0:
        pytest.skip("this machine delegates no control groups")
    folder.mkdir()
    for name in ("", "cgroup.procs", "tasks"):
        os.chown(folder / name, SANDBOX_HOST_UID, SANDBOX_HOST_UID)
    yield folder
    for inner in [*(path for path in folder.iterdir() if path.is_dir()), folder]:
        until(partial(is_empty, inner / "cgroup.procs"))
        inner.rmdir()


def is_empty(members: Path) -> bool:
    return not members.read_text()


@pytest.fixture
def small_memory(own_folder: Path) -> Iterator[Computer]:
    """A sandbox that has 150 MB, as the engine limits one."""
    group = MEMORY / f"berth-test-{fresh_id()}"
    if not os.access(MEMORY / "cgroup.procs", os.W_OK) or os.getuid() != 0:
        pytest.skip("this machine limits no memory")
    group.mkdir()
    (group / "memory.limit_in_bytes").write_text(str(150 << 20))
    computer = start_sandboxed(own_folder, group=group)
    yield computer
    computer.stop()
    until(partial(is_empty, group / "cgroup.procs"))
    group.rmdir()


HOG = "python3 -c 'x = [bytearray(1 << 20) for _ in range(4000)]'"


@needs_sandbox
@pytest.mark.parametrize(
    ("command", "exit_code", "signal"),
    [(HOG, None, 9), (f"{HOG}; exit $?", 137, None), (f"{HOG}; true", 0, None)],
)
def test_the_kernels_kill_for_memory_is_named(
    small_memory: Computer, command: str, exit_code: int | None, signal: int | None
) -> None:
    end = small_memory.run(command).exit
    assert (end["exit_code"], end["signal"], end["oom"]) == (exit_code, signal, True)
    after = small_memory.run("kill -9 $$").exit
    assert (after["signal"], after["oom"]) == (9, False)


@needs_sandbox
def test_a_group_bounds_each_command_by_itself(own_folder: Path, delegated: Path) -> None:
    computer = start_sandboxed(own_folder, "--bind", str(delegated), "/run/berth/cgroup/pids")
    assert computer.call("GET", "/health").json["process_limit"] == "cgroup-v1"
    ran = computer.run("cat /run/berth/cgroup/pids/*/pids.max; grep pids /proc/self/cgroup")
    assert "512" in ran.stdout.split()
    check_bomb(computer)
    computer.run("kill -9 -1; sleep 60")
    assert computer.run("echo next").stdout == "next\n"
    no_traceback(computer)
    computer.stop()
