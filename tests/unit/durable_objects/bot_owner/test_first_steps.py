"""Which of the first steps an owner has taken: what any of their browsers tells is known to all."""

import pytest
from pydantic import ValidationError

from contracts.states import FirstStep
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.bot_owner.test_audited import Rig


async def test_what_two_browsers_tell_is_known_together(rig: OwnerRig) -> None:
    owner = Rig(rig)
    assert (await owner.do("me")).first_steps == []
    await owner.do("change_me", first_steps=["file", "command"])
    changed = await owner.do("change_me", first_steps=["order", "file"])
    assert changed.first_steps == [FirstStep.COMMAND, FirstStep.FILE, FirstStep.ORDER]
    await owner.do("change_me", locale="zh-Hans")
    await owner.do("change_me", first_steps=[])
    assert (await owner.do("me")).first_steps == changed.first_steps


async def test_what_is_no_step_is_refused(rig: OwnerRig) -> None:
    owner = Rig(rig)
    with pytest.raises(ValidationError):
        await owner.do("change_me", first_steps=["command", "nonsense"])
    with pytest.raises(ValidationError):
        await owner.do("change_me", first_steps=["command"] * 100)
    assert (await owner.do("me")).first_steps == []
