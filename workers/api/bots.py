"""Routes for the owner and their bots."""

from typing import Any

from fastapi import APIRouter, Request, Response

from api.egress import own_hosts
from api.model_address import checked_address
from api.owner import Caller
from contracts.api import BotChange, BotCreate, BotList, OwnerChange, OwnerDelete, OwnerDeleted
from contracts.records import Bot, Owner
from contracts.states import REMOTE
from durable_objects.shared.js import raw

router = APIRouter(tags=["bots"])


@router.get("/me", response_model=Owner)
async def me(owner: Caller) -> Response:
    return await owner.answer("me")


@router.patch("/me", response_model=Owner)
async def change_me(owner: Caller, body: OwnerChange) -> Response:
    return await owner.answer("change_me", **body.model_dump())


@router.post("/me/delete", response_model=OwnerDeleted)
async def delete_me(owner: Caller, body: OwnerDelete) -> Response:
    """Delete everything of this owner for good, the computer too. `confirm` is the owner's id.

    Asked again it goes on. Afterwards the same owner begins anew.
    """
    return await owner.answer("delete_me", body=body.model_dump())


@router.get("/bots", response_model=BotList)
async def bots(owner: Caller) -> Response:
    return await owner.answer("bots")


@router.post("/bots", response_model=Bot, status_code=201)
async def create_bot(owner: Caller, request: Request, body: BotCreate) -> Response:
    return await owner.answer("create_bot", 201, body=_as_given(request, body))


@router.patch("/bots/{bot_id}", response_model=Bot)
async def change_bot(owner: Caller, request: Request, bot_id: str, body: BotChange) -> Response:
    return await owner.answer("change_bot", id=bot_id, body=_as_given(request, body))


@router.delete("/bots/{bot_id}", status_code=204)
async def delete_bot(owner: Caller, bot_id: str) -> Response:
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
