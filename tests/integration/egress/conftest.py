"""A Berth of its own, whose Worker fetches from a server of ours whatever it asks the world for."""

from collections.abc import AsyncIterator, Iterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread
from tests.integration.egress.outside import Outside


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    with Outside() as made:
        yield made


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[LocalStack]:
    folder = tmp_path_factory.mktemp("egress")
    with LocalStack(folder, outside=outside.address, vars={"BERTH_HOSTS": "berth.invalid"}) as running:
        yield running


@pytest.fixture
async def person(stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(stack) as made:
        yield made
        await made.post("/api/computer/standby")


@pytest.fixture
async def thread(person: Person) -> Thread:
    return await person.thread()
