"""A sign-in and its entry in the record are one: whatever is silent or dies, each session has one entry."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.faults import Faults
from tests.integration.waiting import until

DEATHS = (
    ("INSERT INTO sessions", "kill_after"),
    ("INSERT INTO audit_outbox", "kill_before"),
    ("setAlarm", "kill_before"),
    ("setAlarm", "kill_after"),
    # The record has heard of it, and the object does not know.
    ("DELETE FROM audit_outbox", "kill_before"),
)


@pytest.fixture
async def faults(mortal: LocalStack) -> AsyncIterator[Faults]:
    made = Faults(mortal)
    yield made
    await made.clear()


async def sign_in(person: Person, expect: int = 204) -> None:
    await person.post("/api/sign-in/local", {"token": person.stack.token}, expect=expect)


async def noted(person: Person, kind: str = "signed_in") -> int:
    entries = (await person.get("/api/audit"))["items"]
    return [entry["kind"] for entry in entries].count(kind)


async def until_each_is_noted(person: Person, faults: Faults) -> int:
    """→ how many sessions there are, each with its entry. The alarm has rung by then."""

    async def look() -> bool:
        return await noted(person) >= len((await person.get("/api/sessions"))["items"])

    await until("an entry for each session", look)
    await faults.ring("Person", f"local-{person.name}")
    sessions = len((await person.get("/api/sessions"))["items"])
    assert await noted(person) == sessions
    return sessions


async def test_a_record_that_does_not_answer_hears_of_it_by_the_alarm(
    mortal: LocalStack, faults: Faults
) -> None:
    async with Person.at(mortal) as person:
        await faults.arm("call", "fail", cls="Platform", detail="record", times=1000)
        await sign_in(person)
        await faults.clear()
        assert await noted(person) == 0
        assert await until_each_is_noted(person, faults) == 1


async def test_nobody_waits_for_a_record_that_is_silent(mortal: LocalStack, faults: Faults) -> None:
    async with Person.at(mortal) as person:
        await faults.arm("call", "hang", cls="Platform", detail="record")
        await sign_in(person)
        assert await until_each_is_noted(person, faults) == 1


async def test_one_whose_answer_was_lost_is_in_it_once(mortal: LocalStack, faults: Faults) -> None:
    async with Person.at(mortal) as person:
        await faults.arm("call", "lost_answer", cls="Platform", detail="record")
        await sign_in(person)
        assert await until_each_is_noted(person, faults) == 1


@pytest.mark.parametrize(("write", "death"), DEATHS)
async def test_no_death_parts_a_sign_in_from_its_entry(
    mortal: LocalStack, faults: Faults, write: str, death: str
) -> None:
    async with Person.at(mortal) as person:
        await faults.arm("write", death, cls="Person", owner=f"local-{person.name}", detail=write)
        restarts = await faults.restarts()
        with pytest.raises((aiohttp.ClientError, AssertionError)):
            await sign_in(person)
        await faults.restarted(restarts + 1)
        lived = await until_each_is_noted(person, faults)
        await sign_in(person)
        assert await until_each_is_noted(person, faults) == lived + 1
