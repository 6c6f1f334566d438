"""The owner of the tests in this folder."""

import pytest

from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.routines.routine_rig import RoutineRig
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture
def owner(context: Context, clock: Clock) -> RoutineRig:
    return RoutineRig(context, clock)
