"""Death at writes of an approval: none or one order reaches the venue, and the card is true afterwards.

A few writes are in the suite. workerd dies before the decision is stored, and when the order has reached the
venue and nobody heard of it; at the others the object is taken out of memory, which is cheap.
`BERTH_APPROVAL_DEATHS=all` kills workerd before and behind every single write of an approval, a decline and
an expiry, which takes some minutes. On CPython every statement is a death: see the unit tests.
"""

import os

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.faults import Faults
from tests.integration.nemesis.approval_life import lived

ALL = os.environ.get("BERTH_APPROVAL_DEATHS") == "all"
# The way it is decided, what happens, and at which write, by a part of its words.
PLACES = [
    ("approve", "kill_before", "UPDATE intents SET state"),
    ("approve", "kill_after", "INTO paper"),
    ("approve", "evict", "UPDATE intents SET state"),
    ("approve", "evict", "UPDATE intents SET sent"),
    ("decline", "evict", "UPDATE intents SET state"),
    ("expire", "evict", "UPDATE intents SET state"),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("way", "action", "detail"), PLACES)
async def test_a_death_at_a_write_sends_at_most_one_order(
    person: Person, faults: Faults, way: str, action: str, detail: str
) -> None:
    async def arm(owner: str) -> None:
        await faults.arm("write", action, owner=owner, detail=detail)

    assert await lived(person, faults, way, arm)


@pytest.mark.skipif(not ALL, reason="takes minutes: BERTH_APPROVAL_DEATHS=all")
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("way", ["approve", "decline", "expire"])
@pytest.mark.parametrize("action", ["kill_before", "kill_after"])
async def test_a_death_at_any_write_sends_at_most_one_order(
    faulty_stack: LocalStack, faults: Faults, way: str, action: str
) -> None:
    count, died = 0, True
    while died:
        count += 1

        async def arm(owner: str, nth: int = count) -> None:
            await faults.arm("write", action, nth=nth, owner=owner)

        async with Person.at(faulty_stack) as person:
            died = await lived(person, faults, way, arm)
    # There were writes at which it died.
    assert count > 5
