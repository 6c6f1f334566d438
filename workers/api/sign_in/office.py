"""What every way to sign in needs: settings, the place of the request, whom to ask, what is signed."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from api.sign_in.place import Place
from api.sign_in.settings import SignIn
from api.sign_in.signed import Signed, read, sign
from contracts.errors import BerthError, ErrorCode
from contracts.limits import SIGN_IN_PROVIDER_BYTES_MAX, SIGN_IN_PROVIDER_SECONDS
from contracts.reasons import because
from durable_objects.person.ways import refuse
from durable_objects.platform.directory import hashed
from durable_objects.shared.ids import Entropy
from durable_objects.shared.secret import invited_to

log = logging.getLogger(__name__)

CHANCE_BYTES = 16
# Between a workspace and the hash of its code; no hash has it.
OF_WORKSPACE = ":"
LIMITS = {"seconds": SIGN_IN_PROVIDER_SECONDS, "bytes": SIGN_IN_PROVIDER_BYTES_MAX}


class Asked(Protocol):
    """An object's operations by name: `directory_operations.py`, `way_operations.py`. Raises its errors."""

    async def __call__(self, operation: str, **fields: Any) -> Any: ...


Check = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""A function of `passkeys.mjs` or `openid.mjs` by name, with what it is asked; its answer as it is."""


@dataclass(frozen=True)
class Known:
    """Who has signed in."""

    person_id: str
    operator: bool
    name: str = ""
    """Where this was the first time: what to call them."""
    until_ms: int | None = None
    """Until when somebody else vouches for them, where that is said with each request."""


@dataclass(frozen=True)
class Office:
    settings: SignIn
    place: Place
    directory: Asked
    person: Callable[[str], Asked]
    workspace: Callable[[str], Asked]
    """By its id: `bot_owner/joining.py`, for anybody."""
    check: Check
    now_ms: Callable[[], int]
    entropy: Entropy

    def wants(self, way: str) -> None:
        """Raises `not_found` for a way that this deployment does not have."""
        if way not in self.settings.ways:
            raise because(ErrorCode.NOT_FOUND, "no_such_way_in")

    async def signed(self, purpose: str, fields: Mapping[str, Any], seconds: int) -> str:
        until_ms = self.now_ms() + seconds * 1000
        return sign(await self._key(), purpose, fields, until_ms, self.entropy(CHANCE_BYTES))

    async def read(self, purpose: str, text: str) -> Signed:
        """Raises `unauthenticated` for what was not signed here, for this purpose, a short while ago."""
        return read(await self._key(), purpose, text, self.now_ms()) or refuse()

    async def _key(self) -> bytes:
        return bytes.fromhex((await self.directory("sign_in_key"))["key"])

    async def checked(self, name: str, asked: Mapping[str, Any], whom: str = "") -> Mapping[str, Any]:
        """Raises `unauthenticated` for what does not hold, `sign_in_unavailable` where `whom` is silent."""
        answer = await self.check(name, asked)
        if why := answer.get("refused"):
            log.info("a sign-in was refused: %s", why)
            refuse()
        if why := answer.get("unavailable"):
            log.warning("a sign-in could not be checked: %s", why)
            raise BerthError(
                ErrorCode.SIGN_IN_UNAVAILABLE,
                f"{whom or 'The provider'} did not answer as it should. Try again soon.",
            )
        return answer

    def known(self, found: Mapping[str, Any], name: str = "", account: str = "") -> Known:
        """`account` is `issuer|subject` where one elsewhere has signed its person in."""
        listed = self.settings.operators & {found["person_id"], account}
        return Known(found["person_id"], bool(found["operator"] or listed), name)


def code_hash(code: str) -> str:
    """Of an invitation's or the setup code; people copy spaces along.

    One of a workspace's says whose it is.
    """
    plain = code.strip()
    if found := invited_to(plain):
        return OF_WORKSPACE.join(found)
    return hashed(plain) if plain else ""
