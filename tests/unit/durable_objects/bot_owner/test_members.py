"""Every operation of an owner's object is for those who belong to it, as far as their role reaches."""

from typing import Any

import pytest

from contracts.errors import BerthError
from contracts.people import ROLE_RIGHTS, Caller, Right, Role
from durable_objects.bot_owner.needs import NEEDS
from durable_objects.bot_owner.operations import Operations
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.bot_owner.test_deletion import Estate, deletion, operations_of
from tests.unit.people import caller

OWNER = "o1"


@pytest.fixture
def operations(rig: OwnerRig) -> Operations:
    return operations_of(rig, deletion(rig.owner.context, Estate(rig.owner.context)))


def join(rig: OwnerRig, person_id: str, role: Role) -> None:
    rig.context.sql.run(
        "INSERT OR IGNORE INTO members (person_id, role, joined_ms) VALUES (?, ?, 0)", person_id, role
    )


async def answer(operations: Operations, name: str, who: Caller) -> str:
    """What an operation says that is asked for something that is not there."""
    fields: dict[str, Any] = {"id": "x", "body": {}, "thread_id": "x"}
    try:
        await operations.do(name, fields, who)
    except BerthError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - past the door: what it makes of a body that is none is not asked here
        return type(error).__name__
    return "answered"


def test_every_operation_says_what_it_needs(operations: Operations) -> None:
    assert NEEDS.keys() == operations._table.keys()


async def test_who_does_not_belong_is_told_the_same_by_every_operation(operations: Operations) -> None:
    said = {
        await answer(operations, name, caller("p1", OWNER)) for name in NEEDS if NEEDS[name] != Right.OPERATE
    }
    assert said == {"not_found: There is no such owner."}


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
async def test_a_member_does_what_the_role_gives_and_is_told_one_thing_of_the_rest(
    operations: Operations, rig: OwnerRig, role: Role
) -> None:
    for name, need in NEEDS.items():
        # One of them is to leave.
        join(rig, "p1", role)
        said = await answer(operations, name, caller("p1", OWNER))
        assert (said == "forbidden: You may not do this here.") == (need not in ROLE_RIGHTS[role]), (
            name,
            said,
        )


async def test_a_token_that_cannot_approve_does_not_for_the_owner_either(operations: Operations) -> None:
    who = caller(OWNER, rights=frozenset({Right.READ, Right.CHAT}))
    assert (await answer(operations, "decide_approval", who)).startswith("forbidden")
    assert (await answer(operations, "threads", who)) == "answered"


async def test_who_was_a_member_is_none_at_once(operations: Operations, rig: OwnerRig) -> None:
    join(rig, "p1", Role.MEMBER)
    assert await answer(operations, "threads", caller("p1", OWNER)) == "answered"
    rig.context.sql.run("DELETE FROM members")
    assert (await answer(operations, "threads", caller("p1", OWNER))).startswith("not_found")
