"""The route for looking at folders of the computer; taking files away is in `downloads.py`.

It neither wakes the computer nor keeps it awake. Asleep, a folder is shown as it was last seen.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from api.owner import Caller
from contracts.limits import ENTRIES_A_PAGE
from contracts.records import Listing

router = APIRouter(tags=["files"])

Path = Annotated[str, Query(max_length=4_096)]


@router.get("/files", response_model=Listing)
async def listing(
    owner: Caller,
    path: Path = "",
    sort: Literal["name", "size", "time"] = "name",
    order: Literal["asc", "desc"] = "asc",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=ENTRIES_A_PAGE)] = ENTRIES_A_PAGE,
) -> Any:
    """Folders first. Not `live`: the first page as it was at `at_ms`, because the computer sleeps."""
    wanted = {"path": path, "sort": sort, "order": order, "offset": offset, "limit": limit}
    return await owner.computer("list", wanted)
