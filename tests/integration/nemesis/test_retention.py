"""What is removed by age on the real platform: by the alarm, in R2 too, and counted for operators."""

import base64

from contracts.limits import AGED_RESULT_CHARACTERS, RETENTION_DAYS, RETENTION_DAYS_MAX
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, of
from tests.integration.faults import Faults

DAY_MS = 24 * 3_600_000
CLS = "BotOwner"
# Longer than the pause behind a store that did not answer.
LATER_MS = 120_000
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
assert base64.b64decode(DOT)


async def removed(stack: LocalStack) -> dict[str, int]:
    async with Person.at(stack, operator=True) as operator:
        return await operator.get("/api/operator/retention")


async def test_old_results_and_pictures_are_removed_by_the_alarm_and_counted(
    thread: Thread, person: Person, owner: str, faults: Faults, faulty_stack: LocalStack
) -> None:
    await thread.run(f"$ echo {DOT} | base64 -d > a.png; yes | head -n {AGED_RESULT_CHARACTERS}")
    (seen,) = of(await thread.run("/read a.png"), "tool.finished")
    path = f"/api/pictures/{seen['tool_call_id']}/content"
    before = await removed(faulty_stack)
    await faults.clock((RETENTION_DAYS - 1) * DAY_MS)
    await faults.ring(CLS, owner)
    assert await removed(faulty_stack) == before
    async with person.session.get(path, headers=person.headers) as response:
        assert response.status == 200
    await faults.clock((RETENTION_DAYS + 1) * DAY_MS)
    await faults.arm("r2.delete", "fail", detail=f"owners/{owner}/")
    await faults.ring(CLS, owner)
    # What the store did not delete is tried again a minute later.
    await faults.clock((RETENTION_DAYS + 1) * DAY_MS + LATER_MS)
    await faults.ring(CLS, owner)
    assert await removed(faulty_stack) == {
        "results": before["results"] + 1,
        "pictures": before["pictures"] + 1,
        "threads": before["threads"],
    }
    assert [strike["point"] for strike in await faults.fired()] == ["r2.delete"]
    async with person.session.get(path, headers=person.headers) as response:
        assert response.status == 404
    *_, long, picture = of(await thread.record(), "tool.finished")
    assert "removed by age" in long["text"]
    assert len(long["text"]) < AGED_RESULT_CHARACTERS + 100
    assert "removed by age" in picture["text"]


async def test_days_are_the_owners_to_choose_within_limits(person: Person, owner: str) -> None:
    assert (await person.get("/api/me"))["retention"] == {"results": 30, "pictures": 30, "threads": None}
    wanted = {"results": 1, "pictures": None, "threads": RETENTION_DAYS_MAX}
    changed = await person.ask("PATCH", "/api/me", expect=200, json={"retention": wanted})
    assert changed["retention"] == wanted
    await person.ask("PATCH", "/api/me", expect=200, json={"locale": "zh-Hans"})
    assert (await person.get("/api/me"))["retention"] == wanted
    for days in (0, RETENTION_DAYS_MAX + 1):
        await person.ask("PATCH", "/api/me", expect=422, json={"retention": {"results": days}})
