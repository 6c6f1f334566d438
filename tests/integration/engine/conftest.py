"""One engine and one workerd for all the engine's tests; each test has boxes of its own names.

BERTH_ENGINE_SOCKET runs the conformance tests against an engine that is there already, such as
Docker with an image that has Python (BERTH_TEST_IMAGE).
"""

import itertools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.engine.rigging import ROOT, Box, Docker, EngineProcess, Rig, running

OUTSIDE = os.environ.get("BERTH_ENGINE_SOCKET")
SERVICE = ("--computer", str(ROOT / "container"))
LIMITS = ("--memory-mb", "256", "--processes", "64", "--tmp-mb", "16")
numbers = itertools.count(1)


@pytest.fixture(scope="session")
def short_folder() -> Iterator[Path]:
    """A folder whose name leaves room for a socket in it."""
    with tempfile.TemporaryDirectory(prefix="be-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def engine(short_folder: Path) -> Iterator[EngineProcess]:
    if OUTSIDE:
        pytest.skip("for our own engine only")
    yield from running(EngineProcess(short_folder, SERVICE + LIMITS))


@pytest.fixture(scope="session")
def engine_socket(request: pytest.FixtureRequest) -> Path:
    if OUTSIDE:
        return Path(OUTSIDE)
    found: EngineProcess = request.getfixturevalue("engine")
    return found.socket


@pytest.fixture(scope="session")
def docker(engine_socket: Path) -> Docker:
    return Docker(engine_socket)


@pytest.fixture(scope="session")
def rig(engine_socket: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    found = Rig(engine_socket, tmp_path_factory.mktemp("rig")).start()
    yield found
    if found.process is not None:
        found.stop()


@pytest.fixture
def new_box(rig: Rig) -> Iterator[Callable[[], Box]]:
    """Makes boxes with names of their own and destroys their containers after the test."""
    made: list[Box] = []

    def make() -> Box:
        made.append(rig.box(f"box{next(numbers)}"))
        return made[-1]

    yield make
    for box in made:
        box.call("destroy")


@pytest.fixture
def online(new_box: Callable[[], Box]) -> Box:
    """A box whose traffic goes to the test Worker's egress."""
    box = new_box()
    box.call("intercept", owner="somebody")
    return box.start()


@pytest.fixture
def box(new_box: Callable[[], Box]) -> Box:
    """A box whose container runs the test's server."""
    return new_box().start()
