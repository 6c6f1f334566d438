"""Passkeys, invitations and recovery codes on the served Berth, from the first person on."""

import re

from tests.identity.authenticator import Authenticator, b64
from tests.integration.sign_in.conftest import SETUP_CODE
from tests.integration.sign_in.guest import Guest

REFUSED = {"code": "unauthenticated", "message": "This did not sign you in. Try again."}


def refused(answer: dict[str, object]) -> bool:
    return {name: answer[name] for name in REFUSED} == REFUSED


def invited(operator: Guest) -> str:
    return str(operator.ask("POST", "/api/operator/invitations", expect=201)["code"])


def come(guest: Guest, operator: Guest, name: str = "Bob") -> None:
    guest.sign_up(name, invited(operator))


def test_the_first_person_is_an_operator_and_the_code_is_used_up(guest: Guest, operator: Guest) -> None:
    assert operator.ask("GET", "/api/ways-in")["operator"]
    assert not guest.ask("GET", "/api/sign-in")["first"]
    answer = guest.ask(
        "POST", "/api/sign-up/passkey/options", {"name": "Eve", "code": SETUP_CODE}, expect=403
    )
    assert answer["code"] == "forbidden"


def test_an_invitation_lets_one_person_in_who_has_what_is_theirs_alone(guest: Guest, operator: Guest) -> None:
    code = invited(operator)
    # Two begin with it; the one who finishes first is in.
    with Guest(guest.origin) as late:
        begun = late.ask("POST", "/api/sign-up/passkey/options", {"name": "Eve", "code": code})
        guest.sign_up("Bob", code)
        response = late.key.create(begun["options"])
        answer = late.ask("POST", "/api/sign-up/passkey", {"response": response}, expect=403)
        assert answer["code"] == "forbidden"
        late.ask("GET", "/api/me", expect=401)
    bot = guest.ask("POST", "/api/bots", {"name": "Bob's", "model": {"provider": "manual"}}, expect=201)
    assert [one["id"] for one in guest.ask("GET", "/api/bots")["items"]] == [bot["id"]]
    assert operator.ask("GET", "/api/bots")["items"] == []
    guest.ask("GET", "/api/operator/invitations", expect=403)
    assert not guest.ask("GET", "/api/ways-in")["operator"]


