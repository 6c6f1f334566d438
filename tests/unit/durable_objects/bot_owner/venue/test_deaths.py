"""The object dies at each statement of an approval: none or one order is sent, and the card is true."""

from decimal import Decimal

import pytest

from contracts.states import INTENT_ENDED, IntentState
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.mortal import MortalSql, died_deciding
from tests.unit.durable_objects.bot_owner.venue.trading import BUY, TradingRig
from tests.unit.durable_objects.conftest import Clock, counted


async def approve_and_die(at: int, text: str) -> tuple[TradingRig, bool]:
    """Approve, dying at the statement of that number; returns whether it came to that."""
    sql, clock, numbers = MortalSql(), Clock(), counted()
    rig = TradingRig(
        Context(sql=sql, now_ms=clock, entropy=lambda n: next(numbers).to_bytes(n, "big")), clock
    )
    await rig.propose(BUY | {"tif": text})
    intent = rig.pending()
    return rig, await died_deciding(rig, sql, intent, at)


@pytest.mark.parametrize("tif", ["Ioc", "Gtc"])
async def test_no_death_sends_an_order_twice_or_tells_a_lie(tif: str) -> None:
    outcomes: set[tuple[IntentState, int]] = set()
    for at in range(1_000):
        rig, died = await approve_and_die(at, tif)
        intent, account = rig.newest(), await rig.owner.desk.venues.active.account()
        held, sent = account.position("BTC"), len(rig.bodies)
        outcomes.add((intent.state, sent))
        assert intent.state in INTENT_ENDED, at
        assert sent <= 1, at
        assert held == (Decimal("0.01") if intent.state is IntentState.EXECUTED else 0), at
        assert rig.run_state(intent.source.run_id) == "done", at
        rig.context.sql.sql.close()  # type: ignore[attr-defined]
        if not died:
            break
    assert at > 40
    # It died while the venue worked too: looked up until it could come no more, and never sent again.
    assert outcomes == {(IntentState.EXECUTED, 1), (IntentState.REJECTED_BY_VENUE, 1)}
