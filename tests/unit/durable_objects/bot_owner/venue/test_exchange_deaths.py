"""The object dies at each statement of an approval at the exchange: no order or one arrives, as is told."""

import pytest

from contracts.states import INTENT_ENDED, IntentState
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.curve import NodeCurve
from tests.unit.durable_objects.bot_owner.venue.mortal import MortalSql, died_deciding
from tests.unit.durable_objects.bot_owner.venue.real import RealRig
from tests.unit.durable_objects.conftest import Clock, counted
from tests.venue_server.server import Fault


async def approve_and_die(curve: NodeCurve, at: int, faults: list[Fault]) -> tuple[RealRig, bool]:
    """Approve, dying at the statement of that number; returns whether it came to that."""
    sql, clock, numbers = MortalSql(), Clock(), counted()
    context = Context(sql=sql, now_ms=clock, entropy=lambda n: next(numbers).to_bytes(n, "big"))
    rig = RealRig(context, clock, curve)
    await rig.connect()
    intent = await rig.buy()
    rig.stand_in.faults = faults
    return rig, await died_deciding(rig, sql, intent, at)


@pytest.mark.parametrize("faults", [[], ["drop_after"], ["bad_gateway_before"]])
async def test_no_death_sends_an_order_twice_or_tells_a_lie(curve: NodeCurve, faults: list[Fault]) -> None:
    outcomes: set[tuple[IntentState, int, str]] = set()
    for at in range(1_000):
        rig, died = await approve_and_die(curve, at, list(faults))
        intent = rig.newest()
        outcomes.add((intent.state, len(rig.sent), rig.held()))
        assert intent.state in INTENT_ENDED, at
        assert len(rig.sent) <= 1, at
        assert rig.held() == ("0.01" if intent.state is IntentState.EXECUTED else "0"), at
        assert rig.run_state(intent.source.run_id) == "done", at
        rig.context.sql.sql.close()  # type: ignore[attr-defined]
        if not died:
            break
    assert at > 40
    landed = (IntentState.EXECUTED, 1, "0.01")
    lost = (IntentState.REJECTED_BY_VENUE, 1, "0")
    never = (IntentState.REJECTED_BY_VENUE, 0, "0")
    expected = lost if faults == ["bad_gateway_before"] else landed
    assert expected in outcomes
    assert outcomes <= {expected, never}
