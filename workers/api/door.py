"""The door: who calls, for which owner, and whether they may, before anything else of a request is read."""

import re
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import js

from api.access import Source, check_body, check_page, check_source, local_person
from api.attempts import ADDRESS, count_attempt
from api.cookies import jar_at
from api.credentials import Known, known_by
from api.headers import POLICY, security_headers
from api.person import PersonObject
from api.problems import MEDIA_TYPE, problem_fields
from api.rights import NoRouteError, Rule, rule_of
from api.sign_in.access import ASSERTION
from contracts.errors import BerthError, ErrorCode
from contracts.people import Caller, Via
from contracts.reasons import because
from durable_objects.shared.js import js_object, raw, setting_of
from durable_objects.shared.permission import check_credential, no_such_owner

HEADERS = (
    "host", "origin", "upgrade", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "authorization",
    "cookie", "content-type", "content-length", "transfer-encoding", ADDRESS, ASSERTION,
)  # fmt: skip
# What no browser sends by itself.
BY_HAND = frozenset({Via.LOCAL, Via.TOKEN})
OF_ANOTHER_OWNER = re.compile(r"/api/owners/([A-Za-z0-9_-]{1,64})/(.+)")


class Entered(NamedTuple):
    """A request that may go on. `request` is the JavaScript request; its path names no owner any more.

    Without a caller it is one that anybody may make. `cookie` is to be set with the answer.
    """

    request: Any
    caller: Caller | None
    cookie: str | None = None


async def enter(request: Any, env: Any) -> Entered:
    """Let a JavaScript request in. Raises `unauthenticated`, `forbidden` or NoRouteError."""
    url = urlsplit(request.url)
    headers = {name: str(value) for name in HEADERS if (value := request.headers.get(name))}
    source = Source(request.method, url.scheme, headers)
    ways = setting_of(raw(env), "BERTH_SIGN_IN").split()
    if not ways:
        raise because(ErrorCode.UNAUTHENTICATED, "sign_in_not_set_up")
    if ways == ["local"] and local_person(source.host) is None:
        raise because(ErrorCode.FORBIDDEN, "this_machine_only")
    check_source(source)
    owner_id, path = owner_in(url.path)
    rule = _rule(request.method, path)
    if isinstance(rule, Rule) and rule.of == "nobody" and owner_id is None:
        await count_attempt(env, source.headers.get(ADDRESS, ""))
        check_body(source, takes_bytes=False)
        return Entered(request, None)
    known = await known_by(source, raw(env), ways)
    if isinstance(rule, NoRouteError):
        raise rule
    if owner_id and rule.of != "owner":
        raise NoRouteError(HTTPStatus.NOT_FOUND)
    if known.caller.via not in BY_HAND:
        check_page(source)
    caller = await _at_owner(known.caller, owner_id, env) if owner_id else known.caller
    if rule.right:
        check_credential(caller, rule.right)
    check_body(source, takes_bytes=rule.takes_bytes)
    if source.upgrade:
        await _check_socket(caller, path, url.query, env)
    return Entered(_at(request, path) if owner_id else request, caller, _cookie(source, known))


def owner_in(path: str) -> tuple[str | None, str]:
    """The owner that a path names, if it does, and the path without it."""
    found = OF_ANOTHER_OWNER.fullmatch(path)
    return (found[1], f"/api/{found[2]}") if found else (None, path)


async def _at_owner(caller: Caller, owner_id: str, env: Any) -> Caller:
    """The caller, asking for that owner. Raises `not_found` for one they cannot belong to.

    Whether they do belong, its own object says; asking one that does not exist would make it.
    """
    person = PersonObject(env, caller.person_id)
    if owner_id != caller.person_id and not (await person.ask("may_belong", owner_id=owner_id))["may"]:
        raise no_such_owner()
    return caller.model_copy(update={"owner_id": owner_id})


def _rule(method: str, path: str) -> Rule | NoRouteError:
    try:
        return rule_of(method, path)
    except NoRouteError as error:
        # Said to who is known only: for nobody every path is the same.
        return error


async def _check_socket(caller: Caller, path: str, query: str, env: Any) -> None:
    """A browser's socket is of a page of this origin, which has asked for a ticket. Raises `forbidden`."""
    if caller.via in BY_HAND:
        return
    ticket = parse_qs(query).get("ticket", [""])[0]
    fields = {"caller": caller.model_dump(mode="json"), "path": path, "ticket": ticket}
    if not (await PersonObject(env, caller.person_id).ask("take_ticket", **fields))["good"]:
        raise BerthError(
            ErrorCode.FORBIDDEN, "A socket needs a ticket of this page: ask for one at /api/tickets."
        )


def _cookie(source: Source, known: Known) -> str | None:
    jar = jar_at(source.scheme, source.host)
    return jar.kept(known.secret) if jar and known.secret else None


def _at(request: Any, path: str) -> Any:
    """The same request to another path of this address."""
    url = js.URL.new(request.url)
    url.pathname = path
    return js.Request.new(url, request)


def let_out(response: Any, scheme: str, cookie: str | None = None) -> Any:
    """The JavaScript response as it leaves: with the headers of security, and a cookie where there is one."""
    if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
        return response
    headers = response.headers
    for name, value in security_headers(scheme, has_policy=headers.has(POLICY)).items():
        if not headers.has(name):
            headers.set(name, value)
    if cookie:
        headers.append("set-cookie", cookie)
    return response


def refusal(error: BerthError) -> Any:
    """The error as a JavaScript response."""
    fields = problem_fields(error, error.status if isinstance(error, NoRouteError) else None)
    options = js_object({"status": fields["status"], "headers": {"content-type": MEDIA_TYPE}})
    return js.Response.new(js.JSON.stringify(js_object(fields)), options)
