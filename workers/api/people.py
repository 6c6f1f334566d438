"""Routes for who is signed in: their sessions, their API tokens, tickets for sockets."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from api.cookies import jar_at
from api.owner import OwnerObject, caller_in
from api.person import PersonObject
from contracts.people import SessionList, Ticket, TicketCreate, TokenCreate, TokenList, TokenMade, Via
from durable_objects.shared.js import raw
from durable_objects.shared.streams import close_streams

router = APIRouter(tags=["people"])


class Oneself:
    """The person who calls, asked about themselves."""

    def __init__(self, request: Request) -> None:
        self.caller = caller_in(request)
        self._env = request.scope["env"]
        self._object = PersonObject(self._env, self.caller.person_id)

    async def answer(self, operation: str, status: int = 200, **fields: Any) -> Response:
        return await self._object.answer(self.caller, operation, status, **fields)

    async def call(self, operation: str, **fields: Any) -> Any:
        return await self._object.call(self.caller, operation, **fields)

    async def end(self, operation: str, *credential_ids: str, **fields: Any) -> None:
        """End these, or those that the operation names, and what is open by them, in workspaces too."""
        person_id = self.caller.person_id
        # Asked before: what fails now has ended nothing, and can be asked for again.
        workspaces = (await self.call("workspaces"))["items"]
        ended = await self.call(operation, **fields)
        owner_ids = (person_id, *workspaces)
        await close_streams(raw(self._env).BOT_OWNER, owner_ids, person_id, credential_ids or ended)

    async def do(self, operation: str, **fields: Any) -> Response:
        await self._object.answer(self.caller, operation, **fields)
        return Response(status_code=204)


async def oneself(request: Request) -> Oneself:
    return Oneself(request)


Me = Annotated[Oneself, Depends(oneself)]


@router.post("/sign-out", status_code=204)
async def sign_out(me: Me, request: Request) -> Response:
    """End the session that asks. A token or the sign-in of another is not ended here."""
    if me.caller.via == Via.SESSION:
        await me.end("sign_out", me.caller.credential_id)
    response = Response(status_code=204)
    if jar := jar_at(request.url.scheme, request.headers.get("host", "")):
        response.headers["set-cookie"] = jar.emptied()
    return response


@router.get("/sessions", response_model=SessionList)
async def sessions(me: Me) -> Response:
    """Where one is signed in, the device used last first."""
    return await me.answer("sessions")


@router.delete("/sessions/{session_id}", status_code=204)
async def end_session(me: Me, session_id: str) -> Response:
    await me.end("end_session", session_id, id=session_id)
    return Response(status_code=204)


@router.post("/sessions/end-others", status_code=204)
async def end_other_sessions(me: Me) -> Response:
    """All but the one that asks."""
    await me.end("end_other_sessions")
    return Response(status_code=204)


@router.get("/tokens", response_model=TokenList)
async def tokens(me: Me) -> Response:
    return await me.answer("tokens")


@router.post("/tokens", response_model=TokenMade, status_code=201)
async def create_token(me: Me, body: TokenCreate) -> Response:
    """The token itself is in this answer and in no other."""
    return await me.answer("create_token", 201, body=body.model_dump(mode="json"))


@router.delete("/tokens/{token_id}", status_code=204)
async def remove_token(me: Me, token_id: str) -> Response:
    await me.end("remove_token", token_id, id=token_id)
    return Response(status_code=204)


@router.post("/tickets", response_model=Ticket, status_code=201)
async def ticket(me: Me, request: Request, body: TicketCreate) -> Response:
    """For one socket of this session, this owner and this path, within 30 s: `?ticket=` when it is opened."""
    if me.caller.owner_id != me.caller.person_id:
        await OwnerObject(request.scope["env"], me.caller).call("membership")
    return await me.answer("give_ticket", 201, path=body.path)
