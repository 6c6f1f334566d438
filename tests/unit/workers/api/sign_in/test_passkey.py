"""Passkeys: who comes in, and everything about an answer that keeps somebody out."""

from collections.abc import Callable
from typing import Any

import pytest

from api.sign_in import passkey
from api.sign_in.office import Known
from api.sign_in.place import Place
from contracts.errors import BerthError, ErrorCode
from contracts.limits import CHALLENGE_SECONDS, PASSKEY_BYTES_MAX
from durable_objects.platform.directory import hashed
from tests.identity.authenticator import BACKED_UP, ELIGIBLE, PRESENT, VERIFIED, Authenticator, b64
from tests.unit.workers.api.sign_in.desk import PLACE, Desk

SETUP_CODE = "a setup code of many characters"


def own() -> Authenticator:
    return Authenticator(PLACE.origin, PLACE.rp_id)


async def come(desk: Desk, key: Authenticator, name: str = "Ada") -> Known:
    """Sign up in a deployment where everybody may."""
    desk.set(sign_up_open=True)
    options = await passkey.sign_up_options(desk.office(), name, "")
    return await passkey.sign_up(desk.office(), key.create(options), "Phone")


async def enter(desk: Desk, key: Authenticator) -> Known:
    options = await passkey.sign_in_options(desk.office())
    key.counter += 1
    return await passkey.sign_in(desk.office(), key.get(options))


async def refused(work: Any) -> None:
    with pytest.raises(BerthError) as caught:
        await work
    assert caught.value.code == ErrorCode.UNAUTHENTICATED
    # Nothing of why, which would tell somebody how far they have got.
    assert caught.value.message == "This did not sign you in. Try again."


async def test_who_signs_up_can_sign_in_and_is_the_same_person(desk: Desk) -> None:
    key = own()
    made = await come(desk, key)
    assert made.name == "Ada"
    found = await enter(desk, key)
    assert (found.person_id, found.operator) == (made.person_id, False)
    shown = desk.shown(made.person_id)
    assert [(one.name, one.backed_up) for one in shown.passkeys] == [("Phone", True)]


async def test_an_answer_that_is_sent_twice_makes_one_person_with_one_passkey(desk: Desk) -> None:
    desk.set(sign_up_open=True)
    key = own()
    options = await passkey.sign_up_options(desk.office(), "Ada", "")
    answer = key.create(options)
    first = await passkey.sign_up(desk.office(), answer, "Phone")
    assert await passkey.sign_up(desk.office(), answer, "Phone") == first
    assert len(desk.shown(first.person_id).passkeys) == 1


async def test_a_challenge_that_was_used_signs_nobody_in(desk: Desk) -> None:
    key = own()
    await come(desk, key)
    options = await passkey.sign_in_options(desk.office())
    key.counter += 1
    await passkey.sign_in(desk.office(), key.get(options))
    key.counter += 1
    await refused(passkey.sign_in(desk.office(), key.get(options)))


async def test_a_challenge_that_was_used_makes_no_second_passkey(desk: Desk) -> None:
    desk.set(sign_up_open=True)
    options = await passkey.sign_up_options(desk.office(), "Ada", "")
    await passkey.sign_up(desk.office(), own().create(options), "Phone")
    await refused(passkey.sign_up(desk.office(), own().create(options), "Phone"))


async def test_a_challenge_is_good_until_its_end_and_not_a_moment_longer(desk: Desk) -> None:
    key = own()
    await come(desk, key)
    early, late = [await passkey.sign_in_options(desk.office()) for _ in range(2)]
    # The machine's clock goes on while this test runs: a second short of the end is still before it.
    desk.later_ms = (CHALLENGE_SECONDS - 5) * 1000
    key.counter += 1
    await passkey.sign_in(desk.office(), key.get(early))
    desk.later_ms = CHALLENGE_SECONDS * 1000
    key.counter += 1
    await refused(passkey.sign_in(desk.office(), key.get(late)))


def _other_challenge(key: Authenticator) -> None:
    key.client["challenge"] = b64(b"another challenge")


def _other_origin(key: Authenticator) -> None:
    key.client["origin"] = "https://berth.example.evil.test"


def _http(key: Authenticator) -> None:
    key.client["origin"] = "http://berth.example"


def _port(key: Authenticator) -> None:
    key.client["origin"] = "https://berth.example:8443"


def _framed(key: Authenticator) -> None:
    key.client["crossOrigin"] = True


def _other_site(key: Authenticator) -> None:
    key.rp_id = "evil.test"


def _other_kind(key: Authenticator) -> None:
    key.client["type"] = "webauthn.create"


def _unverified(key: Authenticator) -> None:
    key.flags = PRESENT | ELIGIBLE | BACKED_UP


def _absent(key: Authenticator) -> None:
    key.flags = VERIFIED | ELIGIBLE | BACKED_UP


def _other_key(key: Authenticator) -> None:
    key.key = own().key


def _other_person(key: Authenticator) -> None:
    key.user = b64(b"person_" + b"0" * 26)


def _no_person(key: Authenticator) -> None:
    key.user = b64(b"local")


def _other_passkey(key: Authenticator) -> None:
    key.id = b"\0" * 16


def _counter_as_it_was(key: Authenticator) -> None:
    key.counter -= 1


def _counter_back(key: Authenticator) -> None:
    key.counter = 1


