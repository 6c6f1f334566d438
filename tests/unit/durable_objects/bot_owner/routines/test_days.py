"""Days on a turned clock: a routine at every minute over changes of clocks, and all kinds of timers."""

import random
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.api import ThreadCreate, UploadBegin
from contracts.limits import UPLOAD_PART_BYTES
from contracts.records import Retention
from contracts.states import RunState
from durable_objects.bot_owner.models.protocol import CallPart
from durable_objects.bot_owner.routines.schedule import next_after
from tests.unit.durable_objects.bot_owner.routines.routine_rig import MINUTE_MS, RULES, RoutineRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY
from tests.unit.durable_objects.conftest import Clock

BERLIN = ZoneInfo("Europe/Berlin")
SPRING, AUTUMN = datetime(2027, 3, 28, 3, tzinfo=BERLIN), datetime(2027, 10, 31, 3, tzinfo=BERLIN)
HOURS = 36


@pytest.mark.parametrize("change", [SPRING, AUTUMN], ids=["spring", "autumn"])
async def test_at_every_minute_for_three_days_over_two_changes_of_clocks(
    owner: RoutineRig, clock: Clock, change: datetime
) -> None:
    """Half of the three days around each change: fired exactly when cron says, over restarts."""
    clock.ms = int(change.timestamp() * 1000) - HOURS // 2 * 60 * MINUTE_MS
    begin = clock.ms
    routine = owner.routine(zone="Europe/Berlin", limits={"failures": 20})
    set_time = owner.routine(
        zone="Europe/Berlin", schedule={"kind": "cron", "expression": "30 2 * * *"}, overlap="queue"
    )
    end, expected, after = begin + HOURS * 60 * MINUTE_MS, [], begin
    while after < end:
        after = next_after(routine.settings.schedule, "Europe/Berlin", anchor_ms=0, after_ms=after) or end
        expected.append(after)
    fired: list[int] = []
    while (earliest := owner.owner.timers.earliest() or 0) <= end:
        clock.ms = max(clock.ms, earliest)
        if len(fired) % 97 == 0:
            owner.reborn()
        if [timer for timer in await owner.fire() if timer.key == routine.id]:
            fired.append(clock.ms)
            owner.end(routine, RunState.DONE)
            # What has ended is of no further interest; the table is kept small.
            owner.context.sql.run("DELETE FROM runs WHERE routine_id = ?", routine.id)
    assert fired == expected
    assert len(fired) == HOURS * 60
    assert owner.outcomes(routine)[-1] == ("started", 1)
    assert len(owner.runs(set_time)) == 1


async def test_timers_of_all_kinds_in_one_owner_over_deaths(owner: RoutineRig, clock: Clock) -> None:
    """Hundreds at once: none is lost when the object dies at random, and each does its work once."""
    chance, begin = random.Random(7), clock.ms  # noqa: S311 - no secret
    owner.owner.keeping.keep(Retention(results=1, pictures=1, threads=3))
    gone = [owner.owner.catalog.create_thread(ThreadCreate(bot_id=owner.bot.id)).id for _ in range(120)]
    routines = [
        owner.routine(schedule={"kind": "once", "at_ms": begin + chance.randint(1, 3_600_000)})
        for _ in range(80)
    ]
    wanted = UploadBegin(name="a.bin", size=UPLOAD_PART_BYTES + 1)
    uploads = [(await owner.owner.unfinished.begin(owner.thread.id, wanted)).id for _ in range(30)]
    trades = owner.routine(orders={**RULES, "enabled": False}, schedule={"kind": "every", "minutes": 40_000})
    owner.owner.routines.run_now(trades.id, "run-now-0001")

    await owner.drive(CallPart("hl__place_orders", {"orders": [BUY]}))
    pending = owner.newest()
    for thread_id in gone:
        clock.ms += chance.randint(0, 20_000)
        owner.owner.removals.hide(thread_id)
    until, order = begin + 30 * 3_600_000, []
    while (earliest := owner.owner.timers.earliest() or until) < until:
        clock.ms = max(clock.ms, earliest)
        if chance.random() < 0.1:
            owner.reborn()
        order += [timer.key for timer in await owner.fire() if timer.kind == "routine"]
    by_time = sorted(routines, key=lambda one: (one.next_ms or 0, one.id))
    assert [key for key in order if key != trades.id] == [one.id for one in by_time]
    assert [len(owner.runs(routine)) for routine in routines] == [1] * len(routines)
    left = owner.context.sql.execute("SELECT COUNT(*) AS n FROM threads WHERE purge_ms IS NOT NULL")
    assert left[0]["n"] == 0
    assert owner.context.sql.execute("SELECT id FROM unfinished_uploads") == []
    assert len(uploads) == 30
    assert owner.owner.desk.intent(pending.id).state == "expired"
