"""Routes for the owner and their bots."""

from typing import Any

from fastapi import APIRouter, Request, Response

from api.egress import own_hosts
from api.model_address import checked_address
from api.owner import AskedOwner
from contracts.api import BotChange, BotCreate, BotList, OwnerChange, OwnerDelete, OwnerDeleted
from contracts.archive import Archive
from contracts.records import Bot, Owner
from contracts.states import REMOTE
from durable_objects.shared.js import raw

router = APIRouter(tags=["bots"])


@router.get("/me", response_model=Owner)
async def me(owner: AskedOwner) -> Response:
    return await owner.answer("me")


@router.patch("/me", response_model=Owner)
async def change_me(owner: AskedOwner, body: OwnerChange) -> Response:
    return await owner.answer("change_me", **body.model_dump())


@router.post("/me/delete", response_model=OwnerDeleted)
async def delete_me(owner: AskedOwner, body: OwnerDelete) -> Response:
    """Delete everything of this owner, the computer too, in some days or at once; `confirm` is its id.

    Until it begins it can be taken back, and nothing else is answered but the archive. Begun, it is for good;
    asked again it goes on. Afterwards the same owner begins anew.
    """
    return await owner.answer("delete_me", body=body.model_dump())


@router.post("/me/undelete", response_model=Owner)
async def undelete_me(owner: AskedOwner) -> Response:
    """Take back a deletion that has not begun: everything is as it was, and goes on."""
    return await owner.answer("undelete_me")


@router.get("/me/archive", response_model=Archive)
async def archive(owner: AskedOwner) -> Response:
    """The archive of everything of this owner: whether there is one, and how far it is."""
    return await owner.answer("archive")


@router.post("/me/archive", response_model=Archive, status_code=202)
async def make_archive(owner: AskedOwner) -> Response:
    """Have one made; one that is being made is joined, a finished one is replaced."""
    return await owner.answer("make_archive", 202)


@router.delete("/me/archive", status_code=204)
async def remove_archive(owner: AskedOwner) -> Response:
    await owner.call("remove_archive")
    return Response(status_code=204)


@router.get("/bots", response_model=BotList)
async def bots(owner: AskedOwner) -> Response:
    return await owner.answer("bots")


@router.post("/bots", response_model=Bot, status_code=201)
async def create_bot(owner: AskedOwner, request: Request, body: BotCreate) -> Response:
    return await owner.answer("create_bot", 201, body=_as_given(request, body))


@router.patch("/bots/{bot_id}", response_model=Bot)
async def change_bot(owner: AskedOwner, request: Request, bot_id: str, body: BotChange) -> Response:
    return await owner.answer("change_bot", id=bot_id, body=_as_given(request, body))


@router.delete("/bots/{bot_id}", status_code=204)
async def delete_bot(owner: AskedOwner, bot_id: str) -> Response:
    await owner.call("delete_bot", id=bot_id)
    return Response(status_code=204)


def _as_given(request: Request, body: BotCreate | BotChange) -> dict[str, Any]:
    """The body as JSON with its address checked and the key readable: the owner's object is where it goes."""
    fields = body.model_dump(mode="json")
    if body.model is None:
        return fields
    if body.model.api_key is not None:
        fields["model"]["api_key"] = body.model.api_key.get_secret_value()
    local = str(getattr(raw(request.scope["env"]), "BERTH_SIGN_IN", "") or "") == "local"
    asked = body.model.provider in REMOTE
    base_url = body.model.base_url if asked else ""
    fields["model"]["base_url"] = checked_address(base_url, local=local, own_hosts=own_hosts(request))
    return fields
