"""Who may call which route, as data: the right that its caller needs, in the owner, as a person, or none.

A route that is not here is answered as if it did not exist, so none can be added without a rule. Of the right
the credential's half is looked for here, and both halves by the owner's object (`bot_owner/needs.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Literal

from contracts.errors import BerthError, ErrorCode
from contracts.people import Right
from telemetry.words import Ours

READ, CHAT, APPROVE, MANAGE, OPERATE = Right

OF_OWNER: Mapping[str, Right] = {
    "GET /api/me": READ,
    "PATCH /api/me": MANAGE,
    "POST /api/me/delete": MANAGE,
    "POST /api/me/undelete": MANAGE,
    "GET /api/me/archive": MANAGE,
    "POST /api/me/archive": MANAGE,
    "DELETE /api/me/archive": MANAGE,
    "GET /api/me/archive/content": MANAGE,
    "GET /api/bots": READ,
    "POST /api/bots": MANAGE,
    "PATCH /api/bots/{bot_id}": MANAGE,
    "DELETE /api/bots/{bot_id}": MANAGE,
    "GET /api/threads": READ,
    "POST /api/threads": CHAT,
    "GET /api/threads/{thread_id}": READ,
    "PATCH /api/threads/{thread_id}": CHAT,
    "DELETE /api/threads/{thread_id}": CHAT,
    "POST /api/threads/{thread_id}/restore": CHAT,
    "GET /api/threads/{thread_id}/events": READ,
    "GET /api/threads/{thread_id}/stream": READ,
    "GET /api/threads/{thread_id}/export": READ,
    "POST /api/threads/{thread_id}/messages": CHAT,
    "POST /api/threads/{thread_id}/branches": CHAT,
    "POST /api/threads/{thread_id}/uploads": CHAT,
    "POST /api/threads/{thread_id}/uploads/begin": CHAT,
    "GET /api/search": READ,
    "POST /api/runs/{run_id}/stop": CHAT,
    "POST /api/commands/{command_id}/stop": CHAT,
    "GET /api/uploads/{upload_id}": CHAT,
    "DELETE /api/uploads/{upload_id}": CHAT,
    "PUT /api/uploads/{upload_id}/parts/{number}": CHAT,
    "POST /api/uploads/{upload_id}/finish": CHAT,
    "GET /api/uploads/{upload_id}/content": READ,
    "GET /api/artifacts": READ,
    "GET /api/artifacts/{artifact_id}": READ,
    "PATCH /api/artifacts/{artifact_id}": CHAT,
    "DELETE /api/artifacts/{artifact_id}": CHAT,
    "GET /api/artifacts/{artifact_id}/content": READ,
    "GET /api/pictures/{tool_call_id}/content": READ,
    "GET /api/files": READ,
    "PATCH /api/files": CHAT,
    "DELETE /api/files": CHAT,
    "GET /api/files/content": READ,
    "PUT /api/files/content": CHAT,
    "GET /api/files/archive": READ,
    "GET /api/computer": READ,
    "GET /api/computer/commands": READ,
    "GET /api/computer/commands/{command_id}": READ,
    "POST /api/computer/standby": CHAT,
    "POST /api/computer/reset": MANAGE,
    "GET /api/egress/rules": READ,
    "POST /api/egress/rules": MANAGE,
    "POST /api/egress/verdict": READ,
    "DELETE /api/egress/rules/{rule_id}": MANAGE,
    "GET /api/audit": READ,
    "GET /api/audit/check": READ,
    "GET /api/audit.jsonl": READ,
    "GET /api/allowance": READ,
    "GET /api/usage": READ,
    "GET /api/usage.csv": READ,
    "GET /api/approvals": READ,
    "GET /api/approvals/{intent_id}": READ,
    "POST /api/approvals/{intent_id}/decision": APPROVE,
    "GET /api/trading": READ,
    "PUT /api/trading/switch": MANAGE,
    "PUT /api/trading/rules": MANAGE,
    "PUT /api/trading/venue": MANAGE,
    "GET /api/trading/paper": READ,
    "PUT /api/trading/paper": MANAGE,
    "PUT /api/trading/approvals": MANAGE,
    "GET /api/trading/accounts": READ,
    "POST /api/trading/accounts": MANAGE,
    "DELETE /api/trading/accounts/{account_id}": MANAGE,
    "GET /api/routines": READ,
    "POST /api/routines": MANAGE,
    "POST /api/routines/times": CHAT,
    "GET /api/routines/{routine_id}": READ,
    "PUT /api/routines/{routine_id}": MANAGE,
    "DELETE /api/routines/{routine_id}": MANAGE,
    "POST /api/routines/{routine_id}/pause": MANAGE,
    "POST /api/routines/{routine_id}/resume": MANAGE,
    "POST /api/routines/{routine_id}/runs": CHAT,
    "GET /api/routines/{routine_id}/history": READ,
    "POST /api/tickets": READ,
    "GET /api/members": READ,
    "PATCH /api/members/{person_id}": MANAGE,
    "DELETE /api/members/{person_id}": MANAGE,
    "POST /api/members/leave": READ,
    "GET /api/members/invitations": MANAGE,
    "POST /api/members/invitations": MANAGE,
    "DELETE /api/members/invitations/{invitation_id}": MANAGE,
    "GET /api/notices": MANAGE,
    "PUT /api/notices/settings": MANAGE,
    "GET /api/notices/deliveries": MANAGE,
    "POST /api/notices/subscriptions": MANAGE,
    "DELETE /api/notices/subscriptions/{subscription_id}": MANAGE,
    "PUT /api/notices/webhook": MANAGE,
    "DELETE /api/notices/webhook": MANAGE,
    "PUT /api/notices/email": MANAGE,
    "POST /api/notices/email/confirm": MANAGE,
    "DELETE /api/notices/email": MANAGE,
    "POST /api/notices/test": MANAGE,
}
OF_PERSON: Mapping[str, Right] = {
    "GET /api/openapi.json": READ,
    "GET /api/docs": READ,
    "POST /api/sign-out": READ,
    "GET /api/owners": READ,
    "POST /api/owners": MANAGE,
    "POST /api/invitations/look": READ,
    "POST /api/invitations/accept": MANAGE,
    "GET /api/sessions": MANAGE,
    "DELETE /api/sessions/{session_id}": MANAGE,
    "POST /api/sessions/end-others": MANAGE,
    "GET /api/tokens": MANAGE,
    "POST /api/tokens": MANAGE,
    "DELETE /api/tokens/{token_id}": MANAGE,
    "GET /api/ways-in": MANAGE,
    "PATCH /api/ways-in": MANAGE,
    "POST /api/passkeys/options": MANAGE,
    "POST /api/passkeys": MANAGE,
    "PATCH /api/passkeys/{passkey_id}": MANAGE,
    "DELETE /api/passkeys/{passkey_id}": MANAGE,
    "POST /api/recovery-codes": MANAGE,
    "GET /api/operator/invitations": OPERATE,
    "POST /api/operator/invitations": OPERATE,
    "DELETE /api/operator/invitations/{invitation_id}": OPERATE,
    "GET /api/computers/awake": OPERATE,
    "GET /api/operator/overview": OPERATE,
    "GET /api/operator/owners": OPERATE,
    "GET /api/operator/owners/{owner_id}": OPERATE,
    "GET /api/operator/owners/{owner_id}/standing": OPERATE,
    "PUT /api/operator/owners/{owner_id}/ban": OPERATE,
    "DELETE /api/operator/owners/{owner_id}/ban": OPERATE,
    "PUT /api/operator/owners/{owner_id}/exemption": OPERATE,
    "DELETE /api/operator/owners/{owner_id}/exemption": OPERATE,
    "POST /api/operator/owners/{owner_id}/grants": OPERATE,
    "GET /api/operator/retention": OPERATE,
    "GET /api/operator/circuits": OPERATE,
    "PUT /api/operator/circuits/{name}": OPERATE,
    "PUT /api/operator/breaker": OPERATE,
    "DELETE /api/operator/breaker": OPERATE,
    "GET /api/operator/audit": OPERATE,
    "GET /api/operator/audit/check": OPERATE,
    "GET /api/operator/audit.jsonl": OPERATE,
}
OF_NOBODY = frozenset(
    {
        "GET /api/sign-in",
        "POST /api/sign-in/local",
        "POST /api/sign-in/passkey/options",
        "POST /api/sign-in/passkey",
        "POST /api/sign-in/recovery",
        "POST /api/sign-in/access",
        "POST /api/sign-in/oidc",
        "GET /api/sign-in/oidc/callback",
        "POST /api/sign-up/passkey/options",
        "POST /api/sign-up/passkey",
    }
)
"""What anybody may ask: the ways in."""
TAKES_BYTES = frozenset(
    {
        "POST /api/threads/{thread_id}/uploads",
        "PUT /api/uploads/{upload_id}/parts/{number}",
        "PUT /api/files/content",
    }
)
ANY = "{}"


@dataclass(frozen=True)
class Rule:
    """`right` is what the caller needs, if it takes one; `of` whose it is."""

    of: Literal["owner", "person", "nobody"]
    right: Right | None = None
    path: str = ""
    """As it is written above: what it leaves open has no value."""
    takes_bytes: bool = False
    """Whether its body is what it is; all others are JSON."""


@dataclass
class _Place:
    """One part of a path: what may follow it, and the rules of the methods where it ends."""

    next: dict[str, "_Place"] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)


class NoRouteError(BerthError):
    """There is no such route: 404, or 405 where another method has one."""

    def __init__(self, status: HTTPStatus) -> None:
        found = status == HTTPStatus.METHOD_NOT_ALLOWED
        super().__init__(ErrorCode.INVALID_REQUEST if found else ErrorCode.NOT_FOUND, status.phrase)
        self.status = status


def rule_of(method: str, path: str) -> Rule:
    """The rule of a route. `path` is as it was sent: one with escapes is no route, for they could hide one.

    Raises NoRouteError.
    """
    places = [] if "%" in path else [ROOT]
    for part in _parts(path):
        # What a path names comes before what it leaves open; nothing is not a name.
        names = (part, ANY) if part else ()
        places = [there for place in places for name in names if (there := place.next.get(name))]
    known = [place.rules for place in places if place.rules]
    wanted = "GET" if method == "HEAD" else method
    for rules in known:
        if rule := rules.get(wanted):
            return rule
    raise NoRouteError(HTTPStatus.METHOD_NOT_ALLOWED if known else HTTPStatus.NOT_FOUND)


def route_of(method: str, path: str) -> Ours:
    """The route for whoever counts or logs requests, as it is written above; `none` where there is none."""
    try:
        return ROUTES[f"{method} {rule_of(method, path).path}".replace("HEAD", "GET", 1)]
    except NoRouteError:
        return NO_ROUTE


def _parts(path: str) -> list[str]:
    return path.removeprefix("/").split("/")


def _tree() -> _Place:
    root = _Place()
    rules = [(route, Rule("owner", right)) for route, right in OF_OWNER.items()]
    rules += [(route, Rule("person", right)) for route, right in OF_PERSON.items()]
    rules += [(route, Rule("nobody")) for route in OF_NOBODY]
    for route, rule in rules:
        method, path = route.split(" ")
        place = root
        for part in _parts(path):
            place = place.next.setdefault(ANY if part.startswith("{") else part, _Place())
        place.rules[method] = replace(rule, path=path, takes_bytes=route in TAKES_BYTES)
    return root


ROOT = _tree()
ROUTES: Mapping[str, Ours] = {route: Ours(route) for route in (*OF_OWNER, *OF_PERSON, *OF_NOBODY)}
NO_ROUTE = Ours("none")
