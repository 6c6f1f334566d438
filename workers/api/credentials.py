"""By what a request is known: a token in its Authorization header, else the session in its cookie.

One that is there and does not hold ends it: nothing else is tried then.
"""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from api.access import Source, local_person
from api.attempts import ADDRESS, count_attempt
from api.cookies import jar_at
from api.person import PersonObject
from api.sign_in.access import ASSERTION
from api.sign_in.desk import known_by_assertion
from contracts.errors import ErrorCode
from contracts.people import OWNER_RIGHTS, Caller, Credential, Via
from contracts.reasons import because
from durable_objects.shared.js import setting_of
from durable_objects.shared.secret import LOCAL_PERSON, Presented, hashed, presented

BEARER = "bearer "
PERSON = "person_"


@dataclass(frozen=True)
class Known:
    """Who calls. `secret` is the session's next one, for the cookie."""

    caller: Caller
    secret: str | None = None


async def known_by(source: Source, env: Any, ways: Collection[str]) -> Known:
    """`env` is the JavaScript environment. Raises `unauthenticated`, or `too_many_attempts` for secrets."""
    header = source.headers.get("authorization")
    assertion = source.headers.get(ASSERTION) if "access" in ways else None
    if header:
        known = await _bearer(header, source, env, ways)
    elif assertion:
        known = await _assertion(assertion, source, env)
    else:
        known = await _cookie(source, env)
    if known is None:
        raise because(ErrorCode.UNAUTHENTICATED, "sign_in_first")
    return known


def local_token_holds(env: Any, token: str) -> bool:
    """Whether this is the token that was printed when this Berth was started on this machine."""
    own = setting_of(env, "BERTH_LOCAL_TOKEN")
    return bool(own) and hmac.compare_digest(hashed(own), hashed(token))


async def _bearer(header: str, source: Source, env: Any, ways: Collection[str]) -> Known | None:
    token = header[len(BEARER) :].strip() if header.lower().startswith(BEARER) else ""
    person_id = local_person(source.host) if "local" in ways else None
    if person_id and local_token_holds(env, token):
        credential = Credential(id=LOCAL_PERSON, rights=OWNER_RIGHTS, operator=person_id == LOCAL_PERSON)
        return Known(_caller(person_id, credential, Via.LOCAL))
    found = presented(token)
    if found is None or found.kind != "t":
        return None
    return await _held(found, Via.TOKEN, source, env)


async def _cookie(source: Source, env: Any) -> Known | None:
    jar = jar_at(source.scheme, source.host)
    secret = jar.secret_in(source.headers.get("cookie", "")) if jar else None
    found = presented(secret) if secret else None
    if found is None or found.kind != "s":
        return None
    # A socket's answer has no headers of ours.
    return await _held(found, Via.SESSION, source, env, may_offer=not source.upgrade)


async def _assertion(token: str, source: Source, env: Any) -> Known | None:
    found = await known_by_assertion(env, source.host, source.scheme, token)
    if found is None:
        return None
    credential = Credential(
        id=Via.ACCESS, rights=OWNER_RIGHTS, operator=found.operator, until_ms=found.until_ms
    )
    return Known(_caller(found.person_id, credential, Via.ACCESS))


async def _held(found: Presented, via: Via, source: Source, env: Any, **more: Any) -> Known | None:
    if not found.person_id.startswith(PERSON) and local_person(source.host) is None:
        # Whoever a Berth on somebody's own machine knew by this name, here it is nobody.
        return None
    said = await PersonObject(env, found.person_id).ask(via, hash=found.hash, **more)
    if said is None:
        await count_attempt(env, source.headers.get(ADDRESS, ""))
        return None
    credential = Credential.model_validate(said)
    return Known(_caller(found.person_id, credential, via), credential.secret)


def _caller(person_id: str, credential: Credential, via: Via) -> Caller:
    return Caller(
        person_id=person_id,
        owner_id=person_id,
        rights=credential.rights,
        via=via,
        credential_id=credential.id,
        operator=credential.operator,
        until_ms=credential.until_ms,
    )
