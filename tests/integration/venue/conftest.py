"""A person of their own on the shared stack. Nothing here wakes a computer."""

from collections.abc import AsyncIterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person


@pytest.fixture
async def person(stack: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(stack.url) as made:
        yield made