@pytest.mark.parametrize(
    "wrong",
    [
        _other_challenge,
        _other_origin,
        _http,
        _port,
        _framed,
        _other_site,
        _other_kind,
        _unverified,
        _absent,
        _other_key,
        _other_person,
        _no_person,
        _other_passkey,
        _counter_as_it_was,
        _counter_back,
    ],
)
async def test_what_does_not_hold_signs_nobody_in(desk: Desk, wrong: Callable[[Authenticator], None]) -> None:
    key = own()
    key.counter = 7
    await come(desk, key)
    await enter(desk, key)
    options = await passkey.sign_in_options(desk.office())
    key.counter += 1
    wrong(key)
    await refused(passkey.sign_in(desk.office(), key.get(options)))


@pytest.mark.parametrize(
    "wrong", [_other_challenge, _other_origin, _http, _framed, _other_site, _unverified, _absent]
)
async def test_what_does_not_hold_makes_no_person(desk: Desk, wrong: Callable[[Authenticator], None]) -> None:
    desk.set(sign_up_open=True)
    key = own()
    wrong(key)
    options = await passkey.sign_up_options(desk.office(), "Ada", "")
    await refused(passkey.sign_up(desk.office(), key.create(options), "Phone"))
    assert desk.persons == {}


async def test_authenticators_that_do_not_count_are_taken_as_they_are(desk: Desk) -> None:
    key = own()
    key.counter = 0
    made = await come(desk, key)
    for _ in range(2):
        options = await passkey.sign_in_options(desk.office())
        assert (await passkey.sign_in(desk.office(), key.get(options))).person_id == made.person_id


async def test_a_challenge_is_good_for_one_purpose_one_host_and_one_deployment(desk: Desk) -> None:
    key = own()
    made = await come(desk, key)
    add = await passkey.add_options(desk.office(), made.person_id, "Ada", [])
    key.counter += 1
    await refused(passkey.sign_in(desk.office(), key.get(add)))
    there = Place("https://berth.test", "berth.test")
    options = await passkey.sign_in_options(desk.office(there))
    key.counter += 1
    await refused(passkey.sign_in(desk.office(), key.get(options)))
    elsewhere = await passkey.sign_in_options(Desk(desk.check).office())
    key.counter += 1
    await refused(passkey.sign_in(desk.office(), key.get(elsewhere)))


@pytest.mark.parametrize(
    "response",
    [
        {},
        {"response": None},
        {"response": {"clientDataJSON": 7}},
        {"response": {"clientDataJSON": "é"}},
        {"response": {"clientDataJSON": b64(b"[]")}},
        {"response": {"clientDataJSON": b64(b"{")}},
        {"response": {"clientDataJSON": b64(b"[" * 60_000)}},
        {"response": {"clientDataJSON": b64(b'{"challenge": 1}')}},
        {"response": {"clientDataJSON": "A" * (PASSKEY_BYTES_MAX + 1)}},
    ],
)
async def test_what_is_no_answer_is_refused_like_a_wrong_one(desk: Desk, response: dict[str, Any]) -> None:
    await refused(passkey.sign_in(desk.office(), response))
    await refused(passkey.sign_up(desk.office(), response, "Phone"))


@pytest.mark.parametrize("name", ["authenticatorData", "signature", "clientDataJSON", "userHandle"])
async def test_an_answer_with_a_part_missing_is_refused(desk: Desk, name: str) -> None:
    key = own()
    await come(desk, key)
    key.counter += 1
    answer = key.get(await passkey.sign_in_options(desk.office()))
    del answer["response"][name]
    await refused(passkey.sign_in(desk.office(), answer))


async def test_a_second_passkey_is_added_by_its_person_alone(desk: Desk) -> None:
    first, second = own(), own()
    ada, bob = await come(desk, first), await come(desk, own(), "Bob")
    known = desk.shown(ada.person_id).passkeys
    options = await passkey.add_options(desk.office(), ada.person_id, "Ada", known)
    assert [one["id"] for one in options["excludeCredentials"]] == [b64(first.id)]
    answer = second.create(options)
    await refused(passkey.add(desk.own(bob.person_id), bob.person_id, answer, "Phone"))
    added = await passkey.add(desk.own(ada.person_id), ada.person_id, answer, "Phone")
    assert added["name"] == "Phone"
    assert (await enter(desk, second)).person_id == ada.person_id


async def test_the_first_person_comes_by_the_setup_code_and_is_an_operator(desk: Desk) -> None:
    desk.set(setup_code=hashed(SETUP_CODE))
    with pytest.raises(BerthError, match="invitation"):
        await passkey.sign_up_options(desk.office(), "Eve", "a setup code of other characters")
    key = own()
    options = await passkey.sign_up_options(desk.office(), "Ada", f" {SETUP_CODE}\n")
    # Somebody else begins with the same code, and is later.
    late = await passkey.sign_up_options(desk.office(), "Eve", SETUP_CODE)
    made = await passkey.sign_up(desk.office(), key.create(options), "Phone")
    assert made.operator
    with pytest.raises(BerthError) as caught:
        await passkey.sign_up(desk.office(), own().create(late), "Phone")
    assert caught.value.code == ErrorCode.FORBIDDEN
    assert (await enter(desk, key)).operator


async def test_a_person_whom_the_deployment_names_is_an_operator(desk: Desk) -> None:
    key = own()
    made = await come(desk, key)
    assert not made.operator
    desk.set(operators=frozenset({made.person_id}))
    assert (await enter(desk, key)).operator


async def test_without_the_way_there_is_nothing(desk: Desk) -> None:
    desk.set(ways=("oidc",))
    with pytest.raises(BerthError) as caught:
        await passkey.sign_in_options(desk.office())
    assert caught.value.code == ErrorCode.NOT_FOUND
