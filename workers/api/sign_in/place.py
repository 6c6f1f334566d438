"""Where a request came in: the origin that a browser must name, and whom passkeys are made for."""

from collections.abc import Collection
from dataclasses import dataclass

from api.access import HOST, LOOPBACK
from contracts.errors import ErrorCode
from contracts.reasons import because


@dataclass(frozen=True)
class Place:
    origin: str
    rp_id: str
    """The relying party of WebAuthn: the host's name and nothing wider."""

    @property
    def secure(self) -> bool:
        return self.origin.startswith("https:")


def place_of(host: str, scheme: str, hosts: Collection[str]) -> Place:
    """`host` is the Host header; `hosts` are the deployment's own. Raises `forbidden` for any other.

    On this machine itself it may be http, at `localhost` and the names under it.
    """
    found = HOST.fullmatch(host.lower())
    name = found["name"].strip("[]") if found else ""
    if name and (name in hosts or host.lower() in hosts):
        return Place(f"https://{host.lower()}", name)
    if name in LOOPBACK or name.endswith(".localhost"):
        return Place(f"{'https' if scheme == 'https' else 'http'}://{host.lower()}", name)
    raise because(ErrorCode.FORBIDDEN, "no_sign_in_here")
