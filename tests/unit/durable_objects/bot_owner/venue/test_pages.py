"""Approvals page by page: all that wait are reached, however many, and whatever is decided meanwhile."""

import pytest

from contracts.api import ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import INTENTS_A_PAGE
from contracts.trading import IntentDecision
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, TradingRig


async def proposed(trader: TradingRig, count: int) -> list[str]:
    """Orders that wait, each in a thread of its own; their ids, the newest first."""
    ids = []
    for _ in range(count):
        trader.thread = trader.owner.catalog.create_thread(ThreadCreate(bot_id=trader.bot.id))
        await trader.propose(BUY)
        ids.append(trader.newest().id)
    return ids[::-1]


def all_pending(trader: TradingRig, limit: int) -> list[str]:
    found: list[str] = []
    more = True
    while more:
        before = found[-1] if found else None
        page = trader.owner.desk.intents(pending=True, before=before, limit=limit)
        assert len(page.items) <= limit
        found += [one.id for one in page.items]
        more = page.more
    return found


@pytest.mark.parametrize("count", [INTENTS_A_PAGE, INTENTS_A_PAGE + 1])
async def test_all_that_wait_are_reached(trader: TradingRig, count: int) -> None:
    ids = await proposed(trader, count)
    first = trader.owner.desk.intents(pending=True, limit=INTENTS_A_PAGE)
    assert ([one.id for one in first.items], first.more) == (ids[:INTENTS_A_PAGE], count > INTENTS_A_PAGE)
    assert all_pending(trader, INTENTS_A_PAGE) == ids
    assert all_pending(trader, 7) == ids


async def test_what_is_decided_meanwhile_neither_hides_nor_repeats_anything(trader: TradingRig) -> None:
    ids, desk = await proposed(trader, 6), trader.owner.desk
    first = desk.intents(pending=True, limit=3)
    # The last one of the page, by which the next is asked for, and one of the next.
    for intent in (first.items[-1], desk.intent(ids[4])):
        await desk.decide(intent.id, IntentDecision(digest=intent.digest, approve=[]))
    late = desk.intents(pending=True, before=first.items[-1].id, limit=3)
    assert [one.id for one in late.items] == [ids[3], ids[5]]
    every = desk.intents(pending=False, before=first.items[-1].id, limit=3)
    assert ([one.id for one in every.items], every.more) == (ids[3:], False)


async def test_a_page_behind_what_was_never_there_is_not_found(trader: TradingRig) -> None:
    with pytest.raises(BerthError) as caught:
        trader.owner.desk.intents(pending=True, before="int_x", limit=1)
    assert caught.value.code == ErrorCode.NOT_FOUND
