"""Routes for routines: what a bot does by itself, and what came of it."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from api.check_address import checked_address
from api.egress import own_hosts
from api.owner import AskedOwner
from contracts.limits import ROUTINE_HISTORY_A_PAGE
from contracts.routines import (
    Routine,
    RoutineCreate,
    RoutineDraft,
    RoutineFiring,
    RoutineHistory,
    RoutineList,
    RoutineRunNow,
    RoutineSettings,
    RoutineTimes,
)
from durable_objects.shared.js import raw

router = APIRouter(tags=["routines"])


@router.get("/routines", response_model=RoutineList)
async def routines(owner: AskedOwner) -> Response:
    return await owner.answer("routines")


@router.post("/routines", response_model=Routine, status_code=201)
async def create_routine(owner: AskedOwner, request: Request, body: RoutineCreate) -> Response:
    return await owner.answer("create_routine", 201, body=_as_given(request, body))


@router.post("/routines/times", response_model=RoutineTimes)
async def routine_times(owner: AskedOwner, body: RoutineDraft) -> Response:
    """The next times of a schedule that nobody has chosen yet. Nothing is stored."""
    return await owner.answer("routine_times", body=body.model_dump(mode="json"))


@router.get("/routines/{routine_id}", response_model=Routine)
async def routine(owner: AskedOwner, routine_id: str) -> Response:
    return await owner.answer("routine", id=routine_id)


@router.put("/routines/{routine_id}", response_model=Routine)
async def change_routine(
    owner: AskedOwner, request: Request, routine_id: str, body: RoutineSettings
) -> Response:
    """All settings anew: what is not given is as at first."""
    return await owner.answer("change_routine", id=routine_id, body=_as_given(request, body))


@router.delete("/routines/{routine_id}", status_code=204)
async def delete_routine(owner: AskedOwner, routine_id: str) -> Response:
    """Its runs are stopped; its thread and what is in it stay."""
    await owner.call("delete_routine", id=routine_id)
    return Response(status_code=204)


@router.post("/routines/{routine_id}/pause", response_model=Routine)
async def pause_routine(owner: AskedOwner, routine_id: str) -> Response:
    """It begins no more runs; one that is under way goes on."""
    return await owner.answer("pause_routine", id=routine_id)


@router.post("/routines/{routine_id}/resume", response_model=Routine)
async def resume_routine(owner: AskedOwner, routine_id: str) -> Response:
    return await owner.answer("resume_routine", id=routine_id)


@router.post("/routines/{routine_id}/runs", response_model=RoutineFiring, status_code=202)
async def run_routine(owner: AskedOwner, routine_id: str, body: RoutineRunNow) -> Response:
    """Whatever its schedule, its checks and a pause say. `routine_limit` where its limits forbid it."""
    return await owner.answer("run_routine", 202, id=routine_id, body=body.model_dump())


@router.get("/routines/{routine_id}/history", response_model=RoutineHistory)
async def routine_history(
    owner: AskedOwner,
    routine_id: str,
    before: Annotated[int | None, Query(ge=1, le=10**15)] = None,
    limit: Annotated[int, Query(ge=1, le=ROUTINE_HISTORY_A_PAGE)] = ROUTINE_HISTORY_A_PAGE,
) -> Response:
    """The newest first; `before` is the id of the last one of the page before."""
    return await owner.answer("routine_history", id=routine_id, before=before, limit=limit)


def _as_given(request: Request, body: RoutineSettings) -> dict[str, Any]:
    """The body as JSON, with the addresses of its checks judged and in their one spelling."""
    fields = body.model_dump(mode="json")
    local = str(getattr(raw(request.scope["env"]), "BERTH_SIGN_IN", "") or "") == "local"
    for check in fields["checks"]:
        if check["kind"] == "http":
            check["url"] = checked_address(check["url"], local=local, own_hosts=own_hosts(request))
    return fields
