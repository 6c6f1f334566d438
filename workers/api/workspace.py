"""Routes for the folders of the computer: a look at one, and moving or removing what is in it.

Bytes go in and out in `downloads.py`. None wakes the computer. Asleep, a folder is shown as it was last seen,
and nothing in it can be changed.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from contracts.api import FileMove, FilePlaced
from contracts.limits import ENTRIES_A_PAGE, PATH_CHARACTERS_MAX
from contracts.records import Listing

router = APIRouter(tags=["files"])

Path = Annotated[str, Query(max_length=PATH_CHARACTERS_MAX)]


@router.get("/files", response_model=Listing)
async def listing(
    owner: AskedOwner,
    path: Path = "",
    sort: Literal["name", "size", "time"] = "name",
    order: Literal["asc", "desc"] = "asc",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=ENTRIES_A_PAGE)] = ENTRIES_A_PAGE,
) -> Any:
    """Folders first. Not `live`: the first page as it was at `at_ms`, because the computer sleeps."""
    return await owner.computer("list", path=path, sort=sort, order=order, offset=offset, limit=limit)


@router.patch("/files", response_model=FilePlaced)
async def move(owner: AskedOwner, path: Path, body: FileMove, *, while_running: bool = False) -> Response:
    """Rename a file or folder, or put it elsewhere; a link is moved, not followed. Nothing is written over.

    While commands run it needs `while_running`: they may be at work on it.
    """
    return await owner.computer("move_file", path=path, to=body.to, while_running=while_running)


@router.delete("/files", status_code=204)
async def remove(owner: AskedOwner, path: Path, *, while_running: bool = False) -> Response:
    """Remove a file, or a folder with all that is in it; a link is removed, not followed."""
    await owner.computer("remove_file", path=path, while_running=while_running)
    return Response(status_code=204)
