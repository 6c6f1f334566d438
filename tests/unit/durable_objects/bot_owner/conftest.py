"""The owner of the tests in this folder."""

import pytest

from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig


@pytest.fixture
def rig(context: Context) -> OwnerRig:
    return OwnerRig(context)
