"""Signing in on CPython: the Worker's checks in one process of Node, and a server that vouches for people."""

from collections.abc import AsyncIterator

import pytest

from tests.identity.node_checks import NodeChecks, node_checks
from tests.identity.pretender import Pretender, pretender
from tests.unit.workers.api.sign_in.desk import Desk


@pytest.fixture(scope="session")
async def checks(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[NodeChecks]:
    async with node_checks(tmp_path_factory.mktemp("checks")) as running:
        yield running


@pytest.fixture
def desk(checks: NodeChecks) -> Desk:
    return Desk(checks)


@pytest.fixture
async def provider() -> AsyncIterator[Pretender]:
    async with pretender() as running:
        yield running
