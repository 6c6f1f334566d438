"""What a person keeps of where they belong: never too little, and no more than there may be."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import WORKSPACES_A_PERSON_MAX
from durable_objects.person.person import Person
from durable_objects.person.workspaces import JOINING_MS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import person_at
from tests.unit.people import caller

WHO = "person_" + "0" * 26
ME = caller(WHO)


@pytest.fixture
def person(context: Context) -> Person:
    made = person_at(context)
    made.ask("begin_session", {"name": "Ada", "device": "", "way": "passkey", "operator": False})
    return made


def keep(person: Person, owner_id: str) -> bool:
    kept = person.call("keep_workspace", {"owner_id": owner_id}, ME)
    assert kept["name"] == "Ada"
    return bool(kept["known"])


def test_one_more_than_there_may_be_is_refused_until_one_is_left(person: Person) -> None:
    wanted = [f"owner_{number:02}" for number in range(WORKSPACES_A_PERSON_MAX)]
    assert not any(keep(person, one) for one in wanted)
    assert keep(person, wanted[0])
    with pytest.raises(BerthError) as caught:
        keep(person, "owner_more")
    assert caught.value.code == ErrorCode.INVALID_REQUEST
    person.call("drop_workspace", {"owner_id": wanted[1]}, ME)
    keep(person, "owner_more")
    assert person.call("workspaces", {}, ME) == {"items": sorted({*wanted, "owner_more"} - {wanted[1]})}


def test_who_is_on_their_way_in_is_not_forgotten_meanwhile(person: Person, clock: Clock) -> None:
    keep(person, "owner_a")
    clock.ms += JOINING_MS - 1
    person.call("forget_workspaces", {"owner_ids": ["owner_a", "owner_b"]}, ME)
    assert person.call("workspaces", {}, ME) == {"items": ["owner_a"]}
    clock.ms += 1
    person.call("forget_workspaces", {"owner_ids": ["owner_a"]}, ME)
    assert person.call("workspaces", {}, ME) == {"items": []}


def test_nobody_else_asks(person: Person) -> None:
    for operation in ("workspaces", "keep_workspace", "drop_workspace", "forget_workspaces"):
        with pytest.raises(BerthError) as caught:
            person.call(operation, {"owner_id": "x", "owner_ids": ["x"]}, caller("person_other"))
        assert caught.value.code == ErrorCode.NOT_FOUND
