"""API tokens and tickets: what they are good for, and for nothing else."""

import pytest
from pydantic import ValidationError

from contracts.errors import BerthError
from contracts.limits import TICKET_SECONDS, TICKETS_MAX, TOKENS_MAX
from contracts.people import Right, TokenCreate, TokenScope, Via
from durable_objects.person.person import Person
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, presented
from tests.unit.durable_objects.conftest import Clock
from tests.unit.durable_objects.person.record import person_at
from tests.unit.people import caller

WHO = "person_" + "0" * 26
STREAM = "/api/threads/thr_1/stream"


@pytest.fixture
def person(context: Context) -> Person:
    made = person_at(context)
    made.ask("begin_session", {"name": "Ada", "device": "", "way": "passkey", "operator": False})
    return made


def create(person: Person, scopes: list[TokenScope] | None = None, days: int | None = None) -> str:
    wanted = TokenCreate(name="script", scopes=scopes or [Right.READ, Right.CHAT], days=days)
    return person.tokens.create(wanted).token


def test_a_token_can_do_what_it_was_made_for_and_never_approves_by_itself(person: Person) -> None:
    secret = create(person)
    found = presented(secret)
    assert found is not None
    assert (found.kind, found.person_id) == ("t", WHO)
    known = person.tokens.known(hashed(secret))
    assert known is not None
    assert (known.rights, known.operator) == (frozenset({Right.READ, Right.CHAT}), False)
    approving = person.tokens.known(hashed(create(person, [Right.APPROVE])))
    assert approving is not None
    assert approving.rights == {Right.APPROVE}


@pytest.mark.parametrize("scope", [Right.MANAGE, Right.OPERATE, "everything"])
def test_no_token_manages_or_operates(scope: str) -> None:
    with pytest.raises(ValidationError):
        TokenCreate.model_validate({"name": "x", "scopes": [scope]})


def test_its_secret_is_kept_nowhere(person: Person, context: Context) -> None:
    secret = create(person)
    assert secret not in str(context.sql.execute("SELECT * FROM tokens"))
    assert secret not in str(person.tokens.all())


def test_it_ends_when_it_is_removed_and_after_its_days(person: Person, clock: Clock) -> None:
    lasting, short = create(person), create(person, days=1)
    clock.pass_seconds(86_399)
    known = person.tokens.known(hashed(short))
    assert known is not None
    assert known.until_ms == clock.ms + 1_000
    clock.pass_seconds(1)
    assert person.tokens.known(hashed(short)) is None
    assert person.tokens.known(hashed(lasting)) is not None
    for token in person.tokens.all():
        person.tokens.remove(token.id)
    assert person.tokens.known(hashed(lasting)) is None
    with pytest.raises(BerthError, match="not_found"):
        person.tokens.remove("tok_1")


def test_there_are_no_more_than_there_may_be(person: Person) -> None:
    for _ in range(TOKENS_MAX):
        create(person)
    with pytest.raises(BerthError, match="invalid_request"):
        create(person)


def take(person: Person, ticket: str, who: str = "session-1", owner: str = WHO, path: str = STREAM) -> bool:
    asking = caller(WHO, owner).model_copy(update={"credential_id": who})
    fields = {"caller": asking.model_dump(mode="json"), "path": path, "ticket": ticket}
    return bool(person.ask("take_ticket", fields)["good"])


def test_a_ticket_is_good_once_for_its_session_owner_and_path(person: Person) -> None:
    def given() -> str:
        return person.tickets.give(caller(WHO), STREAM).ticket

    assert not take(person, given(), who="session-2")
    assert not take(person, given(), owner="owner_1")
    assert not take(person, given(), path="/api/threads/thr_2/stream")
    assert not take(person, "")
    ticket = given()
    assert take(person, ticket)
    assert not take(person, ticket)
    # One that was tried for something else is spent.
    ticket = given()
    assert not take(person, ticket, who="session-2")
    assert not take(person, ticket)


def test_a_ticket_ends_after_half_a_minute(person: Person, clock: Clock) -> None:
    late, soon = (person.tickets.give(caller(WHO), STREAM).ticket for _ in range(2))
    clock.pass_seconds(TICKET_SECONDS - 1)
    assert take(person, soon)
    clock.pass_seconds(1)
    assert not take(person, late)


def test_of_too_many_tickets_the_oldest_is_good_for_nothing(person: Person, clock: Clock) -> None:
    tickets = []
    for _ in range(TICKETS_MAX + 1):
        tickets.append(person.tickets.give(caller(WHO), STREAM).ticket)
        clock.ms += 1
    assert not take(person, tickets[0])
    assert take(person, tickets[1])


def test_nobody_asks_about_another_and_a_token_makes_no_token(person: Person) -> None:
    with pytest.raises(BerthError, match="not_found"):
        person.call("sessions", {}, caller("person_" + "1" * 26))
    for via in Via:
        token = caller(WHO, rights=frozenset({Right.READ, Right.CHAT, Right.APPROVE}), via=via)
        for operation in ("sessions", "tokens", "create_token", "remove_token", "end_other_sessions"):
            with pytest.raises(BerthError, match="forbidden"):
                person.call(operation, {}, token)
