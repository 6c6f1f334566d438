"""Routes for an owner's part of the record, and the whole record as a file for operators.

The files are JSON lines, oldest first: each entry as the very text that was hashed, so that anybody can
follow the chain without Berth (`contracts/audit.py`). What is for the owner alone is in the owner's.
"""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from api.operator import AnOperator
from api.owner import AskedOwner
from api.platform import PlatformObject
from contracts.audit import AuditCheck, AuditPage

router = APIRouter(tags=["audit"])

MEDIA_TYPE = "application/jsonl"


@router.get("/audit", response_model=AuditPage)
async def audit(owner: AskedOwner, before: Annotated[int | None, Query(ge=0, lt=2**52)] = None) -> Any:
    """Your own entries, newest first: kinds, reasons and times, never what was said or done."""
    await _admitted(owner)
    return await PlatformObject(owner.env).ask("own_audit", owner_id=owner.owner_id, before=before)


@router.get("/audit/check", response_model=AuditCheck)
async def check(
    owner: AskedOwner, head: Annotated[str | None, Query(pattern=r"^[0-9a-f]{64}$")] = None
) -> Any:
    """Follow the chain of your own entries. `head` is one noted earlier."""
    await _admitted(owner)
    return await PlatformObject(owner.env).ask("check_own_audit", owner_id=owner.owner_id, head=head)


@router.get("/audit.jsonl", response_class=StreamingResponse)
async def own_lines(owner: AskedOwner) -> StreamingResponse:
    """All your own entries as a file."""
    await _admitted(owner)
    return _file(owner.env, "audit.jsonl", owner.owner_id)


@router.get("/operator/audit.jsonl", response_class=StreamingResponse, tags=["operator"])
async def all_lines(caller: AnOperator) -> StreamingResponse:
    """The whole record as a file."""
    return _file(caller.env, "berth-audit.jsonl", None)


async def _admitted(owner: AskedOwner) -> None:
    """The record is the platform's: whether it may be read here, the owner's object says."""
    await owner.call("admitted")


def _file(env: Any, name: str, owner_id: str | None) -> StreamingResponse:
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
    }
    return StreamingResponse(_lines(env, owner_id), media_type=MEDIA_TYPE, headers=headers)


async def _lines(env: Any, owner_id: str | None) -> AsyncIterator[str]:
    """Piece by piece: no more than one of them is held."""
    platform, after = PlatformObject(env), 0
    while after is not None:
        piece = await platform.ask("audit_lines", after=after, owner_id=owner_id)
        yield piece["text"]
        after = piece["next_after"]
