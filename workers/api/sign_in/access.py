"""Cloudflare Access at the door: each request says who it is, by a token that is checked once a minute.

What is kept is the answer for this very token, by its hash, for no longer than the token itself holds; so who
was removed from the deployment is out within that minute.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace

from api.sign_in import account
from api.sign_in.office import Known, Office
from contracts.limits import ACCESS_KEPT_SECONDS
from durable_objects.platform.directory import hashed

ASSERTION = "cf-access-jwt-assertion"
KEPT_MAX = 1_000


@dataclass(frozen=True)
class Kept:
    known: Known
    until_ms: int


class Answers:
    """The newest of them; the one that was asked for longest ago goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    async def of(self, office: Office, token: str) -> Known | None:
        """None for whom Access vouches and who is no person here. Raises `unauthenticated` for any other."""
        name = hashed(token)
        kept = self._kept.get(name)
        if kept and office.now_ms() < kept.until_ms:
            self._kept.move_to_end(name)
            return kept.known
        vouched = await account.vouched_by_access(office, token)
        known = await account.known_by_access(office, vouched)
        if known:
            known = replace(known, until_ms=vouched.until_ms)
            until_ms = min(vouched.until_ms, office.now_ms() + ACCESS_KEPT_SECONDS * 1000)
            self._kept[name] = Kept(known, until_ms)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
        return known
