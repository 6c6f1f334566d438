"""Sessions: known by their secret, which changes; ended one by one; forgotten when nobody uses them."""

import pytest

from contracts.errors import BerthError
from contracts.limits import (
    SESSION_DAYS,
    SESSION_OVERLAP_SECONDS,
    SESSION_ROTATION_SECONDS,
    SESSIONS_MAX,
)
from contracts.people import OWNER_RIGHTS, Credential
from durable_objects.person.schema import SCHEMA
from durable_objects.person.sessions import Sessions
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, presented
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import person_at

WHO = "person_" + "0" * 26


@pytest.fixture
def sessions(context: Context) -> Sessions:
    migrate(context.sql, SCHEMA)
    return Sessions(context, WHO)


def known(sessions: Sessions, secret: str, *, may_offer: bool = True) -> Credential | None:
    return sessions.known(hashed(secret), may_offer=may_offer)


def renewal(sessions: Sessions, secret: str, *, may_offer: bool = True) -> str | None:
    """What a session that holds is offered."""
    found = known(sessions, secret, may_offer=may_offer)
    assert found is not None
    return found.secret


def offered(sessions: Sessions, secret: str) -> str:
    found = renewal(sessions, secret)
    assert found is not None
    return found


def test_a_secret_says_whose_it_is_and_only_its_hash_is_kept(sessions: Sessions, context: Context) -> None:
    secret = sessions.begin("Firefox, Linux", operator=False)
    found = presented(secret)
    assert found is not None
    assert (found.kind, found.person_id, found.hash) == ("s", WHO, hashed(secret))
    assert secret not in str(context.sql.execute("SELECT * FROM sessions"))
    credential = known(sessions, secret)
    assert credential is not None
    assert (credential.rights, credential.operator, credential.secret) == (OWNER_RIGHTS, False, None)


def test_another_secret_is_nobodys(sessions: Sessions) -> None:
    secret = sessions.begin("", operator=False)
    for other in ("", secret[:-1], secret + "A", secret.replace("berth_s", "berth_t")):
        assert known(sessions, other) is None


def test_an_operator_is_one_in_the_session_that_began_so(sessions: Sessions) -> None:
    found = known(sessions, sessions.begin("", operator=True))
    assert found is not None
    assert found.operator


def test_the_secret_changes_after_a_day_and_the_old_one_ends_a_minute_after_the_new_one_is_used(
    sessions: Sessions, clock: Clock
) -> None:
    first = sessions.begin("", operator=False)
    clock.pass_seconds(SESSION_ROTATION_SECONDS - 1)
    assert renewal(sessions, first) is None
    clock.pass_seconds(1)
    second = offered(sessions, first)
    # The answer may be lost: the old one goes on, and after a minute another is offered.
    assert renewal(sessions, first) is None
    clock.pass_seconds(SESSION_OVERLAP_SECONDS)
    third = offered(sessions, first)
    assert known(sessions, second) is None
    assert known(sessions, third) is not None
    clock.pass_seconds(SESSION_OVERLAP_SECONDS - 1)
    assert renewal(sessions, first) is None
    clock.pass_seconds(1)
    assert known(sessions, first) is None
    assert known(sessions, third) is not None


def test_an_answer_that_can_carry_no_secret_offers_none(sessions: Sessions, clock: Clock) -> None:
    secret = sessions.begin("", operator=False)
    clock.pass_seconds(SESSION_ROTATION_SECONDS)
    assert renewal(sessions, secret, may_offer=False) is None
    assert offered(sessions, secret)


def test_a_session_ends_when_it_is_not_used_for_thirty_days(sessions: Sessions, clock: Clock) -> None:
    secret = sessions.begin("", operator=False)
    for _ in range(3):
        clock.pass_seconds(SESSION_DAYS * 86_400 - 1)
        assert known(sessions, secret, may_offer=False) is not None
    clock.pass_seconds(SESSION_DAYS * 86_400)
    assert known(sessions, secret) is None
    assert sessions.all("") == []


def test_they_are_listed_and_ended_one_by_one_or_all_others(sessions: Sessions, clock: Clock) -> None:
    secrets = []
    for device in ("a", "b", "c"):
        secrets.append(sessions.begin(device, operator=False))
        clock.pass_seconds(1)
    mine = known(sessions, secrets[0])
    assert mine is not None
    listed = sessions.all(mine.id)
    assert [(one.device, one.current) for one in listed] == [("c", False), ("b", False), ("a", True)]
    sessions.end(listed[0].id)
    assert known(sessions, secrets[2]) is None
    with pytest.raises(BerthError, match="not_found"):
        sessions.end(listed[0].id)
    sessions.end_others(mine.id)
    assert [known(sessions, secret) is not None for secret in secrets] == [True, False, False]


def test_one_more_than_there_may_be_ends_the_one_that_was_used_longest_ago(
    sessions: Sessions, clock: Clock
) -> None:
    secrets = []
    for _ in range(SESSIONS_MAX):
        secrets.append(sessions.begin("", operator=False))
        clock.pass_seconds(1)
    assert all(known(sessions, secret, may_offer=False) for secret in secrets)
    secrets.append(sessions.begin("", operator=False))
    assert known(sessions, secrets[0]) is None
    assert len(sessions.all("")) == SESSIONS_MAX


def test_asking_for_somebody_who_is_not_there_leaves_nothing_behind(context: Context) -> None:
    person = person_at(context)
    assert person.ask("session", {"hash": "x", "may_offer": True}) is None
    assert person.ask("token", {"hash": "x"}) is None
    assert context.sql.execute("SELECT name FROM sqlite_master") == []
