"""Routes for the owner's allowance and what was used of it; the whole of it as CSV is in `streams.py`."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from contracts.allowance import DAY_PATTERN, Allowance, UsageBy, UsageReport

router = APIRouter(tags=["allowance"])

Day = Annotated[str, Query(pattern=DAY_PATTERN)]


@router.get("/allowance", response_model=Allowance)
async def allowance(owner: AskedOwner) -> Response:
    """What is left, and what the month has brought and taken."""
    return await owner.answer("allowance")


@router.get("/usage", response_model=UsageReport)
async def usage(
    owner: AskedOwner, by: UsageBy = "day", first_day: Day | None = None, last_day: Day | None = None
) -> Response:
    """What was used on these days, both included, in the owner's time zone: this month if none are named."""
    return await owner.answer("usage", by=by, first_day=first_day, last_day=last_day)
