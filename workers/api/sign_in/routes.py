"""Routes of the ways in, for whom nobody knows yet: each ends with a session, or says that it does not."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from api.device import device_of
from api.session import begin_session
from api.sign_in import account, passkey, recovery
from api.sign_in.access import ASSERTION
from api.sign_in.account import Vouched
from api.sign_in.desk import AtOffice
from api.sign_in.office import Known, Office, code_hash
from contracts.errors import BerthError, ErrorCode
from contracts.limits import LOGIN_SECONDS
from contracts.sign_in import (
    AccessJoin,
    OidcStart,
    OidcStarted,
    PasskeyAnswer,
    PasskeyOptions,
    RecoverySignIn,
    SignedIn,
    SignInWays,
    SignUpPasskey,
)

router = APIRouter(tags=["people"])


@router.get("/sign-in", response_model=SignInWays)
async def ways(office: AtOffice, request: Request) -> Any:
    """How one gets in here."""
    settings = office.settings
    setup_code = settings.setup_code
    return SignInWays(
        ways=list(settings.ways),
        sign_up="open" if settings.sign_up_open else "invited",
        first=bool(setup_code) and (await office.directory("awaits_first", setup_code=setup_code))["first"],
        oidc_name=settings.oidc.name if settings.oidc else "",
        access_name=await _stranger_of_access(office, request),
    )


@router.post("/sign-in/passkey/options", response_model=PasskeyOptions)
async def passkey_options(office: AtOffice) -> Any:
    return PasskeyOptions(options=await passkey.sign_in_options(office))


@router.post("/sign-in/passkey", response_model=SignedIn)
async def by_passkey(office: AtOffice, request: Request, response: Response, body: PasskeyAnswer) -> Any:
    return await _in(request, response, "passkey", await passkey.sign_in(office, body.response))


@router.post("/sign-up/passkey/options", response_model=PasskeyOptions)
async def sign_up_options(office: AtOffice, body: SignUpPasskey) -> Any:
    """`forbidden` for whom neither the deployment nor an invitation lets in."""
    return PasskeyOptions(options=await passkey.sign_up_options(office, body.name, _code(body)))


@router.post("/sign-up/passkey", response_model=SignedIn)
async def sign_up(office: AtOffice, request: Request, response: Response, body: PasskeyAnswer) -> Any:
    device = device_of(request.headers.get("user-agent", "")) or passkey.SITE
    known = await passkey.sign_up(office, body.response, device)
    return await _in(request, response, "passkey", known)


@router.post("/sign-in/recovery", response_model=SignedIn)
async def by_recovery_code(
    office: AtOffice, request: Request, response: Response, body: RecoverySignIn
) -> Any:
    known = await recovery.recover(office, body.code.get_secret_value())
    return await _in(request, response, "recovery_code", known)


@router.post("/sign-in/access", response_model=SignedIn)
async def join_by_access(office: AtOffice, request: Request, body: AccessJoin) -> Any:
    """Whom Access lets through becomes a person here. Each request says who it is: no session is made."""
    vouched = await account.vouched_by_access(office, request.headers.get(ASSERTION, ""))
    device = device_of(request.headers.get("user-agent", ""))
    known = await account.admit(office, vouched, code_hash(_code(body)), device)
    return SignedIn(person_id=known.person_id)


@router.post("/sign-in/oidc", response_model=OidcStarted)
async def start_oidc(office: AtOffice, response: Response, body: OidcStart) -> Any:
    """The browser goes on to `url` and comes back to the callback below, with this answer's cookie."""
    begun = await account.begin(office, body.return_to, _code(body))
    response.headers.append("set-cookie", _login_cookie(office, begun.login, LOGIN_SECONDS))
    return OidcStarted(url=begun.url)


@router.get("/sign-in/oidc/callback", status_code=303)
async def finish_oidc(office: AtOffice, request: Request) -> Response:
    """From the provider. Whatever became of it, the browser goes back to the page, which says it."""
    login = request.cookies.get(_login_name(office), "")
    try:
        known, return_to = await account.finish(office, request.url.query, login)
        response = RedirectResponse(return_to, 303)
        await _in(request, response, "oidc", known)
    except BerthError as error:
        response = RedirectResponse(f"/sign-in?failed={error.code}", 303)
    response.headers.append("set-cookie", _login_cookie(office, "", 0))
    response.headers["cache-control"] = "no-store"
    return response


async def _stranger_of_access(office: Office, request: Request) -> str | None:
    """Whom Access has let through without a person here being theirs."""
    token = request.headers.get(ASSERTION)
    if "access" not in office.settings.ways or not token:
        return None
    try:
        vouched: Vouched = await account.vouched_by_access(office, token)
    except BerthError as error:
        if error.code != ErrorCode.UNAUTHENTICATED:
            raise
        return None
    return None if await account.known_by_access(office, vouched) else vouched.name


async def _in(request: Request, response: Response, way: str, known: Known) -> SignedIn:
    await begin_session(request, response, known.person_id, way, operator=known.operator, name=known.name)
    return SignedIn(person_id=known.person_id, recovered=way == "recovery_code")


def _code(body: SignUpPasskey | OidcStart | AccessJoin) -> str:
    return body.code.get_secret_value() if body.code else ""


def _login_name(office: Office) -> str:
    return "__Host-berth-login" if office.place.secure else "berth-login"


def _login_cookie(office: Office, value: str, seconds: int) -> str:
    """Of this browser and host alone. It goes along when the provider sends the person back."""
    secure = "; Secure" if office.place.secure else ""
    about = f"Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    return f"{_login_name(office)}={value}; {about}"
