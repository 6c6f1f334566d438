"""A person goes: what is theirs is told, ended and forgotten, and nobody is them again."""

from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.people import Right
from durable_objects.person.departure import TABLES
from durable_objects.person.schema import SCHEMA
from durable_objects.person.ways import new_recovery_codes, recovery_hash
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed
from tests.unit.durable_objects.person.record import person_at
from tests.unit.people import caller

WHO = "person_" + "0" * 26
ME = caller(WHO)
KEY = {"id": "key", "public_key": "cose", "counter": 0, "backed_up": True}


def rows(context: Context) -> dict[str, int]:
    return {
        table: context.sql.execute(f"SELECT COUNT(*) AS n FROM {table}")[0]["n"]  # noqa: S608 - our names
        for table in TABLES
    }


class Lived:
    """A person with something in every table."""

    def __init__(self, context: Context) -> None:
        self.person = person_at(context)
        self.session = self.person.ask(
            "begin_session", {"name": "Ada", "device": "Firefox", "way": "passkey", "operator": True}
        )
        about = {"name": "script", "scopes": [Right.READ], "days": 30}
        self.token = self.person.call("create_token", {"body": about}, ME).token
        self.person.call("give_ticket", {"path": "/x"}, ME)
        challenge = {"value": "c", "until_ms": context.now_ms() + 60_000}
        self.person.call("add_passkey", {"challenge": challenge, "key": KEY, "passkey_name": "Phone"}, ME)
        self.code = new_recovery_codes(context.entropy)[0]
        self.person.call("keep_recovery_codes", {"hashes": [recovery_hash(self.code)]}, ME)
        self.person.ask("came_by", {"issuer": "https://id", "subject": "s" * 64, "name": "Ada L"})
        self.person.call("keep_workspace", {"owner_id": "owner_a"}, ME)

    def leave(self, step: str, **fields: Any) -> Any:
        return self.person.depart(step, fields)


@pytest.fixture
def lived(context: Context) -> Lived:
    return Lived(context)


def refused(work: Any) -> None:
    with pytest.raises(BerthError) as caught:
        work()
    assert caught.value.code == ErrorCode.UNAUTHENTICATED


def test_the_archive_has_what_is_known_of_them_and_nothing_that_signs_in(
    context: Context, lived: Lived
) -> None:
    told = lived.leave("told")
    assert (told["name"], told["person_id"], told["created_ms"]) == ("Ada", WHO, context.now_ms())
    assert [one["device"] for one in told["sessions"]] == ["Firefox"]
    assert [one["name"] for one in told["tokens"]] == ["script"]
    assert [one["name"] for one in told["passkeys"]] == ["Phone"]
    assert [one["name"] for one in told["accounts"]] == ["Ada L"]
    assert [one["owner_id"] for one in told["workspaces"]] == ["owner_a"]
    secrets = (lived.token, lived.session["secret"], lived.code, "cose")
    assert not [one for one in secrets if one in str(told) or hashed(one) in str(told)]
    assert recovery_hash(lived.code) not in str(told)


def test_what_signed_in_ends_and_the_person_stays(context: Context, lived: Lived) -> None:
    ended = lived.leave("end_credentials")
    assert (len(ended["ids"]), ended["workspaces"]) == (2, ["owner_a"])
    person = person_at(context)
    assert person.ask("session", {"hash": hashed(lived.session["secret"]), "may_offer": False}) is None
    assert person.ask("token", {"hash": hashed(lived.token)}) is None
    assert {table for table, count in rows(context).items() if not count} == {"tickets", "sessions", "tokens"}
    assert lived.leave("end_credentials")["ids"] == []
    person.ask("begin_session", {"name": "", "device": "", "way": "passkey", "operator": False})


def test_nothing_is_left_but_that_they_are_gone(context: Context, lived: Lived) -> None:
    assert all(rows(context).values())
    assert lived.leave("belongs_to") == {"items": ["owner_a"]}
    lived.leave("left", owner_id="owner_a")
    for _ in range(2):
        lived.leave("forget")
        assert not any(rows(context).values())
    for person in (lived.person, person_at(context)):
        assert person.depart("belongs_to", {}) == {"items": []}
        assert person.depart("told", {}) == {}
        refused(lambda one=person: one.call("sessions", {}, ME))
        refused(
            lambda one=person: one.ask(
                "begin_session", {"name": "", "device": "", "way": "passkey", "operator": False}
            )
        )
        refused(lambda one=person: one.ask("came_by", {"issuer": "i", "subject": "s", "name": "n"}))
        refused(lambda one=person: one.ask("recover", {"code": recovery_hash(lived.code)}))
        assert person.ask("token", {"hash": hashed(lived.token)}) is None
        assert person.ask("may_belong", {"owner_id": "owner_a"}) == {"may": False}
    assert not any(rows(context).values())


def test_a_workspace_that_was_joined_meanwhile_is_left_first(context: Context, lived: Lived) -> None:
    with pytest.raises(BerthError, match="joined meanwhile"):
        lived.leave("forget")
    assert all(rows(context).values())
    lived.person.call("sessions", {}, ME)


def test_every_table_of_a_person_is_emptied() -> None:
    made = {line.split()[2] for step in SCHEMA for line in step if line.startswith("CREATE TABLE")}
    # What the record has not heard yet is still owed to it.
    assert made == {*TABLES, "gone", "audit_outbox"}


def test_of_nobody_there_is_nothing_and_nothing_is_made(context: Context) -> None:
    nobody = person_at(context)
    assert nobody.depart("told", {}) == {}
    assert nobody.depart("end_credentials", {}) == {"ids": [], "workspaces": []}
    nobody.depart("left", {"owner_id": "owner_a"})
    nobody.depart("forget", {})
    assert context.sql.execute("SELECT * FROM sqlite_master") == []


def test_a_person_is_called_what_they_say(lived: Lived) -> None:
    assert lived.person.call("rename", {"name": "Countess"}, ME) == {"workspaces": ["owner_a"]}
    assert lived.person.call("ways_in", {}, ME).name == "Countess"
