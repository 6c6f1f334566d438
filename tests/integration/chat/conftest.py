"""Each test is an owner of its own on the one shared stack, or on the one whose computers sleep soon."""

from collections.abc import AsyncIterator, Iterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.hasty import hasty_root
from tests.integration.chat.person import Person, Thread


@pytest.fixture(scope="session")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """Its computers sleep by their alarm a second after their last call."""
    root = hasty_root(tmp_path_factory.mktemp("root"))
    with LocalStack(tmp_path_factory.mktemp("hasty"), root=root, faults=True) as running:
        yield running


@pytest.fixture(scope="session")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """Its host and its engine are killed by tests, which bring them back; each has an owner of its own."""
    with LocalStack(tmp_path_factory.mktemp("mortal"), faults=True) as running:
        yield running


@pytest.fixture
async def person(stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(stack) as made:
        yield made
        await made.post("/api/computer/standby")


@pytest.fixture
async def thread(person: Person) -> Thread:
    return await person.thread()
