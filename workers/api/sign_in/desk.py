"""A request's way to the office: its settings, its place, and the objects that it asks."""

import json
import os
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request
from pyodide.ffi import JsException

from api.joining import JoiningObject
from api.owner import unanswered
from api.person import PersonObject
from api.sign_in.access import Answers
from api.sign_in.modules import check
from api.sign_in.office import Asked, Known, Office
from api.sign_in.place import place_of
from api.sign_in.settings import SignIn, sign_in_of
from contracts.people import Caller
from durable_objects.shared.js import now_ms, raw, setting_of
from durable_objects.shared.reply import opened


def settings_of(env: Any) -> SignIn:
    """`env` is the JavaScript environment."""
    return sign_in_of(partial(setting_of, env))


def office_at(env: Any, host: str, scheme: str) -> Office:
    """Raises `forbidden` at a host that is not the deployment's."""
    settings = settings_of(env)
    return Office(
        settings=settings,
        place=place_of(host, scheme, settings.hosts),
        directory=_directory(env),
        person=lambda person_id: PersonObject(env, person_id).ask,
        workspace=lambda owner_id: JoiningObject(env, owner_id).ask,
        check=check,
        now_ms=now_ms,
        entropy=os.urandom,
    )


def _directory(env: Any) -> Asked:
    platform = env.PLATFORM.getByName("platform")

    async def ask(operation: str, **fields: Any) -> Any:
        try:
            return opened(await platform.directory(operation, json.dumps(fields)))
        except JsException as error:
            raise unanswered() from error

    return ask


async def office_of(request: Request) -> Office:
    return office_at(raw(request.scope["env"]), request.headers.get("host", ""), request.url.scheme)


def for_oneself(office: Office, env: Any, caller: Caller) -> Office:
    """The same, for somebody who is known: their object looks at who calls."""
    return replace(office, person=lambda person_id: partial(PersonObject(env, person_id).call, caller))


AtOffice = Annotated[Office, Depends(office_of)]

_answers = Answers()


async def known_by_assertion(env: Any, host: str, scheme: str, token: str) -> Known | None:
    """Whom Access has let through, for the door; None for who is no person here. Raises its errors."""
    return await _answers.of(office_at(env, host, scheme), token)
