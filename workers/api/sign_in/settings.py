"""How a deployment lets people in, read from the Worker's variables and secrets; docs/sign-in.md lists them.

A way whose settings are missing or wrong is not offered, and the log says why: closed, never half open.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from contracts.limits import SETUP_CODE_CHARACTERS_MIN
from contracts.sign_in import WAYS, Way
from durable_objects.platform.directory import hashed

log = logging.getLogger(__name__)

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Oidc:
    issuer: str
    client_id: str
    client_secret: str
    name: str


@dataclass(frozen=True)
class Access:
    team: str
    """`https://TEAM.cloudflareaccess.com`, which is also who its tokens say they are from."""
    audience: str


@dataclass(frozen=True)
class SignIn:
    ways: tuple[Way, ...] = ()
    hosts: frozenset[str] = frozenset()
    """Names that this deployment is served from. A browser's passkeys belong to one of them."""
    sign_up_open: bool = False
    setup_code: str = ""
    """Its hash, or empty where there is none."""
    operators: frozenset[str] = frozenset()
    """Further operators: ids of persons, and `issuer|subject` of accounts elsewhere."""
    oidc: Oidc | None = None
    access: Access | None = None


def sign_in_of(told: Callable[[str], str]) -> SignIn:
    """`told` gives a variable's text, empty where it is not set."""
    named = told("BERTH_SIGN_IN").split()
    if unknown := sorted(set(named) - set(WAYS)):
        log.error("BERTH_SIGN_IN names what is no way to sign in: %s", ", ".join(unknown))
    oidc = _oidc(told) if "oidc" in named else None
    access = _access(told) if "access" in named else None
    missing = {way for way, found in (("oidc", oidc), ("access", access)) if found is None}
    return SignIn(
        ways=tuple(way for way in WAYS if way in named and way not in missing),
        hosts=frozenset(told("BERTH_HOSTS").lower().split()),
        sign_up_open=_sign_up_open(told("BERTH_SIGN_UP")),
        setup_code=_setup_code(told("BERTH_SETUP_CODE")),
        operators=frozenset(told("BERTH_OPERATORS").split()),
        oidc=oidc,
        access=access,
    )


def _sign_up_open(said: str) -> bool:
    if said not in ("", "invited", "open"):
        log.error("BERTH_SIGN_UP is neither invited nor open, so it is invited")
    return said == "open"


def _setup_code(code: str) -> str:
    if code and len(code) < SETUP_CODE_CHARACTERS_MIN:
        log.error(
            "BERTH_SETUP_CODE has fewer than %d characters, so it is not taken", SETUP_CODE_CHARACTERS_MIN
        )
        return ""
    return hashed(code) if code else ""


def _oidc(told: Callable[[str], str]) -> Oidc | None:
    issuer, client_id = told("BERTH_OIDC_ISSUER"), told("BERTH_OIDC_CLIENT_ID")
    if not (_secure(issuer) and client_id):
        log.error("oidc needs BERTH_OIDC_ISSUER, an https address, and BERTH_OIDC_CLIENT_ID")
        return None
    name = told("BERTH_OIDC_NAME") or urlsplit(issuer).hostname or issuer
    return Oidc(issuer, client_id, told("BERTH_OIDC_CLIENT_SECRET"), name)


def _access(told: Callable[[str], str]) -> Access | None:
    team, audience = told("BERTH_ACCESS_TEAM").rstrip("/"), told("BERTH_ACCESS_AUDIENCE")
    if not (_secure(team) and audience):
        log.error("access needs BERTH_ACCESS_TEAM, an https address, and BERTH_ACCESS_AUDIENCE")
        return None
    return Access(team, audience)


def _secure(address: str) -> bool:
    """Whether it is https, or this very machine, where a provider may be tried out."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
