"""What people do about their sign-in is in the record: once each, whatever dies, and never with a secret."""

import json
from typing import Any

import pytest

from contracts.audit import actor_of
from contracts.errors import BerthError
from contracts.people import Right, Via
from durable_objects.person.audited import AUDITED
from durable_objects.person.person import Person
from durable_objects.shared.audit_desk import AGAIN_MS
from durable_objects.shared.context import Context
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import WHO, Told, person_at
from tests.unit.people import caller

ME = caller(WHO)
SIGN_IN = {"name": "Ada", "device": "Firefox", "way": "passkey", "operator": True}
KEY = {"id": "key", "public_key": "cose", "counter": 0, "backed_up": True}
UNCHANGING = {
    # They read, or are of this moment only.
    "sessions", "tokens", "ways_in", "workspaces", "give_ticket",
    # The workspace's own record says who joins and leaves.
    "forget_workspaces", "keep_workspace", "drop_workspace",
}  # fmt: skip


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def person(context: Context, told: Told) -> Person:
    return person_at(context, told)


def kinds(told: Told) -> list[str]:
    return [entry.kind for entry in told.entries]


def test_every_operation_is_in_the_record_or_changes_nothing(person: Person) -> None:
    assert person._called.keys() == AUDITED.keys() | UNCHANGING
    assert not AUDITED.keys() & UNCHANGING


async def test_it_says_who_and_how_and_never_a_secret(person: Person, clock: Clock, told: Told) -> None:
    said: list[Any] = [person.ask("begin_session", SIGN_IN)["secret"]]
    challenge = {"value": "c", "until_ms": clock.ms + 60_000}
    person.call("add_passkey", {"challenge": challenge, "key": KEY, "passkey_name": "Phone"}, ME)
    person.call("rename_passkey", {"id": "key", "name": "Zanzibar"}, ME)
    person.call("rename", {"name": "Zanzibar"}, ME)
    person.call("keep_recovery_codes", {"hashes": ["hash of a code"]}, ME)
    said.append("hash of a code")
    person.call("remove_passkey", {"id": "key"}, ME)
    made = person.call("create_token", {"body": {"name": "Zanzibar", "scopes": [Right.READ]}}, ME)
    said += [made.token, "Zanzibar", "Ada", "cose"]
    person.call("remove_token", {"id": made.id}, ME)
    person.call("end_other_sessions", {}, ME)
    person.ask("begin_session", SIGN_IN | {"way": "local"})
    [session] = person.call("sessions", {}, ME).items
    person.call("end_session", {"id": session.id}, ME)
    await person.tell()
    assert kinds(told) == [
        "signed_in", "passkey_added", "passkey_renamed", "person_renamed", "recovery_codes_made",
        "passkey_removed", "token_created", "token_removed", "other_sessions_ended", "signed_in",
        "session_ended",
    ]  # fmt: skip
    facts = {entry.kind: entry.details for entry in told.entries[1:]}
    assert told.entries[0].details == {"way": "passkey", "device": "Firefox", "operator": True}
    assert facts["passkey_added"] == {"passkey_id": "key"}
    assert facts["token_created"] == {"token_id": made.id, "scopes": ["read"]}
    assert facts["session_ended"] == {"session_id": session.id}
    assert {entry.owner_id for entry in told.entries} == {WHO}
    actors = [entry.actor for entry in told.entries]
    assert actors[1] == actor_of(ME)
    assert [actor.via for actor in actors if actor and actor.via != Via.SESSION] == [Via.LOCAL]
    text = json.dumps([entry.model_dump(mode="json") for entry in told.entries])
    assert [one for one in said if one in text] == []


async def test_who_signs_out_has_signed_out(person: Person, told: Told) -> None:
    person.ask("begin_session", SIGN_IN)
    [session] = person.call("sessions", {}, ME).items
    person.call("sign_out", {}, ME.model_copy(update={"credential_id": session.id}))
    await person.tell()
    assert kinds(told) == ["signed_in", "signed_out"]


async def test_a_sign_in_that_no_session_follows_is_one_too(person: Person, told: Told) -> None:
    account = {"issuer": "https://id", "subject": "s" * 64, "name": "Ada"}
    person.ask("came_by", account | {"signed_in": None})
    person.ask("came_by", account | {"signed_in": {"way": "access", "device": "", "operator": False}})
    await person.tell()
    [entry] = told.entries
    assert (entry.kind, entry.details["way"]) == ("signed_in", "access")
    assert entry.actor
    assert entry.actor.via == Via.ACCESS


async def test_what_fails_and_what_only_looks_is_not_in_the_record(person: Person, told: Told) -> None:
    person.ask("begin_session", SIGN_IN)
    await person.tell()
    told.rings.clear()
    with pytest.raises(BerthError):
        person.call("remove_token", {"id": "tok_x"}, ME)
    with pytest.raises(BerthError):
        person.call("end_session", {"id": "ses_x"}, caller("person_other"))
    person.call("sessions", {}, ME)
    await person.tell()
    assert (kinds(told), told.rings) == (["signed_in"], [])


async def test_a_record_that_does_not_answer_hears_of_it_later_and_holds_nothing_up(
    context: Context, clock: Clock, told: Told
) -> None:
    told.is_down = True
    person = person_at(context, told)
    person.ask("begin_session", SIGN_IN)
    assert told.rings == [clock.ms + AGAIN_MS]
    await person.tell()
    assert told.entries == []
    # The object dies here; its alarm does not.
    reborn = person_at(context, told)
    clock.pass_seconds(10)
    await reborn.sweep()
    assert told.rings[-1] == clock.ms + AGAIN_MS
    told.is_down = False
    await reborn.sweep()
    await reborn.sweep()
    assert kinds(told) == ["signed_in"]


async def test_one_that_was_heard_but_not_answered_is_told_again_under_its_id(
    context: Context, told: Told
) -> None:
    told.loses_answers = True
    person = person_at(context, told)
    person.ask("begin_session", SIGN_IN)
    await person.tell()
    told.loses_answers = False
    await person_at(context, told).sweep()
    assert len(told.entries) == len(["told", "told again"])
    assert told.entries[0] == told.entries[1]


async def test_nothing_is_forgotten_before_the_record_has_heard_of_it(context: Context, told: Told) -> None:
    told.is_down = True
    person = person_at(context, told)
    person.ask("begin_session", SIGN_IN)
    with pytest.raises(BerthError):
        await person.tell_all()
    told.is_down = False
    await person.tell_all()
    person.depart("forget", {})
    # One that came between is still owed.
    assert kinds(told) == ["signed_in"]
    nobody = person_at(context, told)
    await nobody.tell_all()
    await nobody.sweep()
    assert kinds(told) == ["signed_in"]


async def test_of_nobody_there_is_nothing_to_tell_and_nothing_is_made(context: Context, told: Told) -> None:
    await person_at(context, told).tell_all()
    assert context.sql.execute("SELECT name FROM sqlite_master") == []
