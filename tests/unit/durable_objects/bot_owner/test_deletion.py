"""Deleting an owner: every step in order, again after it died in any of them, and nothing else meanwhile."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.api import ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.records import Owner
from contracts.states import Locale
from durable_objects.bot_owner.deletion import AGAIN_MS, Deletion
from durable_objects.bot_owner.operations import Operations
from durable_objects.bot_owner.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock

STEPS = ["owner_deletion_began", "quiet", "computer", "uploads", "stored", "owner_deleted", "tables"]


class Estate:
    """Does each step in memory, and fails at the one that a test names."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.done: list[str] = []
        self.fails_at = ""
        self.pause: asyncio.Event | None = None

    async def _do(self, step: str) -> None:
        if step == self.fails_at:
            raise BerthError(ErrorCode.INTERNAL, "no answer")
        if self.pause:
            await self.pause.wait()
        self.done.append(step)

    async def record(self, kind: str, deletion_id: str) -> None:
        await self._do(kind)

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

    async def reset(self) -> dict[str, Any]:
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


async def unheard(_kind: str, _details: dict[str, Any]) -> None:
    """An audit that nobody reads."""


async def test_while_it_is_under_way_every_other_call_is_refused(rig: OwnerRig, estate: Estate) -> None:
    made = deletion(rig.owner.context, Estate(rig.owner.context))
    about = Owner(id="o1", locale=Locale.ENGLISH, network="testnet", sandboxed=True, version="0")
    operations = Operations(
        rig.owner, Machine(), made, go_on=lambda: None, about=lambda _locale: about, audit=unheard
    )
    for confirm in ("", "o", "o11"):
        with pytest.raises((BerthError, ValidationError)):
            await operations.do("delete_me", {"body": {"confirm": confirm}})
    assert not made.begun
    rig.owner.context.sql.run("INSERT INTO deletion (one, id) VALUES (1, 'del_1')")
    begun = deletion(rig.owner.context, Estate(rig.owner.context))
    operations = Operations(
        rig.owner, Machine(), begun, go_on=lambda: None, about=lambda _locale: about, audit=unheard
    )
    for name in operations._table.keys() - {"delete_me"}:
        with pytest.raises(BerthError, match="being_deleted"):
            await operations.do(name, {})
    answer = await operations.do("delete_me", {"body": {"confirm": "o1"}})
    assert answer.finished


async def test_a_bot_takes_a_thread_along_that_began_while_it_was_deleted(
    rig: OwnerRig, estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = Owner(id="o1", locale=Locale.ENGLISH, network="testnet", sandboxed=True, version="0")
    operations = Operations(
        rig.owner,
        Machine(),
        deletion(rig.owner.context, estate),
        go_on=lambda: None,
        about=lambda _locale: about,
        audit=unheard,
    )
    began: list[str] = []
    given_up = rig.owner.unfinished.give_up_thread

    async def meanwhile(thread_id: str) -> None:
        if not began:
            began.append(rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id)).id)
        await given_up(thread_id)

    monkeypatch.setattr(rig.owner.unfinished, "give_up_thread", meanwhile)
    await operations.do("delete_bot", {"id": rig.bot.id})
    assert began
    assert rig.owner.catalog.threads() == []
    with pytest.raises(BerthError, match="not there"):
        await operations.do("delete_bot", {"id": rig.bot.id})
