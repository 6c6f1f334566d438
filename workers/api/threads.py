"""Routes for threads, their messages, events and runs."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from contracts.api import (
    BranchCreate,
    Branched,
    CommandStopped,
    EventPage,
    MessageAccepted,
    MessageCreate,
    SearchPage,
    ThreadChange,
    ThreadCreate,
    ThreadList,
)
from contracts.limits import EVENTS_A_PAGE, SEARCH_CHARACTERS_MAX
from contracts.records import Run, Thread

router = APIRouter(tags=["threads"])


@router.get("/threads", response_model=ThreadList)
async def threads(owner: AskedOwner) -> Response:
    return await owner.answer("threads")


@router.post("/threads", response_model=Thread, status_code=201)
async def create_thread(owner: AskedOwner, body: ThreadCreate) -> Response:
    return await owner.answer("create_thread", 201, body=body.model_dump())


@router.get("/threads/{thread_id}", response_model=Thread)
async def thread(owner: AskedOwner, thread_id: str) -> Response:
    return await owner.answer("thread", id=thread_id)


@router.patch("/threads/{thread_id}", response_model=Thread)
async def rename_thread(owner: AskedOwner, thread_id: str, body: ThreadChange) -> Response:
    return await owner.answer("rename_thread", id=thread_id, body=body.model_dump())


@router.delete("/threads/{thread_id}", status_code=204)
async def delete_thread(owner: AskedOwner, thread_id: str) -> Response:
    """It is gone at once, its runs are stopped, and for a minute it can be restored. Then it is removed."""
    await owner.call("delete_thread", id=thread_id)
    return Response(status_code=204)


@router.post("/threads/{thread_id}/restore", response_model=Thread)
async def restore_thread(owner: AskedOwner, thread_id: str) -> Response:
    """Undo a deletion. What had been stopped stays stopped."""
    return await owner.answer("restore_thread", id=thread_id)


@router.get("/search", response_model=SearchPage)
async def search(
    owner: AskedOwner,
    q: Annotated[str, Query(min_length=1, max_length=SEARCH_CHARACTERS_MAX)],
    before: Annotated[int, Query(ge=1, le=2**52)] = 2**52,
) -> Response:
    """The newest messages with every word of `q`; `before` is the `id` of the last hit of the page before."""
    return await owner.answer("search", query=q, before=before)


@router.get("/threads/{thread_id}/events", response_model=EventPage)
async def events(
    owner: AskedOwner,
    thread_id: str,
    after: Annotated[int, Query(ge=0, lt=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=EVENTS_A_PAGE)] = EVENTS_A_PAGE,
) -> Response:
    return await owner.answer("events", id=thread_id, after=after, limit=limit)


@router.post("/threads/{thread_id}/messages", response_model=MessageAccepted, status_code=202)
async def send(owner: AskedOwner, thread_id: str, body: MessageCreate) -> Response:
    return await owner.answer("send", 202, id=thread_id, body=body.model_dump())


@router.post("/threads/{thread_id}/branches", response_model=Branched, status_code=201)
async def branch(owner: AskedOwner, thread_id: str, body: BranchCreate) -> Response:
    return await owner.answer("branch", 201, id=thread_id, body=body.model_dump())


@router.post("/runs/{run_id}/stop", response_model=Run, status_code=202)
async def stop_run(owner: AskedOwner, run_id: str) -> Response:
    return await owner.answer("stop_run", 202, id=run_id)


@router.post("/commands/{command_id}/stop", response_model=CommandStopped, status_code=202)
async def stop_command(owner: AskedOwner, command_id: str) -> Response:
    """`command_id` is the tool call's id, as the thread shows it."""
    return await owner.answer("stop_command", 202, id=command_id)
