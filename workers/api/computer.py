"""Routes for the computer itself."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from api.platform import PlatformObject
from contracts.api import AwakeOwners, CommandPage
from contracts.limits import COMMANDS_A_PAGE
from contracts.records import Computer, ShownCommand

router = APIRouter(tags=["computer"])


@router.get("/computer", response_model=Computer)
async def computer(owner: AskedOwner) -> Response:
    """Looking does not wake it."""
    return await owner.answer("computer")


@router.post("/computer/standby", response_model=Computer)
async def standby(owner: AskedOwner, stop: bool = False) -> Response:
    """Save the files and sleep now. What runs keeps it awake, unless `stop` ends that first."""
    return await owner.answer("sleep", stop=stop)


@router.post("/computer/reset", response_model=Computer)
async def reset(owner: AskedOwner) -> Response:
    """End what runs and delete every file of the computer. What was exported or attached stays."""
    return await owner.answer("reset")


@router.get("/computer/commands", response_model=CommandPage)
async def commands(
    owner: AskedOwner,
    before: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=COMMANDS_A_PAGE)] = COMMANDS_A_PAGE,
) -> Response:
    """The commands of all threads, newest first, without their output; `before` is the last one's id."""
    return await owner.answer("commands", before=before, limit=limit)


@router.get("/computer/commands/{command_id}", response_model=ShownCommand)
async def command(owner: AskedOwner, command_id: str) -> Response:
    """One with what is kept of its output. The whole log is a file of the computer, at `result.log_path`."""
    return await owner.answer("command", id=command_id)


@router.get("/computers/awake", response_model=AwakeOwners)
async def awake(owner: AskedOwner) -> Any:
    """For operators: whose computers are not in standby."""
    return await PlatformObject(owner.env).ask("awake")
