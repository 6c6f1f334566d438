"""One served Berth for all integration tests; they keep out of each other's way by owners of their own."""

from collections.abc import AsyncIterator, Iterator

import aiohttp
import httpx
import pytest

from local.stack import LocalStack
from tests.integration.waiting import SECONDS


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A stack that tests only ask. Whoever kills or stops something starts a stack of its own."""
    with LocalStack(tmp_path_factory.mktemp("berth")) as running:
        yield running


@pytest.fixture
def client(stack: LocalStack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stack.url, headers=stack.headers, timeout=SECONDS) as made:
        yield made


@pytest.fixture
async def session(stack: LocalStack) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(base_url=stack.url, headers=stack.headers) as made:
        yield made
