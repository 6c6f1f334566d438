"""Routes of a person's own ways in: passkeys and recovery codes; and of operators, who invite people."""

import asyncio
import logging
from typing import Any

from fastapi import APIRouter, Request, Response

from api.owner import OwnerObject
from api.people import Me
from api.sign_in import passkey, recovery
from api.sign_in.desk import AtOffice, for_oneself
from contracts.audit import actor_of
from contracts.sign_in import (
    InvitationList,
    InvitationMade,
    Passkey,
    PasskeyChange,
    PasskeyCreate,
    PasskeyOptions,
    PersonChange,
    RecoveryCodes,
    WaysIn,
)

log = logging.getLogger(__name__)

router = APIRouter(tags=["people"])


@router.get("/ways-in", response_model=WaysIn)
async def ways_in(me: Me) -> Response:
    """How one can sign in: passkeys, accounts elsewhere, and how many recovery codes are left."""
    return await me.answer("ways_in")


@router.patch("/ways-in", response_model=WaysIn)
async def rename_oneself(me: Me, request: Request, body: PersonChange) -> Response:
    """What the person is called, in every workspace too: one that does not answer keeps the old name."""
    told = await me.call("rename", name=body.name)
    owners = (
        OwnerObject(request.scope["env"], me.caller.model_copy(update={"owner_id": owner_id}))
        for owner_id in told["workspaces"]
    )
    called = await asyncio.gather(
        *(one.call("name_oneself", name=body.name) for one in owners), return_exceptions=True
    )
    for error in called:
        if isinstance(error, BaseException):
            log.warning("a workspace keeps a member's old name: %s", type(error).__name__)
    return await me.answer("ways_in")


@router.post("/passkeys/options", response_model=PasskeyOptions)
async def options(me: Me, office: AtOffice) -> Any:
    known = WaysIn.model_validate(await me.call("ways_in"))
    person_id = me.caller.person_id
    asked = await passkey.add_options(office, person_id, known.name or "Berth", known.passkeys)
    return PasskeyOptions(options=asked)


@router.post("/passkeys", response_model=Passkey, status_code=201)
async def add(me: Me, office: AtOffice, request: Request, body: PasskeyCreate) -> Any:
    own = for_oneself(office, request.scope["env"], me.caller)
    return await passkey.add(own, me.caller.person_id, body.response, body.name)


@router.patch("/passkeys/{passkey_id}", response_model=Passkey)
async def rename(me: Me, passkey_id: str, body: PasskeyChange) -> Response:
    return await me.answer("rename_passkey", id=passkey_id, name=body.name)


@router.delete("/passkeys/{passkey_id}", status_code=204)
async def remove(me: Me, passkey_id: str) -> Response:
    """`last_way_in` where nothing else would let one in again."""
    return await me.do("remove_passkey", id=passkey_id)


@router.post("/recovery-codes", response_model=RecoveryCodes, status_code=201)
async def make_recovery_codes(me: Me, office: AtOffice, request: Request) -> Any:
    """Ten codes, in this answer and in no other. Those before them are worth nothing any more."""
    own = for_oneself(office, request.scope["env"], me.caller)
    codes = await recovery.new_codes(own, me.caller.person_id)
    return RecoveryCodes(codes=codes)


@router.get("/operator/invitations", response_model=InvitationList)
async def invitations(office: AtOffice) -> Any:
    return await office.directory("invitations")


@router.post("/operator/invitations", response_model=InvitationMade, status_code=201)
async def invite(me: Me, office: AtOffice) -> Any:
    """One person comes in by it, within seven days. Its code is in this answer and in no other."""
    return await office.directory("invite", by_id=me.caller.person_id, actor=actor_of(me.caller).model_dump())


@router.delete("/operator/invitations/{invitation_id}", status_code=204)
async def take_back(me: Me, office: AtOffice, invitation_id: str) -> Response:
    await office.directory("take_back", id=invitation_id, actor=actor_of(me.caller).model_dump())
    return Response(status_code=204)
