"""A deleted thread is removed for good by the alarm, bytes in R2 too, even after the object was put away."""

from contracts.limits import PURGE_SECONDS
from tests.integration.chat.person import Person
from tests.integration.faults import Faults


async def test_the_alarm_purges_what_no_undo_took_back(person: Person, faults: Faults) -> None:
    owner = str((await person.get("/api/me"))["id"])
    thread = await person.thread()
    upload = await person.upload(thread, "a.csv", b"1,2\n")
    await thread.run("the quokka", upload)
    content = f"/api/uploads/{upload}/content"
    await person.ask("DELETE", f"/api/threads/{thread.id}", expect=204)
    await faults.evict("BotOwner", owner)
    await faults.clock((PURGE_SECONDS - 5) * 1000)
    await faults.ring("BotOwner", owner)
    await person.post(f"/api/threads/{thread.id}/restore")
    assert len((await person.get("/api/search?q=quokka"))["items"]) == 1
    await person.ask("DELETE", f"/api/threads/{thread.id}", expect=204)
    await faults.clock(2 * PURGE_SECONDS * 1000)
    await person.post(f"/api/threads/{thread.id}/restore", expect=404)
    await faults.ring("BotOwner", owner)
    await person.get(content, expect=404)
    await faults.clock(0)
    await person.post(f"/api/threads/{thread.id}/restore", expect=404)
    assert (await person.get("/api/search?q=quokka"))["items"] == []
