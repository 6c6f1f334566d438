"""A computerd for all tests of this folder, and one inside a sandbox.

A test that leaves a traceback in the service's log has found a fault, whatever else it checked.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.container.computer import Computer, start, start_sandboxed

# What a test on a busy machine must not reach by being slow itself is long enough for that.
HASTY = (
    "HEARTBEAT_S=0.2",
    "HEAD_S=1.5",
    "BODY_SILENCE_S=1.5",
    "SEND_SILENCE_S=1.5",
    "GRACE_TIMEOUT_S=0.3",
    "GRACE_STOP_S=0.3",
    "SUPERVISOR_SILENCE_S=1.0",
    "KILL_GIVE_UP_S=5",
    "LOG_BYTES=1000000",
    "RECENT_BYTES=100000",
    "FILE_BYTES=1000000",
    "RESULTS_KEPT=4",
    "CONNECTIONS=10",
    "SPARE_RETIRE_S=0.1",
    "ARCHIVES_AT_ONCE=1",
    "ARCHIVE_ENTRIES=20",
    "ARCHIVE_SILENCE_S=1.5",
)


def sandboxes_work() -> bool:
    if not shutil.which("bwrap"):
        return False
    probe = ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    computer = start(tmp_path_factory.mktemp("computer"))
    yield computer
    computer.stop()


@pytest.fixture(scope="session")
def hasty_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    options = [word for limit in HASTY for word in ("--limit", limit)]
    computer = start(tmp_path_factory.mktemp("hasty"), *options)
    yield computer
    computer.stop()


@pytest.fixture(scope="session")
def sandbox_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    if not sandboxes_work():
        pytest.skip("this machine allows no sandboxes")
    computer = start_sandboxed(tmp_path_factory.mktemp("sandbox"), env={"BERTH_NETWORK": "testnet"})
    yield computer
    computer.stop()


@pytest.fixture
def computer(service: Computer) -> Iterator[Computer]:
    yield service
    no_traceback(service)


@pytest.fixture
def hasty(hasty_service: Computer) -> Iterator[Computer]:
    """A service whose limits are so low that a test can reach them."""
    yield hasty_service
    no_traceback(hasty_service)


@pytest.fixture
def sandbox(sandbox_service: Computer) -> Iterator[Computer]:
    yield sandbox_service
    no_traceback(sandbox_service)


@pytest.fixture
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For a test that needs a service to itself."""
    return tmp_path_factory.mktemp("own")


class Machines:
    """Starts computers for one test, and stops those that it has not stopped itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Computer] = []

    def plain(self, *options: str) -> Computer:
        return self._kept(start(self._own(), *options))

    def boxed(self, *extra: str, options: tuple[str, ...] = ()) -> Computer:
        """In a sandbox, with more words for that."""
        return self._kept(start_sandboxed(self._own(), *extra, options=options))

    def stop(self) -> None:
        """All of them; none may have failed without a word."""
        while self._started:
            computer = self._started.pop()
            computer.stop()
            no_traceback(computer)

    def _own(self) -> Path:
        folder = self._folder / f"machine{len(list(self._folder.iterdir()))}"
        folder.mkdir()
        return folder

    def _kept(self, computer: Computer) -> Computer:
        self._started.append(computer)
        return computer


@pytest.fixture
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    made = Machines(tmp_path_factory.mktemp("machines"))
    yield made
    made.stop()


def no_traceback(computer: Computer) -> None:
    assert "Traceback" not in computer.log.read_text()
