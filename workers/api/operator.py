"""Routes for operators: whose computer may not run, and the breaker that lets nobody out.

Until there is sign-in, the operator is the person at this machine, at the plain name `localhost`.
"""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends

from api.access import LOCAL_OWNER
from api.owner import Caller, OwnerObject
from contracts.api import BanRequest, BreakerRequest
from contracts.errors import BerthError, ErrorCode
from contracts.records import EgressStanding, Retained
from durable_objects.shared.reply import opened

router = APIRouter(prefix="/operator", tags=["operator"])


async def operator(caller: Caller) -> OwnerObject:
    if caller.owner_id != LOCAL_OWNER:
        raise BerthError(ErrorCode.FORBIDDEN, "Only an operator may do this.")
    return caller


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


@router.put("/breaker", response_model=EgressStanding)
async def trip(caller: Operator, body: BreakerRequest) -> Any:
    """No computer can reach anything any more but the hosts that are exempt."""
    return await _operate(caller, "trip", body=body.model_dump())


@router.delete("/breaker", response_model=EgressStanding)
async def reset(caller: Operator) -> Any:
    return await _operate(caller, "reset")
