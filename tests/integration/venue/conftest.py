"""A person of their own on the shared stack, and one who trades at a stand-in of the exchange.

Only a test that says so wakes a computer.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.faults import Faults
from tests.integration.venue.trader import Trader
from tests.venue_server.server import VenueStandIn, served


@pytest.fixture
async def person(stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(stack) as made:
        yield made


@pytest.fixture(scope="session")
async def venue() -> AsyncIterator[tuple[VenueStandIn, str]]:
    """The stand-in and where it is served."""
    made = VenueStandIn()
    async with served(made) as url:
        yield made, url


@pytest.fixture(scope="session")
async def venue_stack(
    tmp_path_factory: pytest.TempPathFactory, venue: tuple[VenueStandIn, str]
) -> AsyncIterator[LocalStack]:
    """A stack whose exchange is the stand-in, on which faults may be ordered."""
    folder = tmp_path_factory.mktemp("venue")
    stack = LocalStack(folder, faults=True, vars={"BERTH_VENUE_URL": venue[1]})
    # The stand-in is served by this very loop, so starting must not keep it from answering.
    await asyncio.to_thread(stack.__enter__)
    try:
        yield stack
    finally:
        await asyncio.to_thread(stack.stop)


@pytest.fixture
async def faults(venue_stack: LocalStack) -> AsyncIterator[Faults]:
    made = Faults(venue_stack)
    yield made
    await made.clear()
    await made.clock(0)
    await made.fired()


@pytest.fixture
async def trader(venue_stack: LocalStack, venue: tuple[VenueStandIn, str]) -> AsyncIterator[Trader]:
    """Somebody whose own account at the stand-in is connected and chosen."""
    async with Person.at(venue_stack) as person:
        made = Trader(person, venue[0])
        await made.connect()
        yield made
        venue[0].faults.clear()
        venue[0].lies.clear()
        venue[0].gates.clear()
