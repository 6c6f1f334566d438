"""A run that dies at each of its writes in turn has the same thread in the end, and no command runs twice.

The writes are those of the owner's object and of its computer's. One life of the run dies at every `COMB`th
of them, and the next life a write later, so that after `COMB` lives it has died at each. An object dies by
eviction, which is cheap; workerd itself is killed at a few. `BERTH_RUN_STEPS` says how long the run is; 30
take some minutes.
"""

import os
import random

import pytest

from tests.integration.chat.person import Event, Person, Thread, of
from tests.integration.faults import Faults
from tests.integration.nemesis.client import Client
from tests.integration.nemesis.scripted_run import commands, equal_part, recording

STEPS = int(os.environ.get("BERTH_RUN_STEPS", "4"))
# More writes than a step has, so that a life gets on between two deaths.
COMB = 43
# More deaths than a life can have.
DEATHS_MAX = 2 * STEPS + 10
WRITES_A_STEP = 15


async def lived(person: Person, name: str) -> list[Event]:
    """The thread of one life, without what differs from life to life."""
    model = {"provider": "scripted", "recording": recording(STEPS, name)}
    thread = await person.thread(await person.bot(model=model))
    async with Client.of(person, thread) as client:
        events = await client.run("go")
        assert of(events, "run.status")[-1]["state"] == "done", of(events, "run.status")[-1]
        return equal_part([seen.event for seen in client.seen if "seq" in seen.event], name)


def assert_equal(life: list[Event], whole: list[Event]) -> None:
    # One at a time: of two long lists a failure shows little.
    for one, other in zip(life, whole, strict=False):
        assert one == other, f"{one}\n{other}"
    assert len(life) == len(whole)


async def assert_ran_once(thread: Thread, lives: list[str]) -> None:
    """The computer saw each command of these lives once."""
    files = " ".join(f"{name}/ran" for name in lives)
    found = (await thread.exec(f"for file in {files}; do echo $(cat $file); done"))["output"]
    assert [line.split() for line in found.splitlines()] == [commands(STEPS)] * len(lives)


@pytest.mark.timeout(300 + 60 * STEPS)
async def test_a_run_that_dies_at_each_of_its_writes_has_the_same_thread_and_each_command_ran_once(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    names = [f"life-{first:02}" for first in range(COMB + 1)]
    whole = await lived(person, names[0])
    for first, name in enumerate(names[1:], start=1):
        for death in range(DEATHS_MAX):
            await faults.arm("write", "evict", nth=first + death * COMB, owner=owner)
        assert_equal(await lived(person, name), whole)
        await faults.clear()
        # It died, and there was no write left at which it did not.
        assert 0 < len(await faults.fired()) < DEATHS_MAX
    await assert_ran_once(thread, names)


@pytest.mark.timeout(300)
async def test_a_run_outlives_workerd_at_any_of_its_writes(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    chance = random.Random(30)  # noqa: S311 - which deaths are tried, the same every time
    whole = await lived(person, "life")
    for action in ("kill_before", "kill_after"):
        kills, restarts = await faults.kills(), await faults.restarts()
        nth = chance.randrange(1, STEPS * WRITES_A_STEP)
        await faults.arm("write", action, nth=nth, owner=owner)
        assert_equal(await lived(person, action), whole)
        assert await faults.kills() == kills + 1
        await faults.restarted(restarts + 1)
    await assert_ran_once(thread, ["kill_before", "kill_after"])
