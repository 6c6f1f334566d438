"""Routes for workspaces: those of the person who asks, who belongs to one, and how people come and go."""

import asyncio
import os
from typing import Any

from fastapi import APIRouter, Request, Response

from api.joining import JoiningObject
from api.owner import AskedOwner, OwnerObject
from api.people import Me, Oneself
from api.person import PersonObject
from api.platform import PlatformObject
from contracts.errors import BerthError, ErrorCode
from contracts.limits import MEMBERSHIP_SECONDS
from contracts.members import (
    InvitationCode,
    InvitedTo,
    Member,
    MemberChange,
    MemberInvitationCreate,
    MemberInvitationList,
    MemberInvitationMade,
    MemberList,
    Membership,
    MembershipList,
    WorkspaceCreate,
)
from contracts.people import Role
from contracts.reasons import because
from contracts.records import EgressStanding
from durable_objects.bot_owner.invitations import no_such_invitation
from durable_objects.shared.ids import new_workspace_id
from durable_objects.shared.secret import invited_to

router = APIRouter(tags=["members"])


@router.get("/owners", response_model=MembershipList)
async def owners(me: Me, request: Request) -> Any:
    """What the person belongs to, their own first. Each is asked: who was removed is shown it no more."""
    ids = await me.call("workspaces")
    found = await asyncio.gather(*(_membership(me, request, owner_id) for owner_id in ids["items"]))
    gone = [owner_id for owner_id, one in zip(ids["items"], found, strict=True) if one is None]
    if gone:
        await me.call("forget_workspaces", owner_ids=gone)
    own = Membership(id=me.caller.person_id, role=Role.OWNER)
    return MembershipList(items=[own, *(one for one in found if one)])


async def _membership(me: Oneself, request: Request, owner_id: str) -> Membership | None:
    """None where one does not belong to it, or not any more."""
    owner = OwnerObject(request.scope["env"], me.caller.model_copy(update={"owner_id": owner_id}))
    try:
        async with asyncio.timeout(MEMBERSHIP_SECONDS):
            return Membership.model_validate(await owner.call("membership"))
    except BerthError as error:
        return None if error.code == ErrorCode.NOT_FOUND else Membership(id=owner_id)
    except TimeoutError:
        return Membership(id=owner_id)


@router.post("/owners", response_model=Membership, status_code=201)
async def create(me: Me, request: Request, body: WorkspaceCreate) -> Any:
    """A workspace with bots and a computer of its own; who creates it is its owner, and can invite others.

    `computer_banned` while the person's own computer is: a ban is not walked around by another machine.
    """
    await _check_not_banned(request, me.caller.person_id)
    return await _join(me, request, new_workspace_id(os.urandom), "found", workspace=body.name)


async def _check_not_banned(request: Request, person_id: str) -> None:
    """Platform is asked, and not the person's computer: that one may not have heard of it yet."""
    standing = EgressStanding.model_validate(
        await PlatformObject(request.scope["env"]).ask("standing", owner_id=person_id)
    )
    if ban := standing.ban:
        raise because(ErrorCode.COMPUTER_BANNED, "workspace_banned", why=ban.reason.rstrip("."))


@router.post("/invitations/look", response_model=InvitedTo)
async def look(request: Request, body: InvitationCode) -> Any:
    """What an invitation is for; nothing of it is used up."""
    owner_id, code_hash = _read(body)
    return await JoiningObject(request.scope["env"], owner_id).ask("look", hash=code_hash)


@router.post("/invitations/accept", response_model=Membership)
async def accept(me: Me, request: Request, body: InvitationCode) -> Any:
    """Join. An invitation is good for one person; who belongs there already uses up none."""
    owner_id, code_hash = _read(body)
    return await _join(me, request, owner_id, "accept", hash=code_hash)


async def _join(me: Oneself, request: Request, owner_id: str, operation: str, **fields: Any) -> Any:
    """First the person keeps where they are about to be: see `person/workspaces.py`."""
    env, caller = request.scope["env"], me.caller
    kept = await me.call("keep_workspace", owner_id=owner_id)
    try:
        return await JoiningObject(env, owner_id).call(
            caller, operation, name=kept["name"] or caller.person_id, **fields
        )
    except BerthError as error:
        # What went wrong on the way may have happened all the same: then the next list asks.
        if error.code != ErrorCode.INTERNAL and not kept["known"]:
            await me.call("drop_workspace", owner_id=owner_id)
        raise


def _read(body: InvitationCode) -> tuple[str, str]:
    found = invited_to(body.code.get_secret_value().strip())
    if found is None:
        raise no_such_invitation()
    return found


@router.get("/members", response_model=MemberList)
async def members(owner: AskedOwner) -> Response:
    """In the order in which they came; of a person's own there are none."""
    return await owner.answer("members")


@router.patch("/members/{person_id}", response_model=Member)
async def change(owner: AskedOwner, person_id: str, body: MemberChange) -> Response:
    """`last_owner` where nobody would be left who is one."""
    return await owner.answer("change_member", id=person_id, body=body.model_dump(mode="json"))


@router.delete("/members/{person_id}", status_code=204)
async def remove(owner: AskedOwner, person_id: str) -> Response:
    """At once: what they watch is closed, and they find no such owner any more."""
    await owner.call("remove_member", id=person_id)
    return Response(status_code=204)


@router.post("/members/leave", status_code=204)
async def leave(owner: AskedOwner, request: Request) -> Response:
    """Whoever belongs to a workspace may, but its last owner."""
    await owner.call("leave")
    person = PersonObject(request.scope["env"], owner.caller.person_id)
    await person.call(owner.caller, "drop_workspace", owner_id=owner.owner_id)
    return Response(status_code=204)


@router.get("/members/invitations", response_model=MemberInvitationList)
async def invitations(owner: AskedOwner) -> Response:
    """Those that can still be used, the newest first."""
    return await owner.answer("invitations")


@router.post("/members/invitations", response_model=MemberInvitationMade, status_code=201)
async def invite(owner: AskedOwner, body: MemberInvitationCreate) -> Response:
    """One person joins by it, within seven days. Its code is in this answer and in no other."""
    return await owner.answer("invite", 201, body=body.model_dump(mode="json"))


@router.delete("/members/invitations/{invitation_id}", status_code=204)
async def take_back(owner: AskedOwner, invitation_id: str) -> Response:
    await owner.call("take_back_invitation", id=invitation_id)
    return Response(status_code=204)
