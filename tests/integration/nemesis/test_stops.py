"""A stop that does not arrive: it is asked for until the command has ended, whoever was out of reach."""

import pytest

from tests.integration.chat.person import UNTIL_NO_SLEEP, Person, Thread, ended, is_type
from tests.integration.faults import Faults

CLS = "BotComputer"
UNHEARD = 6


async def stop_of_a_sleeper(thread: Thread, person: Person) -> str:
    """Begin a long command and stop its run; returns the run's id."""
    async with thread.watched(await thread.head()) as watch:
        run_id = str((await thread.send("$ echo up; sleep 300"))["run"]["id"])
        await watch.until(is_type("tool.output"))
    await person.post(f"/api/runs/{run_id}/stop", expect=202)
    return run_id


async def is_stopped(thread: Thread, run_id: str) -> None:
    async with thread.watched() as watch:
        finished = await watch.until(lambda e: e["type"] == "tool.finished" and e["data"]["run_id"] == run_id)
        assert (await watch.until(ended(run_id)))["data"]["state"] == "stopped"
    assert finished["data"]["command"]["state"] == "stopped"
    assert (await thread.exec(UNTIL_NO_SLEEP))["output"] == "gone\n"


@pytest.mark.parametrize(
    ("point", "detail"), [("call", "call"), ("container.fetch", "/stop")], ids=["the object", "the service"]
)
async def test_one_that_is_out_of_reach_hears_of_it_when_it_is_back(
    thread: Thread, person: Person, owner: str, faults: Faults, point: str, detail: str
) -> None:
    times = UNHEARD if point == "call" else 2
    await faults.arm(point, "fail", times=times, cls=CLS, owner=owner, detail=detail)
    run_id = await stop_of_a_sleeper(thread, person)
    await is_stopped(thread, run_id)
    assert len(await faults.fired()) == times


async def test_an_object_that_dies_before_its_computer_has_heard_asks_again(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await faults.arm("container.fetch", "fail", cls=CLS, owner=owner, detail="/stop")
    run_id = await stop_of_a_sleeper(thread, person)
    await faults.evict(CLS, owner)
    await is_stopped(thread, run_id)
    assert len(await faults.fired()) == 1


async def test_a_workerd_that_dies_before_its_computer_has_heard_stops_the_command(
    thread: Thread, person: Person, owner: str, faults: Faults
) -> None:
    await faults.arm("call", "fail", times=3, cls=CLS, owner=owner, detail="call")
    run_id = await stop_of_a_sleeper(thread, person)
    await faults.kill()
    async with thread.watched() as watch:
        assert (await watch.until(ended(run_id)))["data"]["state"] == "stopped"
    assert (await thread.exec(UNTIL_NO_SLEEP))["output"] == "gone\n"
