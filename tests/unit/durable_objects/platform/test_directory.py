"""Who may come: the first person, invitations, open doors; and what two people do at once."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import INVITATION_DAYS, INVITATIONS_MAX
from durable_objects.platform.directory import DAY_MS, Arrival, Directory, Identity, hashed
from durable_objects.platform.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql, migrate
from tests.unit.durable_objects.conftest import Clock

ADA = Identity("https://id.example", hashed("ada"))
BOB = Identity("https://id.example", hashed("bob"))
SETUP = hashed("setup")


@pytest.fixture
def directory(context: Context) -> Directory:
    migrate(context.sql, SCHEMA)
    return Directory(context)


def refused(directory: Directory, arrival: Arrival) -> None:
    for work in (directory.may_come, directory.admit):
        with pytest.raises(BerthError) as caught:
            work(arrival)
        assert caught.value.code == ErrorCode.FORBIDDEN
    assert directory.person(arrival.person_id) is None


def test_nobody_comes_uninvited(directory: Directory) -> None:
    refused(directory, Arrival("p1"))
    refused(directory, Arrival("p1", ADA))
    refused(directory, Arrival("p1", ADA, code=hashed("guessed"), setup_code=SETUP))
    # Where no setup code is set, nothing is one.
    refused(directory, Arrival("p1", code="", setup_code=""))


def test_a_setup_code_makes_one_operator(directory: Directory) -> None:
    first = Arrival("p1", code=SETUP, setup_code=SETUP)
    assert directory.awaits_first(SETUP)
    assert not directory.awaits_first("")
    directory.may_come(first)
    assert directory.admit(first).operator
    assert directory.admit(first).person_id == "p1"
    assert not directory.awaits_first(SETUP)
    refused(directory, Arrival("p2", code=SETUP, setup_code=SETUP))
    # With an open door the code is no more than nothing.
    assert not directory.admit(Arrival("p3", code=SETUP, setup_code=SETUP, sign_up_open=True)).operator
    other = hashed("another")
    assert directory.admit(Arrival("p4", code=other, setup_code=other)).operator


def test_an_invitation_is_for_one_person(directory: Directory) -> None:
    code = hashed(directory.invite("p0").code)
    directory.may_come(Arrival("p1", code=code))
    assert not directory.admit(Arrival("p1", ADA, code=code)).operator
    refused(directory, Arrival("p2", BOB, code=code))
    # Who is here is who they were, with whatever they bring.
    assert directory.admit(Arrival("p3", ADA)).person_id == "p1"
    assert directory.person("p3") is None


def test_who_is_here_uses_up_no_invitation(directory: Directory) -> None:
    directory.admit(Arrival("p1", ADA, sign_up_open=True))
    code = hashed(directory.invite("p1").code)
    directory.admit(Arrival("p2", ADA, code=code))
    assert directory.invitations()[0].used_ms is None
    directory.admit(Arrival("p3", BOB, code=code))
    assert directory.invitations()[0].used_ms is not None


def test_an_invitation_ends_after_so_many_days(directory: Directory, clock: Clock) -> None:
    code = hashed(directory.invite("p0").code)
    clock.ms += INVITATION_DAYS * DAY_MS - 1
    directory.may_come(Arrival("p1", code=code))
    clock.ms += 1
    refused(directory, Arrival("p1", code=code))


def test_an_invitation_is_taken_back_unless_it_was_used(directory: Directory) -> None:
    made = directory.invite("p0")
    directory.take_back(made.id)
    refused(directory, Arrival("p1", code=hashed(made.code)))
    used = directory.invite("p0")
    directory.admit(Arrival("p1", code=hashed(used.code)))
    for gone in (made.id, used.id):
        with pytest.raises(BerthError) as caught:
            directory.take_back(gone)
        assert caught.value.code == ErrorCode.NOT_FOUND


def test_so_many_invitations_wait_and_not_one_more(directory: Directory, clock: Clock) -> None:
    made = [directory.invite("p0") for _ in range(INVITATIONS_MAX)]
    with pytest.raises(BerthError, match=str(INVITATIONS_MAX)):
        directory.invite("p0")
    directory.take_back(made[0].id)
    directory.invite("p0")
    clock.ms += 2 * INVITATION_DAYS * DAY_MS + 1
    directory.invite("p0")
    assert len(directory.invitations()) == 1


def test_whom_the_deployment_names_comes_in_without_an_invitation(directory: Directory) -> None:
    listed = directory.admit(Arrival("p1", ADA, listed=True))
    # What makes them an operator is the naming, not this row.
    assert not listed.operator


def test_the_same_subject_of_another_issuer_is_somebody_else(directory: Directory) -> None:
    directory.admit(Arrival("p1", ADA, sign_up_open=True))
    there = Identity("https://id.test", ADA.subject)
    assert directory.of(there) is None
    assert directory.admit(Arrival("p2", there, sign_up_open=True)).person_id == "p2"


def test_its_key_is_made_once(directory: Directory) -> None:
    assert directory.key() == directory.key()
    assert len(bytes.fromhex(directory.key())) == 32


def test_a_value_is_spent_once(directory: Directory, clock: Clock) -> None:
    assert directory.spend("state", clock.ms + 1)
    assert not directory.spend("state", clock.ms + 1)


def test_no_code_and_no_subject_is_kept_as_it_is(directory: Directory, sql: SqliteSql) -> None:
    made = directory.invite("p0")
    assert made.code not in str(sql.execute("SELECT * FROM invitations"))


def test_recovery_codes_lead_to_their_person_until_there_are_others(directory: Directory) -> None:
    directory.admit(Arrival("p1", sign_up_open=True))
    directory.add_recovery("p1", ["a", "b"])
    directory.add_recovery("p2", ["c"])
    found = directory.by_recovery("a")
    assert found is not None
    assert found.person_id == "p1"
    # A person whom nobody has let in has no codes either.
    assert directory.by_recovery("c") is None
    directory.add_recovery("p1", ["d"])
    assert directory.by_recovery("a") == directory.by_recovery("d") == found
    # Nobody's but their own.
    directory.forget_recovery("p2", ["a"])
    assert directory.by_recovery("a") == found
    directory.forget_recovery("p1", ["a", "b"])
    assert directory.by_recovery("a") is None
    assert directory.by_recovery("d") == found


def test_who_is_forgotten_is_somebody_new(directory: Directory) -> None:
    directory.admit(Arrival("p1", ADA, sign_up_open=True))
    directory.admit(Arrival("p2", BOB, sign_up_open=True))
    directory.add_recovery("p1", ["r1"])
    directory.add_recovery("p2", ["r2"])
    theirs, others = hashed(directory.invite("p1").code), hashed(directory.invite("p2").code)
    for _ in range(2):
        directory.forget("p1")
        assert (directory.of(ADA), directory.person("p1"), directory.by_recovery("r1")) == (None, None, None)
    refused(directory, Arrival("p3", ADA))
    refused(directory, Arrival("p3", ADA, code=theirs))
    assert directory.admit(Arrival("p3", ADA, code=others)).person_id == "p3"
    assert directory.of(BOB) == directory.by_recovery("r2") == directory.person("p2")


def test_a_ban_is_not_ended_by_going_and_coming_again(directory: Directory, context: Context) -> None:
    directory.admit(Arrival("p1", ADA, sign_up_open=True))
    context.sql.run("INSERT INTO bans (owner_id, reason, at_ms) VALUES ('p1', 'mining', 1)")
    for _ in range(2):
        directory.forget("p1")
    assert (directory.of(ADA), directory.person("p1")) == (None, None)
    refused(directory, Arrival("p3", ADA, sign_up_open=True))
    assert directory.admit(Arrival("p2", BOB, sign_up_open=True)).person_id == "p2"
    context.sql.run("DELETE FROM bans")
    assert directory.admit(Arrival("p3", ADA, sign_up_open=True)).person_id == "p3"
