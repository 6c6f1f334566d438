"""Routes for operators: whose computer may not run, who is granted what, and the platform's breakers.

Until there is sign-in, the operator is the person at this machine, at the plain name `localhost`.
"""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from api.access import LOCAL_OWNER
from api.owner import Caller, OwnerObject
from contracts.allowance import Allowance, CircuitChange, CircuitName, Circuits, GrantCreate
from contracts.api import BanRequest, BreakerRequest
from contracts.errors import BerthError, ErrorCode
from contracts.records import EgressStanding, Retained
from durable_objects.shared.reply import opened

router = APIRouter(prefix="/operator", tags=["operator"])


async def operator(caller: Caller) -> OwnerObject:
    if caller.owner_id != LOCAL_OWNER:
        raise BerthError(ErrorCode.FORBIDDEN, "Only an operator may do this.")
    return caller


OwnerId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Operator = Annotated[OwnerObject, Depends(operator)]


async def _operate(caller: OwnerObject, operation: str, **fields: Any) -> Any:
    platform = caller.env.PLATFORM.getByName("platform")
    return opened(await platform.operate(operation, json.dumps(fields)))


@router.get("/owners/{owner_id}/standing", response_model=EgressStanding)
async def standing(caller: Operator, owner_id: str) -> Any:
    return opened(await caller.env.PLATFORM.getByName("platform").standing(owner_id))


@router.put("/owners/{owner_id}/ban", response_model=EgressStanding)
async def ban(caller: Operator, owner_id: str, body: BanRequest) -> Any:
    """Its computer ends what it runs, saves its files and does not wake any more.

    What it is fetching is cut within three seconds at the latest.
    """
    return await _operate(caller, "ban", owner_id=owner_id, body=body.model_dump())


@router.delete("/owners/{owner_id}/ban", response_model=EgressStanding)
async def lift(caller: Operator, owner_id: str) -> Any:
    return await _operate(caller, "lift", owner_id=owner_id)


@router.get("/retention", response_model=Retained)
async def removed_by_age(caller: Operator) -> Any:
    """What the retention settings of all owners have removed, ever."""
    return opened(await caller.env.PLATFORM.getByName("platform").removed_by_age())


@router.post("/owners/{owner_id}/grants", response_model=Allowance)
async def grant(caller: Operator, owner_id: OwnerId, body: GrantCreate) -> Any:
    """Add to an owner's allowance once: it stays until it is used. The same `id` again adds nothing."""
    return await OwnerObject(caller.env, owner_id).call("grant", body=body.model_dump())


@router.get("/circuits", response_model=Circuits)
async def circuits(caller: Operator) -> Any:
    """The breakers of all computers, what they cost today and in this hour of UTC, and what they may cost."""
    return opened(await caller.env.PLATFORM.getByName("platform").circuits())


@router.put("/circuits/{name}", response_model=Circuits)
async def change_circuit(caller: Operator, name: CircuitName, body: CircuitChange) -> Any:
    """Open until the next day, let a little through, or close and forget what was spent until now."""
    platform = caller.env.PLATFORM.getByName("platform")
    return opened(await platform.change_circuit(name, body.model_dump_json()))


@router.put("/breaker", response_model=EgressStanding)
async def trip(caller: Operator, body: BreakerRequest) -> Any:
    """No computer can reach anything any more but the hosts that are exempt."""
    return await _operate(caller, "trip", body=body.model_dump())


@router.delete("/breaker", response_model=EgressStanding)
async def reset(caller: Operator) -> Any:
    return await _operate(caller, "reset")
