"""One stack on which faults may be ordered; each test is an owner of its own and disarms what it armed."""

from collections.abc import AsyncIterator, Iterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread
from tests.integration.egress.outside import Outside
from tests.integration.faults import Faults
from tests.integration.nemesis.sandboxes import MARK_COMMAND


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    with Outside() as made:
        yield made


@pytest.fixture(scope="session")
def faulty_stack(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[LocalStack]:
    folder = tmp_path_factory.mktemp("faulty")
    with LocalStack(folder, faults=True, outside=outside.address) as running:
        yield running


@pytest.fixture
async def faults(faulty_stack: LocalStack) -> AsyncIterator[Faults]:
    made = Faults(faulty_stack)
    yield made
    await made.clear()
    await made.clock(0)
    await made.fired()


@pytest.fixture
async def person(faulty_stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(faulty_stack) as made:
        yield made


@pytest.fixture
async def owner(person: Person) -> str:
    return str((await person.get("/api/me"))["id"])


@pytest.fixture
async def thread(person: Person, owner: str) -> Thread:
    """A thread of an owner whose computer is awake and can be found by its owner's name."""
    made = await person.thread()
    await made.exec(MARK_COMMAND.format(owner=owner))
    return made
