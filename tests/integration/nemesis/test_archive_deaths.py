"""An archive whose object dies at some of its writes, with workerd: it is built all the same, and whole."""

import aiohttp

from tests.integration.chat.person import Person
from tests.integration.chat.test_archive import archived, unpacked, with_things
from tests.integration.faults import Faults
from tests.integration.waiting import until


async def asked_for(person: Person) -> dict[str, object] | None:
    """Ask until somebody answers: whether it was begun before a death, the next answer says."""
    try:
        return await person.post("/api/me/archive", expect=202)
    except (aiohttp.ClientError, AssertionError):
        return None


async def test_it_is_built_through_deaths(person: Person, faults: Faults) -> None:
    await with_things(person)
    for nth in (2, 5, 9):
        restarts = await faults.restarts()
        await faults.arm("write", "kill_after", nth=nth, owner=f"local-{person.name}")
        await until("an answer", lambda: asked_for(person))
        await faults.restarted(restarts + 1)
        await faults.clear()
        ready = await archived(person)
        assert ready["missing"] == 0
        assert await unpacked(person, ready["size"])
