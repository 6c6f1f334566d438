"""Accounts elsewhere: an OpenID Connect provider, and Cloudflare Access in front of the deployment.

What is under way with a provider is signed and kept in a cookie of the browser that began it, so nobody can
finish it in another one; its `state` counts once. Access has no such way: its token comes with each request.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from api.sign_in.invited import vouched_by
from api.sign_in.office import LIMITS, Known, Office, code_hash
from api.sign_in.settings import Access, Oidc
from contracts.limits import LOGIN_SECONDS, PERSON_NAME_CHARACTERS_MAX
from contracts.texts import one_line
from durable_objects.person.ways import refuse
from durable_objects.platform.directory import Arrival, Identity, hashed
from durable_objects.shared.ids import new_person_id

LOGIN = "oidc login"
CALLBACK = "/api/sign-in/oidc/callback"


@dataclass(frozen=True)
class Begun:
    url: str
    login: str
    """What the browser keeps until it comes back."""


@dataclass(frozen=True)
class Vouched:
    """Whom somebody else vouches for, and until when."""

    issuer: str
    subject: str
    name: str
    until_ms: int = 0

    @property
    def identity(self) -> Identity:
        return Identity(self.issuer, hashed(self.subject))

    @property
    def account(self) -> str:
        return f"{self.issuer}|{self.subject}"


async def begin(office: Office, return_to: str, code: str) -> Begun:
    """Raises `sign_in_unavailable` where the provider does not answer as one."""
    oidc = _oidc(office)
    begun = await office.checked("begun", _settings(office, oidc), oidc.name)
    kept = {name: begun[name] for name in ("state", "nonce", "verifier")}
    fields = kept | {"return_to": return_to, "code": code_hash(code)}
    return Begun(begun["url"], await office.signed(LOGIN, fields, LOGIN_SECONDS))


async def finish(office: Office, query: str, login: str) -> tuple[Known, str]:
    """The person who came back from the provider, and where on the page they wanted to go."""
    oidc = _oidc(office)
    signed = await office.read(LOGIN, login)
    fields = signed.fields
    # Before the provider is asked: who comes back twice is refused, whatever became of the first time.
    spent = await office.directory("spend", value=fields["state"], until_ms=signed.until_ms)
    if not spent["first"]:
        refuse()
    asked = _settings(office, oidc) | {
        "client_secret": oidc.client_secret,
        "url": f"{office.place.origin}{CALLBACK}?{query}",
        **{name: fields[name] for name in ("state", "nonce", "verifier")},
    }
    found = await office.checked("finished", asked, oidc.name)
    vouched = Vouched(str(found["issuer"]), str(found["subject"]), _name(found))
    return await admit(office, vouched, fields["code"]), str(fields["return_to"])


async def vouched_by_access(office: Office, token: str) -> Vouched:
    """Whom Access has let through. Raises `unauthenticated` for a token that does not hold here."""
    access = _access(office)
    asked = {"team": access.team, "audience": access.audience, "token": token, "limits": LIMITS}
    found = await office.checked("accessed", asked, "Cloudflare Access")
    return Vouched(str(found["issuer"]), str(found["subject"]), _name(found), int(found["until_ms"]))


async def known_by_access(office: Office, vouched: Vouched) -> Known | None:
    """The person, if they are one here already: Access lets people through, who may come is decided here."""
    found = await office.directory("by_identity", identity=asdict(vouched.identity))
    return office.known(found, account=vouched.account) if found else None


async def admit(office: Office, vouched: Vouched, code: str, device: str | None = None) -> Known:
    """`code` is hashed. Raises `forbidden` for somebody new who may not come.

    With a `device` this is a sign-in through Access, which no session follows.
    """
    known = await office.directory("by_identity", identity=asdict(vouched.identity)) if code else None
    who = f"{vouched.issuer}|{vouched.identity.subject}"
    arrival = Arrival(
        person_id=new_person_id(office.entropy),
        identity=vouched.identity,
        code=code,
        setup_code=office.settings.setup_code,
        sign_up_open=office.settings.sign_up_open,
        listed=vouched.account in office.settings.operators,
        vouched_by="" if known else await vouched_by(office, code, who),
    )
    found = await office.directory("admit", **asdict(arrival))
    known_now = office.known(found, vouched.name, vouched.account)
    signed_in = {"way": "access", "device": device, "operator": known_now.operator}
    await office.person(known_now.person_id)(
        "came_by",
        **asdict(vouched.identity),
        name=vouched.name,
        signed_in=signed_in if device is not None else None,
    )
    return known_now


def _settings(office: Office, oidc: Oidc) -> dict[str, Any]:
    return {
        "issuer": oidc.issuer,
        "client_id": oidc.client_id,
        "redirect_uri": f"{office.place.origin}{CALLBACK}",
        "limits": LIMITS,
    }


def _oidc(office: Office) -> Oidc:
    office.wants("oidc")
    return cast(Oidc, office.settings.oidc)


def _access(office: Office) -> Access:
    office.wants("access")
    return cast(Access, office.settings.access)


def _name(found: Mapping[str, Any]) -> str:
    return one_line(str(found["name"]))[:PERSON_NAME_CHARACTERS_MAX]
