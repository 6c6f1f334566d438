"""Passkeys: what a browser is asked, and what follows from what it says.

A challenge is signed text that says what it is for; the person's object sees to it that it counts once. A
passkey says by itself whose it is, so nobody types a name, and no answer tells whether a person is here.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from api.sign_in.invited import vouched_by
from api.sign_in.office import Known, Office, code_hash
from api.sign_in.signed import Signed, decoded, encoded
from contracts.limits import CHALLENGE_SECONDS, PASSKEY_BYTES_MAX
from contracts.sign_in import Passkey
from durable_objects.person.ways import Challenge, refuse
from durable_objects.platform.directory import Arrival
from durable_objects.shared.ids import PERSON_ID, new_person_id

SIGN_IN, SIGN_UP, ADD = "passkey sign-in", "passkey sign-up", "passkey add"
SITE = "Berth"
# Ed25519, P-256 and RSA; passkeys.entry.mjs takes no others.
ALGORITHMS = (-8, -7, -257)
Response = Mapping[str, Any]


async def sign_in_options(office: Office) -> dict[str, Any]:
    office.wants("passkey")
    return {
        "challenge": await office.signed(SIGN_IN, _here(office), CHALLENGE_SECONDS),
        "rpId": office.place.rp_id,
        "timeout": CHALLENGE_SECONDS * 1000,
        "userVerification": "required",
        "allowCredentials": [],
    }


async def sign_in(office: Office, response: Response) -> Known:
    """Raises `unauthenticated`, whatever it is that does not hold."""
    office.wants("passkey")
    signed = await _answered(office, SIGN_IN, response)
    person_id, passkey_id = _person_in(response), str(response.get("id"))
    if (found := await office.directory("person", person_id=person_id)) is None:
        refuse()
    person = office.person(person_id)
    material = await person("passkey_material", id=passkey_id)
    asked = _asked(office, response, signed) | {
        name: material[name] for name in ("id", "public_key", "counter")
    }
    held = await office.checked("authenticated", asked)
    await person(
        "use_passkey",
        challenge=_challenge(signed),
        id=passkey_id,
        counter=held["counter"],
        backed_up=held["backed_up"],
    )
    return office.known(found)


async def sign_up_options(office: Office, name: str, code: str) -> dict[str, Any]:
    """Raises `forbidden` where this code lets nobody in, before a passkey is made for nothing."""
    office.wants("passkey")
    fields = {"person_id": new_person_id(office.entropy), "name": name, "code": code_hash(code)}
    vouched = await vouched_by(office, fields["code"])
    await office.directory("may_come", **_arrival(office, fields, vouched))
    challenge = await office.signed(SIGN_UP, _here(office) | fields, CHALLENGE_SECONDS)
    return _creation(office, challenge, fields["person_id"], name, ())


async def sign_up(office: Office, response: Response, passkey_name: str) -> Known:
    """Sent twice, it is the same person: an answer may be lost on its way."""
    office.wants("passkey")
    signed = await _answered(office, SIGN_UP, response)
    key = await office.checked("registered", _asked(office, response, signed))
    fields = signed.fields
    vouched = await vouched_by(office, fields["code"], fields["person_id"])
    found = await office.directory("admit", **_arrival(office, fields, vouched))
    person = office.person(found["person_id"])
    await person(
        "add_passkey",
        challenge=_challenge(signed),
        key=key,
        name=fields["name"],
        passkey_name=passkey_name,
    )
    return office.known(found, fields["name"])


async def add_options(office: Office, person_id: str, name: str, known: list[Passkey]) -> dict[str, Any]:
    office.wants("passkey")
    challenge = await office.signed(ADD, _here(office) | {"person_id": person_id}, CHALLENGE_SECONDS)
    return _creation(office, challenge, person_id, name, [one.id for one in known])


async def add(office: Office, person_id: str, response: Response, name: str) -> Any:
    """Another passkey of a person who is signed in. What was asked of somebody else is refused."""
    office.wants("passkey")
    signed = await _answered(office, ADD, response)
    if signed.fields["person_id"] != person_id:
        refuse()
    key = await office.checked("registered", _asked(office, response, signed))
    return await office.person(person_id)(
        "add_passkey", challenge=_challenge(signed), key=key, passkey_name=name
    )


def _creation(
    office: Office, challenge: str, person_id: str, name: str, known: list[str] | tuple[str, ...]
) -> dict[str, Any]:
    return {
        "challenge": challenge,
        "rp": {"id": office.place.rp_id, "name": SITE},
        "user": {"id": encoded(person_id.encode()), "name": name, "displayName": name},
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in ALGORITHMS],
        "timeout": CHALLENGE_SECONDS * 1000,
        "attestation": "none",
        "excludeCredentials": [{"type": "public-key", "id": one} for one in known],
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": True,
            "userVerification": "required",
        },
    }


def _here(office: Office) -> dict[str, Any]:
    return {"rp_id": office.place.rp_id}


def _arrival(office: Office, fields: Mapping[str, Any], vouched: str) -> dict[str, Any]:
    return asdict(
        Arrival(
            person_id=fields["person_id"],
            code=fields["code"],
            setup_code=office.settings.setup_code,
            sign_up_open=office.settings.sign_up_open,
            vouched_by=vouched,
        )
    )


def _challenge(signed: Signed) -> dict[str, Any]:
    return asdict(Challenge(signed.text, signed.until_ms))


async def _answered(office: Office, purpose: str, response: Response) -> Signed:
    """The challenge that a response names, if it was given out for this purpose and this host."""
    signed = await office.read(purpose, _challenge_in(response))
    return signed if signed.fields["rp_id"] == office.place.rp_id else refuse()


def _asked(office: Office, response: Response, signed: Signed) -> dict[str, Any]:
    return {
        "response": response,
        "challenge": signed.text,
        "origin": office.place.origin,
        "rp_id": office.place.rp_id,
    }


def _challenge_in(response: Response) -> str:
    """Nothing is believed of it yet: it is only looked up."""
    if len(json.dumps(response)) > PASSKEY_BYTES_MAX:
        refuse()
    try:
        challenge = json.loads(decoded(response["response"]["clientDataJSON"]))["challenge"]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        refuse()
    return challenge if isinstance(challenge, str) else refuse()


def _person_in(response: Response) -> str:
    try:
        person_id = decoded(response["response"]["userHandle"]).decode("ascii")
    except (KeyError, TypeError, ValueError, AttributeError):
        refuse()
    return person_id if PERSON_ID.fullmatch(person_id) else refuse()
