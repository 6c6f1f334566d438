"""Routes for the computer itself and for the record that operators may see."""

from fastapi import APIRouter, Response

from api.owner import Caller
from contracts.api import AuditPage, AwakeOwners
from contracts.records import Computer

router = APIRouter(tags=["computer"])


@router.get("/computer", response_model=Computer)
async def computer(owner: Caller) -> Response:
    """Looking does not wake it."""
    return await owner.answer("computer")


@router.post("/computer/standby", response_model=Computer)
async def standby(owner: Caller, stop: bool = False) -> Response:
    """Save the files and sleep now. What runs keeps it awake, unless `stop` ends that first."""
    return await owner.answer("sleep", stop=stop)


@router.post("/computer/reset", response_model=Computer)
async def reset(owner: Caller) -> Response:
    """End what runs and delete every file of the computer. What was exported or attached stays."""
    return await owner.answer("reset")


@router.get("/computers/awake", response_model=AwakeOwners)
async def awake(owner: Caller) -> Response:
    """For the operator, who is whoever is at this machine: whose computers are not in standby."""
    return await owner.awake()


@router.get("/audit", response_model=AuditPage)
async def audit(owner: Caller) -> Response:
    """The newest entries of this owner: states, reasons and times, never content."""
    return await owner.audit()
