"""What is asked about a person's ways in: by whom, and of whom who was never let in."""

from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.people import OWNER_RIGHTS, Caller, Right, Via
from durable_objects.person.person import Person
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import person_at

WHO = "person_" + "0" * 26
OTHER = "person_" + "1" * 26
CALLED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ways_in", {}),
    ("add_passkey", {"challenge": {"value": "c", "until_ms": 0}, "key": {}, "passkey_name": "x"}),
    ("rename_passkey", {"id": "a", "name": "b"}),
    ("remove_passkey", {"id": "a"}),
    ("keep_recovery_codes", {"hashes": ["a"]}),
)


@pytest.fixture
def person(context: Context) -> Person:
    return person_at(context)


def caller(person_id: str, rights: frozenset[Right] = OWNER_RIGHTS, *, operator: bool = False) -> Caller:
    return Caller(
        person_id=person_id,
        owner_id=person_id,
        rights=rights,
        via=Via.SESSION,
        credential_id="s",
        operator=operator,
    )


def come(person: Person, clock: Clock) -> None:
    person.ask(
        "add_passkey",
        {
            "challenge": {"value": "c", "until_ms": clock.ms + 1},
            "key": {"id": "a", "public_key": "k", "counter": 0},
            "name": "Ada",
            "passkey_name": "Phone",
        },
    )


@pytest.mark.parametrize(
    ("operation", "fields"),
    [
        ("passkey_material", {"id": "a"}),
        ("use_passkey", {}),
        ("recover", {"code": "x"}),
    ],
)
def test_whoever_was_never_let_in_is_refused_and_leaves_nothing(
    person: Person, sql: SqliteSql, operation: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(BerthError) as caught:
        person.ask(operation, fields)
    assert caught.value.code == ErrorCode.UNAUTHENTICATED
    assert sql.execute("SELECT name FROM sqlite_master") == []


def test_who_comes_is_there_and_is_called_as_they_said(person: Person, clock: Clock) -> None:
    come(person, clock)
    shown = person.call("ways_in", {}, caller(WHO, operator=True))
    assert (shown.person_id, shown.name, shown.operator) == (WHO, "Ada", True)
    assert [one.name for one in shown.passkeys] == ["Phone"]


@pytest.mark.parametrize(("operation", "fields"), CALLED)
def test_nobody_else_and_no_lesser_credential_has_a_hand_in_them(
    person: Person, clock: Clock, operation: str, fields: dict[str, Any]
) -> None:
    come(person, clock)
    with pytest.raises(BerthError) as caught:
        person.call(operation, fields, caller(OTHER, operator=True))
    assert caught.value.code == ErrorCode.NOT_FOUND
    with pytest.raises(BerthError) as caught:
        person.call(operation, fields, caller(WHO, OWNER_RIGHTS - {Right.MANAGE}))
    assert caught.value.code == ErrorCode.FORBIDDEN