def test_who_comes_back_is_who_they_were(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    before = guest.person_id
    assert re.fullmatch(r"person_[0-9A-HJKMNP-TV-Z]{26}", before)
    guest.forget()
    guest.ask("GET", "/api/me", expect=401)
    assert guest.sign_in() == {"person_id": before, "recovered": False}
    assert guest.person_id == before


def test_an_answer_that_was_used_or_was_meant_for_another_place_signs_nobody_in(
    guest: Guest, operator: Guest
) -> None:
    come(guest, operator)
    guest.ask("POST", "/api/sign-out", expect=204)
    options = guest.ask("POST", "/api/sign-in/passkey/options")["options"]
    guest.key.counter += 1
    response = {"response": guest.key.get(options)}
    guest.ask("POST", "/api/sign-in/passkey", response)
    guest.forget()
    assert refused(guest.ask("POST", "/api/sign-in/passkey", response, expect=401))
    guest.key.client["origin"] = "https://evil.test"
    assert refused(guest.sign_in(expect=401))
    guest.key.client.clear()
    guest.key.rp_id = "evil.test"
    assert refused(guest.sign_in(expect=401))
    guest.ask("GET", "/api/me", expect=401)


def test_a_counter_that_falls_signs_nobody_in(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    guest.sign_in()
    guest.key.counter = 0
    assert refused(guest.sign_in(expect=401))


def test_a_person_who_never_was_is_refused_like_a_wrong_key(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    guest.key.user = b64(b"person_" + b"0" * 26)
    assert refused(guest.sign_in(expect=401))


def test_passkeys_are_added_named_and_removed_but_not_the_last_one(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    first = guest.ask("GET", "/api/ways-in")["passkeys"][0]["id"]
    answer = guest.ask("DELETE", f"/api/passkeys/{first}", expect=409)
    assert answer["code"] == "last_way_in"
    options = guest.ask("POST", "/api/passkeys/options")["options"]
    second = Authenticator(guest.origin, "localhost")
    response = second.create(options)
    # The challenge is this person's: nobody else can put their own passkey here by it.
    operator.ask("POST", "/api/passkeys", {"name": "Mine", "response": response}, expect=401)
    added = guest.ask("POST", "/api/passkeys", {"name": "Phone", "response": response}, expect=201)
    guest.ask("PATCH", f"/api/passkeys/{added['id']}", {"name": "Old phone"})
    operator.ask("PATCH", f"/api/passkeys/{added['id']}", {"name": "Mine"}, expect=404)
    operator.ask("DELETE", f"/api/passkeys/{added['id']}", expect=404)
    guest.ask("DELETE", f"/api/passkeys/{first}", expect=204)
    assert [one["name"] for one in guest.ask("GET", "/api/ways-in")["passkeys"]] == ["Old phone"]
    before, guest.key = guest.person_id, second
    guest.forget()
    assert guest.sign_in()["person_id"] == before


def test_a_recovery_code_is_a_way_in_once(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    before = guest.person_id
    codes = guest.ask("POST", "/api/recovery-codes", expect=201)["codes"]
    guest.forget()
    used = {"code": codes[3].lower()}
    assert guest.ask("POST", "/api/sign-in/recovery", used) == {"person_id": before, "recovered": True}
    assert guest.ask("GET", "/api/ways-in")["recovery_codes_left"] == 9
    guest.forget()
    assert refused(guest.ask("POST", "/api/sign-in/recovery", used, expect=401))
    assert refused(guest.ask("POST", "/api/sign-in/recovery", {"code": "AAAA"}, expect=401))


def test_an_invitation_that_was_taken_back_lets_nobody_in(guest: Guest, operator: Guest) -> None:
    made = operator.ask("POST", "/api/operator/invitations", expect=201)
    operator.ask("DELETE", f"/api/operator/invitations/{made['id']}", expect=204)
    body = {"name": "Eve", "code": made["code"]}
    guest.ask("POST", "/api/sign-up/passkey/options", body, expect=403)
    listed = operator.ask("GET", "/api/operator/invitations")["items"]
    assert made["id"] not in [one["id"] for one in listed]
    assert "code" not in str(listed)


def test_a_token_has_no_hand_in_the_ways_in(guest: Guest, operator: Guest) -> None:
    come(guest, operator)
    body = {"name": "A program", "scopes": ["read", "chat", "approve"]}
    token = guest.ask("POST", "/api/tokens", body, expect=201)["token"]
    guest.forget()
    guest.client.headers["authorization"] = f"Bearer {token}"
    guest.ask("GET", "/api/bots")
    for method, path in (
        ("GET", "/api/ways-in"),
        ("POST", "/api/passkeys/options"),
        ("POST", "/api/recovery-codes"),
        ("POST", "/api/operator/invitations"),
    ):
        guest.ask(method, path, expect=403)


def test_the_record_says_what_was_done_and_has_no_secret(guest: Guest, operator: Guest) -> None:
    code = invited(operator)
    guest.sign_up("Bob", code)
    codes = guest.ask("POST", "/api/recovery-codes", expect=201)["codes"]
    token = guest.ask("POST", "/api/tokens", {"name": "A program", "scopes": ["read"]}, expect=201)["token"]
    guest.ask("POST", "/api/sign-in/recovery", {"code": codes[0]})
    entries = guest.ask("GET", "/api/audit")["items"]
    told = [(one["kind"], one["details"].get("way")) for one in reversed(entries)]
    assert told == [
        ("person_came", None),
        ("signed_in", "passkey"),
        ("recovery_codes_made", None),
        ("token_created", None),
        ("signed_in", "recovery_code"),
    ]
    *own, came = entries
    assert (came["owner_id"], came["actor"]) == (guest.person_id, None)
    assert all(one["actor"]["person_id"] == guest.person_id for one in own)
    made = operator.ask("GET", "/api/audit")["items"][0]
    assert made["kind"] == "invitation_made"
    secrets = [code, token, *codes, "A program", "Bob", SETUP_CODE]
    everything = str(entries) + str(operator.ask("GET", "/api/operator/audit"))
    assert not any(secret in everything for secret in secrets)
