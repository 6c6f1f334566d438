"""Signing in: what the page asks, and what it is told.

What a browser is asked about a passkey, and what it says of one, is JSON as WebAuthn has it.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr

from contracts.limits import PASSKEY_NAME_CHARACTERS_MAX, PERSON_NAME_CHARACTERS_MAX, RETURN_CHARACTERS_MAX
from contracts.records import Record
from contracts.texts import readable

Way = Literal["local", "passkey", "oidc", "access"]
WAYS: tuple[Way, ...] = ("local", "passkey", "oidc", "access")

# What follows a slash and is not another one: never another origin, however a browser reads it.
_PATH = re.compile(r"/(?![/\\])[^\s\\\x00-\x1f]*")


def _path(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise ValueError("a path of this page is wanted")
    return text


PersonName = Annotated[str, Field(max_length=PERSON_NAME_CHARACTERS_MAX), AfterValidator(readable)]
PasskeyName = Annotated[str, Field(max_length=PASSKEY_NAME_CHARACTERS_MAX), AfterValidator(readable)]
ReturnTo = Annotated[str, Field(max_length=RETURN_CHARACTERS_MAX), AfterValidator(_path)]
Code = Annotated[SecretStr, Field(max_length=200)]


class SignInWays(Record):
    """How one gets in here, as anybody may know it."""

    ways: list[Way]
    sign_up: Literal["invited", "open"]
    first: bool = False
    """Whether the setup code still waits for the first person."""
    oidc_name: str = ""
    """What to call the provider on a button."""
    access_name: str | None = None
    """Whom Cloudflare Access knows in this browser, where that is no person here yet."""


class PasskeyAnswer(Record):
    """What a browser's `navigator.credentials` gave, as its `toJSON` says it."""

    response: dict[str, Any]


class PasskeyOptions(Record):
    """What a browser's `navigator.credentials` is asked with, as WebAuthn's JSON."""

    options: dict[str, Any]


class PersonChange(Record):
    name: PersonName


class SignUpPasskey(Record):
    name: PersonName
    code: Code | None = None
    """Of an invitation, or the deployment's setup code."""


class OidcStart(Record):
    return_to: ReturnTo = "/"
    code: Code | None = None


class OidcStarted(Record):
    url: str
    """Where the person goes on."""


class AccessJoin(Record):
    code: Code | None = None


class RecoverySignIn(Record):
    code: Code


class SignedIn(Record):
    person_id: str
    recovered: bool = False
    """By a recovery code: a new passkey is wanted next."""


class Passkey(Record):
    id: str
    name: str
    backed_up: bool
    """Whether its maker says that it outlives the device."""
    created_ms: int
    used_ms: int | None = None


class PasskeyCreate(PasskeyAnswer):
    name: PasskeyName


class PasskeyChange(Record):
    name: PasskeyName


class SignInAccount(Record):
    """An account elsewhere that signs its person in here."""

    issuer: str
    name: str
    used_ms: int


class WaysIn(Record):
    """How the person who asks can sign in."""

    person_id: str
    name: str
    operator: bool
    passkeys: list[Passkey]
    accounts: list[SignInAccount]
    recovery_codes_left: int


class RecoveryCodes(Record):
    """Shown this once; those before them are worth nothing any more."""

    codes: list[str]


class Invitation(Record):
    id: str
    created_ms: int
    expires_ms: int
    used_ms: int | None = None


class InvitationMade(Invitation):
    code: str
    """Shown this once. It stands behind `/sign-up#` in the link."""


class InvitationList(Record):
    items: list[Invitation]
