"""The way in on one's own machine: the token that was printed at the start, for a session of this browser."""

from fastapi import APIRouter, Request, Response

from api.access import local_person
from api.credentials import local_token_holds
from api.session import begin_session
from contracts.errors import ErrorCode
from contracts.people import LocalSignIn, Via
from contracts.reasons import because
from durable_objects.shared.js import raw, setting_of
from durable_objects.shared.secret import LOCAL_PERSON

router = APIRouter(tags=["people"])


@router.post("/sign-in/local", status_code=204)
async def sign_in(request: Request, body: LocalSignIn) -> Response:
    """Who one is, the name before `.localhost` says."""
    env = raw(request.scope["env"])
    person_id = local_person(request.headers.get("host", ""))
    if "local" not in setting_of(env, "BERTH_SIGN_IN").split() or person_id is None:
        raise because(ErrorCode.NOT_FOUND, "no_such_way_in")
    if not local_token_holds(env, body.token.get_secret_value()):
        raise because(ErrorCode.UNAUTHENTICATED, "wrong_token")
    response = Response(status_code=204)
    await begin_session(request, response, person_id, Via.LOCAL, operator=person_id == LOCAL_PERSON)
    return response
