"""One host for the tests that only ask, and a fresh one for those that kill, restart or change it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.host.probe_host import ProbeHost


def _running(folder: Path) -> Iterator[ProbeHost]:
    probe = ProbeHost(folder)
    try:
        probe.start()
        yield probe
    finally:
        probe.host.stop()


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProbeHost]:
    yield from _running(tmp_path_factory.mktemp("probe"))


@pytest.fixture
def fresh_probe(tmp_path: Path) -> Iterator[ProbeHost]:
    yield from _running(tmp_path)
