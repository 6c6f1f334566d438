"""Routines put together, and what the timers of an owner do."""

from collections.abc import Awaitable, Callable, Mapping

from contracts.notices import NoticeKind
from contracts.routines import RoutineNotice
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.messages import Inbox
from durable_objects.bot_owner.notices.occasions import Occasion
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines import bounds as run_bounds
from durable_objects.bot_owner.routines import firing as routine_firing
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.routines.checks import Get
from durable_objects.bot_owner.routines.desk import Routines
from durable_objects.bot_owner.routines.firing import Firing
from durable_objects.bot_owner.routines.rows import RoutineRows
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.stopping import RunStopper
from durable_objects.bot_owner.venue.protocol import Venues
from durable_objects.shared.context import Context
from durable_objects.shared.timers import Timers, Work


def routine_parts(  # noqa: PLR0913 - parts by name
    context: Context,
    *,
    rows: RoutineRows,
    catalog: Catalog,
    record: ThreadRecord,
    journal: RunJournal,
    inbox: Inbox,
    bounds: RunBounds,
    timers: Timers,
    venues: Venues,
    get: Get,
    occurred: Callable[[Occasion], None],
) -> tuple[Routines, Firing]:
    """What the owner sees of routines, and what becomes of them; `occurred` tells the owner of things."""

    def notify(notice: RoutineNotice) -> None:
        # A month's cost that is used up is told in the thread: it passes by itself.
        if notice.kind == "paused":
            event = f"routine:{notice.routine_id}:{notice.at_ms}"
            occurred(Occasion(NoticeKind.ROUTINE, event, notice.thread_id))

    firing = Firing(
        context,
        rows=rows,
        catalog=catalog,
        record=record,
        inbox=inbox,
        bounds=bounds,
        timers=timers,
        venues=venues,
        get=get,
        notify=notify,
    )
    journal.ended = firing.run_ended
    routines = Routines(
        context,
        rows=rows,
        catalog=catalog,
        record=record,
        journal=journal,
        bounds=bounds,
        timers=timers,
        firing=firing,
    )
    return routines, firing


Sweep = Callable[[], Awaitable[object]]


def timer_work(
    firing: Firing, bounds: RunBounds, stopper: RunStopper, sweeps: Mapping[str, Sweep]
) -> dict[str, Work]:
    """What the timers of each kind do; `sweeps` are those that look for themselves at what is due."""

    async def end_late(run_id: str) -> None:
        if late := bounds.late(run_id):
            await stopper.stop(late)

    work: dict[str, Work] = {kind: _swept(sweep) for kind, sweep in sweeps.items()}
    return {**work, routine_firing.TIMER: firing.fire, run_bounds.TIMER: end_late}


def _swept(sweep: Sweep) -> Work:
    async def work(_key: str) -> None:
        await sweep()

    return work
