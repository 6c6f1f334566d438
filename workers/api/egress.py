"""Routes for what an owner opens to the own computer: reads of one host, below a path, until a date."""

import time
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request, Response

from api.owner import AskedOwner
from contracts.api import EgressQuestion, EgressRuleCreate, EgressRuleList, EgressVerdict
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import EgressRule
from durable_objects.shared.js import raw
from egress.address import AddressError, canonical_host
from egress.own import foreseen, own_rule, proposed_rule
from egress.policy import policy_for
from egress.registries import REGISTRIES
from egress.rules import PolicyError

router = APIRouter(prefix="/egress", tags=["egress"])

DAY_MS = 24 * 60 * 60 * 1000


def own_hosts(request: Request) -> list[str]:
    """Where this Berth is served from: as it was told, and as this very request came in."""
    told = str(getattr(raw(request.scope["env"]), "BERTH_HOSTS", "") or "")
    hosts = told.replace(",", " ").split()
    # Where it is served from an address, that is closed without a rule.
    with suppress(AddressError):
        hosts.append(canonical_host(request.url.hostname or ""))
    return hosts


@router.get("/rules", response_model=EgressRuleList)
async def rules(owner: AskedOwner) -> Any:
    return await owner.computer("egress_rules")


@router.post("/verdict", response_model=EgressVerdict)
async def verdict(owner: AskedOwner, request: Request, body: EgressQuestion) -> EgressVerdict:
    """Whether a command that starts now may read an address. Nothing is fetched, and no computer is woken."""
    found = await owner.ask_computer("egress_rules")
    own = [own_rule(owner.owner_id, rule["host"], rule["path"], rule["until_ms"]) for rule in found["items"]]
    policy = policy_for(REGISTRIES, own_hosts(request))
    said, can_open = foreseen(policy, owner.owner_id, own, body.url, int(time.time() * 1000))
    return EgressVerdict(
        allowed=said.allowed, rule=said.rule, reason=said.reason, host=said.host, can_open=can_open
    )


@router.post("/rules", response_model=EgressRule, status_code=201)
async def add_rule(owner: AskedOwner, request: Request, body: EgressRuleCreate) -> Any:
    """Open a host for reading. It holds for commands that start after it; the deny rules stay above it."""
    until_ms = int(time.time() * 1000) + body.days * DAY_MS
    try:
        policy = policy_for(REGISTRIES, own_hosts(request))
        rule = proposed_rule(policy, owner.owner_id, body.host, body.path, until_ms)
    except PolicyError as error:
        raise because(ErrorCode.INVALID_REQUEST, "host_cannot_open", why=str(error)) from error
    path = rule.paths[0].removesuffix("{rest}")
    return await owner.ask_computer("add_egress_rule", host=rule.host, path=path, until_ms=until_ms)


@router.delete("/rules/{rule_id}", status_code=204)
async def remove_rule(owner: AskedOwner, rule_id: str) -> Response:
    await owner.ask_computer("remove_egress_rule", id=rule_id)
    return Response(status_code=204)
