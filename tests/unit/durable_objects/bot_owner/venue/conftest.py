"""The curve, started once as it is a process of Node, and an owner who trades."""

from collections.abc import Iterator

import pytest

from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.curve import NodeCurve, node_curve
from tests.unit.durable_objects.bot_owner.venue.real import RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture(scope="session")
def curve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCurve]:
    with node_curve(tmp_path_factory.mktemp("noble")) as running:
        yield running


@pytest.fixture
async def owner_at_venue(context: Context, clock: Clock, curve: NodeCurve) -> RealRig:
    """An owner whose account at the stand-in exchange is connected and chosen."""
    rig = RealRig(context, clock, curve)
    await rig.connect()
    return rig


@pytest.fixture
def trader(context: Context, clock: Clock) -> TradingRig:
    return TradingRig(context, clock)
