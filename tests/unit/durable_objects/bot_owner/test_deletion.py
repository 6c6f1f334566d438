"""Deleting an owner: every step in order, again after it died in any of them, and nothing else meanwhile."""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest
from pydantic import ValidationError

from contracts.api import ThreadCreate
from contracts.archive import Archive
from contracts.audit import Actor
from contracts.errors import BerthError, ErrorCode
from contracts.limits import DELETION_UNDO_DAYS
from contracts.records import Owner
from contracts.states import Locale
from durable_objects.bot_owner.archive.builder import ArchiveBuilder
from durable_objects.bot_owner.deletion import AGAIN_MS, DAY_MS, Deletion
from durable_objects.bot_owner.operations import BEFORE_THE_END, Operations
from durable_objects.bot_owner.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock
from tests.unit.people import caller

STEPS = [
    "owner_deletion_began", "quiet", "computer", "uploads", "stored", "credentials",
    "owner_deleted", "tables",
]  # fmt: skip
WITH_ACCOUNT = [
    "may_leave", "owner_deletion_began", "quiet", "computer", "uploads", "stored", "account",
    "account_deleted", "owner_deleted", "tables",
]  # fmt: skip


class Estate:
    """Does each step in memory, and fails at the one that a test names."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.done: list[str] = []
        self.actors: list[Actor | None] = []
        self.accounts: set[bool] = set()
        self.fails_at = ""
        self.code = ErrorCode.INTERNAL
        self.pause: asyncio.Event | None = None

    async def _do(self, step: str) -> None:
        if step == self.fails_at:
            raise BerthError(self.code, "no answer")
        if self.pause:
            await self.pause.wait()
        self.done.append(step)

    async def record(self, kind: str, deletion_id: str, actor: Actor | None, *, account: bool) -> None:
        await self._do(kind)
        self.actors.append(actor)
        self.accounts.add(account)

    async def may_leave(self) -> None:
        await self._do("may_leave")

    async def credentials(self) -> None:
        await self._do("credentials")

    async def account(self) -> None:
        await self._do("account")

    async def sleep(self) -> None:
        await self._do("sleep")

    async def quiet(self) -> None:
        await self._do("quiet")

    async def computer(self) -> None:
        await self._do("computer")

    async def uploads(self) -> None:
        await self._do("uploads")

    async def stored(self) -> None:
        await self._do("stored")

    async def tables(self) -> None:
        await self._do("tables")
        self.context.sql.run("DELETE FROM deletion")


class Machine:
    """A computer that nobody may ask anything."""

    async def status(self) -> dict[str, Any]:
        raise AssertionError("asked")

    async def sleep(self, *, stop: bool) -> dict[str, Any]:
        raise AssertionError("asked")

    async def reset(self, actor: Mapping[str, str]) -> dict[str, Any]:
        raise AssertionError("asked")

    async def stop(self, command_id: str) -> bool:
        raise AssertionError("asked")


@pytest.fixture
def estate(context: Context) -> Estate:
    migrate(context.sql, SCHEMA)
    return Estate(context)


def deletion(context: Context, estate: Estate, rings: list[int] | None = None) -> Deletion:
    return Deletion(context, estate, (rings if rings is not None else []).append)


async def test_every_step_is_done_in_its_order(context: Context, estate: Estate) -> None:
    assert await deletion(context, estate).begin()
    assert estate.done == STEPS
    reborn = deletion(context, estate)
    assert not reborn.begun
    reborn.check()


async def test_what_is_not_in_the_record_does_not_happen(context: Context, estate: Estate) -> None:
    estate.fails_at = STEPS[0]
    made = deletion(context, estate)
    with pytest.raises(BerthError, match="no answer"):
        await made.begin()
    assert not made.begun
    made.check()


@pytest.mark.parametrize("step", STEPS[1:])
async def test_whatever_does_not_answer_is_done_by_the_alarm(
    context: Context, estate: Estate, clock: Clock, step: str
) -> None:
    rings: list[int] = []
    estate.fails_at = step
    assert not await deletion(context, estate, rings).begin()
    assert rings == [clock() + AGAIN_MS]
    reborn = deletion(context, estate, rings)
    with pytest.raises(BerthError) as refused:
        reborn.check()
    assert refused.value.code == ErrorCode.BEING_DELETED
    reborn.remind()
    assert len(rings) == 2
    estate.fails_at = ""
    estate.done.clear()
    assert await reborn.go_on()
    assert estate.done == STEPS[1:]
    assert not deletion(context, estate).begun


async def test_asked_for_twice_at_once_it_is_done_once(context: Context, estate: Estate) -> None:
    estate.pause = asyncio.Event()
    made = deletion(context, estate)
    first, second = asyncio.ensure_future(made.begin()), asyncio.ensure_future(made.begin())
    await asyncio.sleep(0)
    estate.pause.set()
    assert list(await asyncio.gather(first, second)) == [True, True]
    assert await made.begin()
    assert estate.done == STEPS
    assert len(context.sql.execute("SELECT * FROM deletion")) == 0


async def test_the_alarm_of_an_owner_who_stays_does_nothing(context: Context, estate: Estate) -> None:
    rings: list[int] = []
    made = deletion(context, estate, rings)
    made.remind()
    assert await made.go_on()
    assert (estate.done, rings) == ([], [])


async def test_with_the_account_the_person_goes_after_what_was_theirs(
    context: Context, estate: Estate
) -> None:
    assert await deletion(context, estate).begin(account=True)
    assert estate.done == WITH_ACCOUNT
    assert estate.accounts == {True}


@pytest.mark.parametrize("step", WITH_ACCOUNT[2:])
async def test_a_person_is_gone_wherever_their_deletion_dies(
    context: Context, estate: Estate, step: str
) -> None:
    estate.fails_at = step
    assert not await deletion(context, estate).begin(account=True)
    estate.fails_at = ""
    estate.done.clear()
    reborn = deletion(context, estate)
    assert reborn.takes_account
    # Asked again without it, it is the one that has begun.
    assert await reborn.begin()
    assert estate.done == WITH_ACCOUNT[2:]


@pytest.mark.parametrize("at_once", [True, False])
async def test_who_would_leave_a_workspace_without_an_owner_stays(
    context: Context, estate: Estate, *, at_once: bool
) -> None:
    estate.fails_at, estate.code = "may_leave", ErrorCode.LAST_OWNER
    made = deletion(context, estate)
    with pytest.raises(BerthError) as refused:
        await (made.begin(account=True) if at_once else made.plan(account=True))
    assert refused.value.code == ErrorCode.LAST_OWNER
    assert (estate.done, made.rests) == ([], False)


async def test_a_last_owner_since_it_was_planned_is_waited_for_and_sees_until_when(
    context: Context, estate: Estate, clock: Clock
) -> None:
    rings: list[int] = []
    made = deletion(context, estate, rings)
    clock.ms = await made.plan(account=True)
    estate.fails_at, estate.code = "may_leave", ErrorCode.LAST_OWNER
    estate.done.clear()
    assert not await made.go_on()
    assert (estate.done, made.begun, made.planned_ms) == ([], False, clock() + DAY_MS)
    assert rings[-1] == clock() + AGAIN_MS
    clock.ms += AGAIN_MS
    assert await made.go_on()
    assert rings[-1] == made.planned_ms
    clock.ms = made.planned_ms
    estate.fails_at = ""
    assert await made.go_on()
    assert estate.done == WITH_ACCOUNT


async def test_a_record_that_is_silent_when_it_is_due_is_asked_again(
    context: Context, estate: Estate, clock: Clock
) -> None:
    rings: list[int] = []
    made = deletion(context, estate, rings)
    at_ms = clock.ms = await made.plan()
    estate.fails_at = STEPS[0]
    assert not await made.go_on()
    assert (rings[-1], made.planned_ms) == (clock() + AGAIN_MS, at_ms)


async def test_the_account_can_be_added_to_what_is_planned_and_is_taken_back_with_it(
    context: Context, estate: Estate, clock: Clock
) -> None:
    made = deletion(context, estate)
    at_ms = await made.plan()
    clock.pass_seconds(3_600)
    assert await made.plan(account=True) == at_ms
    assert await made.plan() == at_ms
    assert made.takes_account
    await made.undo()
    assert not deletion(context, estate).takes_account
    assert await made.begin()
    assert "account" not in estate.done


LATER_MS = DELETION_UNDO_DAYS * DAY_MS


async def test_it_is_planned_and_begins_by_the_alarm(context: Context, estate: Estate, clock: Clock) -> None:
    rings: list[int] = []
    at_ms = await deletion(context, estate, rings).plan()
    assert (at_ms, rings) == (clock() + LATER_MS, [clock() + LATER_MS])
    assert estate.done == ["owner_deletion_planned", "quiet", "sleep"]
    reborn = deletion(context, estate, rings)
    with pytest.raises(BerthError, match="can be taken back") as refused:
        reborn.check()
    assert refused.value.details == {"at_ms": at_ms, "reason": "deletion_planned"}
    clock.ms = at_ms - 1
    assert await reborn.go_on()
    assert (reborn.begun, rings[-1]) == (False, at_ms)
    clock.ms = at_ms
    assert await reborn.go_on()
    assert estate.done[3:] == STEPS


async def test_planned_twice_it_stays_as_it_was_planned(
    context: Context, estate: Estate, clock: Clock
) -> None:
    at_ms = await deletion(context, estate).plan()
    clock.pass_seconds(3_600)
    assert await deletion(context, estate).plan() == at_ms
    assert estate.done == ["owner_deletion_planned", "quiet", "sleep"]


async def test_until_it_begins_it_can_be_taken_back(context: Context, estate: Estate) -> None:
    made = deletion(context, estate)
    await made.plan()
    await deletion(context, estate).undo()
    assert (made.rests, made.planned_ms) == (False, None)
    made.check()
    await made.undo()
    assert estate.done == ["owner_deletion_planned", "quiet", "sleep", "owner_deletion_undone"]


async def test_what_has_begun_is_not_taken_back(context: Context, estate: Estate) -> None:
    estate.fails_at = "computer"
    made = deletion(context, estate)
    await made.plan()
    assert not await made.begin()
    with pytest.raises(BerthError, match="Afterwards one can begin anew"):
        await made.undo()
    assert made.planned_ms is None


async def test_of_undo_and_at_once_in_the_same_moment_the_deletion_wins(
    context: Context, estate: Estate
) -> None:
    made = deletion(context, estate)
    await made.plan()
    estate.pause = asyncio.Event()
    beginning = asyncio.ensure_future(made.begin())
    await asyncio.sleep(0)
    with pytest.raises(BerthError, match="Afterwards one can begin anew"):
        await made.undo()
    undoing = asyncio.ensure_future(made.undo())
    estate.pause.set()
    assert await beginning
    assert isinstance((await asyncio.gather(undoing, return_exceptions=True))[0], BerthError)


async def test_a_deletion_that_begins_while_it_is_taken_back_is_not_taken_back(
    context: Context, estate: Estate
) -> None:
    made = deletion(context, estate)
    await made.plan()
    estate.pause = asyncio.Event()
    undoing = asyncio.ensure_future(made.undo())
    await asyncio.sleep(0)
    beginning = asyncio.ensure_future(made.begin())
    await asyncio.sleep(0)
    estate.pause.set()
    with pytest.raises(BerthError, match="Afterwards one can begin anew"):
        await undoing
    assert await beginning


async def test_planned_by_many_at_once_it_is_in_the_record_once(context: Context, estate: Estate) -> None:
    made = deletion(context, estate)
    assert len(set(await asyncio.gather(*(made.plan() for _ in range(4))))) == 1
    assert estate.done == ["owner_deletion_planned", "quiet", "sleep"]


async def test_a_computer_that_does_not_answer_does_not_keep_it_from_being_planned(
    context: Context, estate: Estate
) -> None:
    estate.fails_at = "sleep"
    made = deletion(context, estate)
    assert await made.plan() == made.planned_ms


async def test_the_record_says_who(rig: OwnerRig, estate: Estate) -> None:
    mine = Estate(rig.owner.context)
    operations = operations_of(rig, deletion(rig.owner.context, mine))
    await operations.do("delete_me", {"body": {"confirm": "o1"}}, caller("o1"))
    await operations.do("undelete_me", {}, caller("o1"))
    await operations.do("delete_me", {"body": {"confirm": "o1", "at_once": True}}, caller("o1"))
    assert [actor and actor.person_id for actor in mine.actors] == ["o1"] * 4


async def test_a_plan_that_is_not_in_the_record_is_none(context: Context, estate: Estate) -> None:
    estate.fails_at = "owner_deletion_planned"
    made = deletion(context, estate)
    with pytest.raises(BerthError, match="no answer"):
        await made.plan()
    assert not made.rests


async def test_while_it_is_planned_only_that_and_the_archive_are_answered(
    rig: OwnerRig, estate: Estate
) -> None:
    went_on: list[str] = []
    operations = operations_of(rig, deletion(rig.owner.context, estate), went_on)
    planned = await operations.do("delete_me", {"body": {"confirm": "o1"}}, caller("o1"))
    assert not planned.finished
    for name in operations._table.keys() - BEFORE_THE_END - {"delete_me"}:
        with pytest.raises(BerthError, match="being_deleted"):
            await operations.do(name, {}, caller("o1", operator=True))
    assert (await operations.do("me", {}, caller("o1"))).deletion_ms == planned.at_ms
    assert (await operations.do("archive", {}, caller("o1"))).state == "none"
    assert (await operations.do("undelete_me", {}, caller("o1"))).deletion_ms is None
    assert went_on == ["on"]
    await operations.do("threads", {}, caller("o1"))


async def test_it_can_be_had_at_once(rig: OwnerRig, estate: Estate) -> None:
    operations = operations_of(rig, deletion(rig.owner.context, estate))
    await operations.do("delete_me", {"body": {"confirm": "o1"}}, caller("o1"))
    ended = await operations.do("delete_me", {"body": {"confirm": "o1", "at_once": True}}, caller("o1"))
    assert (ended.finished, ended.at_ms) == (True, None)


class NoArchive:
    """An owner who never made one."""

    def shown(self) -> Archive:
        return Archive()

    def remind(self) -> None:
        """There is nothing to go on with."""


def operations_of(
    rig: OwnerRig, made: Deletion, went_on: list[str] | None = None, owner_id: str = "o1"
) -> Operations:
    about = Owner(id=owner_id, locale=Locale.ENGLISH, network="testnet", sandboxed=True, version="0")
    return Operations(
        rig.owner,
        Machine(),
        made,
        cast("ArchiveBuilder", NoArchive()),
        go_on=lambda: (went_on if went_on is not None else []).append("on"),
        about=lambda _locale: about,
    )


async def test_while_it_is_under_way_every_other_call_is_refused(rig: OwnerRig, estate: Estate) -> None:
    made = deletion(rig.owner.context, Estate(rig.owner.context))
    operations = operations_of(rig, made)
    for confirm in ("", "o", "o11"):
        with pytest.raises((BerthError, ValidationError)):
            await operations.do("delete_me", {"body": {"confirm": confirm}}, caller("o1"))
    assert not made.begun
    rig.owner.context.sql.run("INSERT INTO deletion (one, id) VALUES (1, 'del_1')")
    begun = deletion(rig.owner.context, Estate(rig.owner.context))
    operations = operations_of(rig, begun)
    for name in operations._table.keys() - {"delete_me"}:
        with pytest.raises(BerthError, match="being_deleted"):
            await operations.do(name, {}, caller("o1", operator=True))
    answer = await operations.do("delete_me", {"body": {"confirm": "o1"}}, caller("o1"))
    assert answer.finished


async def test_a_bot_takes_a_thread_along_that_began_while_it_was_deleted(
    rig: OwnerRig, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = operations_of(rig, deletion(rig.owner.context, estate))
    began: list[str] = []
    given_up = rig.owner.unfinished.give_up_thread

    async def meanwhile(thread_id: str) -> None:
        if not began:
            began.append(rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id)).id)
        await given_up(thread_id)

    monkeypatch.setattr(rig.owner.unfinished, "give_up_thread", meanwhile)
    await operations.do("delete_bot", {"id": rig.bot.id}, caller("o1"))
    assert began
    assert rig.owner.catalog.threads() == []
    with pytest.raises(BerthError, match="not there"):
        await operations.do("delete_bot", {"id": rig.bot.id}, caller("o1"))
