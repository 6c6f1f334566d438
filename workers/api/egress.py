"""Routes for what an owner opens to the own computer: reads of one host, below a path, until a date."""

import json
import time
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request, Response

from api.owner import Caller, OwnerObject
from contracts.api import EgressRuleCreate, EgressRuleList
from contracts.errors import BerthError, ErrorCode
from contracts.records import EgressRule
from durable_objects.shared.js import raw
from durable_objects.shared.reply import opened
from egress.address import AddressError, canonical_host
from egress.own import proposed_rule
from egress.policy import policy_for
from egress.registries import REGISTRIES
from egress.rules import PolicyError

router = APIRouter(prefix="/egress", tags=["egress"])

DAY_MS = 24 * 60 * 60 * 1000


async def _computer(owner: OwnerObject, operation: str, **fields: Any) -> Any:
    computer = owner.env.BOT_COMPUTER.getByName(owner.owner_id)
    return opened(await computer.call(operation, json.dumps(fields)))


def own_hosts(request: Request) -> list[str]:
    """Where this Berth is served from: as it was told, and as this very request came in."""
    told = str(getattr(raw(request.scope["env"]), "BERTH_HOSTS", "") or "")
    hosts = told.replace(",", " ").split()
    # Where it is served from an address, that is closed without a rule.
    with suppress(AddressError):
        hosts.append(canonical_host(request.url.hostname or ""))
    return hosts


@router.get("/rules", response_model=EgressRuleList)
async def rules(owner: Caller) -> Any:
    return await _computer(owner, "egress_rules")


@router.post("/rules", response_model=EgressRule, status_code=201)
async def add_rule(owner: Caller, request: Request, body: EgressRuleCreate) -> Any:
    """Open a host for reading. It holds for commands that start after it; the deny rules stay above it."""
    until_ms = int(time.time() * 1000) + body.days * DAY_MS
    try:
        policy = policy_for(REGISTRIES, own_hosts(request))
        rule = proposed_rule(policy, owner.owner_id, body.host, body.path, until_ms)
    except PolicyError as error:
        raise BerthError(ErrorCode.INVALID_REQUEST, str(error)) from error
    path = rule.paths[0].removesuffix("{rest}")
    return await _computer(owner, "add_egress_rule", host=rule.host, path=path, until_ms=until_ms)


@router.delete("/rules/{rule_id}", status_code=204)
async def remove_rule(owner: Caller, rule_id: str) -> Response:
    await _computer(owner, "remove_egress_rule", id=rule_id)
    return Response(status_code=204)
