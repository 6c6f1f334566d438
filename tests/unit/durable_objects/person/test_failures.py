"""Too many attempts on one person are refused as such, and who knows the secret is let in meanwhile."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import FAILED_ATTEMPTS_MAX, FAILED_ATTEMPTS_SECONDS
from durable_objects.person.person import Person
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import person_at

WHO = "person_" + "0" * 26


def guess(person: Person, of: str = "wrong") -> object:
    return person.ask("session", {"hash": of, "may_offer": False})


def test_the_last_one_within_the_limit_is_refused_as_ever_and_the_next_as_too_many(
    context: Context, clock: Clock
) -> None:
    person = person_at(context)
    begun = person.ask("begin_session", {"name": "Ada", "device": "", "way": "passkey", "operator": False})
    for _ in range(FAILED_ATTEMPTS_MAX):
        assert guess(person) is None
    with pytest.raises(BerthError) as caught:
        guess(person)
    assert caught.value.code == ErrorCode.TOO_MANY_ATTEMPTS
    assert caught.value.retry_after_s == FAILED_ATTEMPTS_SECONDS
    assert guess(person, hashed(begun["secret"])) is not None
    with pytest.raises(BerthError, match="too_many_attempts"):
        person.ask("token", {"hash": "wrong"})
    clock.pass_seconds(FAILED_ATTEMPTS_SECONDS)
    assert guess(person) is None


def test_somebody_who_is_not_there_answers_as_somebody_who_is(context: Context) -> None:
    person = person_at(context)
    for _ in range(FAILED_ATTEMPTS_MAX):
        assert guess(person) is None
    with pytest.raises(BerthError, match="too_many_attempts"):
        guess(person)
    assert context.sql.execute("SELECT name FROM sqlite_master") == []
