"""The address of a model's server as an owner gives it: what may be asked with their key, in one spelling.

It is fetched by the Worker itself, so it is held to the rules of the egress: https to a host by its name, in
the canonical form. Only where one person serves Berth on their own machine may it be that machine.
"""

from urllib.parse import urlsplit

import idna

from api.public_address import PublicAddressError, public_address
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from egress.address import AddressError, canonical

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def checked_address(text: str, *, local: bool, own_hosts: list[str]) -> str:
    """Return the address to ask, without a slash at its end; empty for the provider's own.

    Raises `invalid_request` with a sentence for what may not be asked.
    """
    given = text.strip().rstrip("/")
    if not given:
        return ""
    if not given.isprintable():
        raise _refused("it holds characters that cannot be seen")
    try:
        parts = urlsplit(given)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _refused("it cannot be read") from error
    if "@" in parts.netloc or parts.query or parts.fragment or "?" in given or "#" in given:
        raise _refused("it may hold no name, no query and no fragment")
    loopback = local and host in LOOPBACK and parts.scheme in ("http", "https")
    try:
        name = "localhost" if loopback else idna.encode(host.rstrip("."), uts46=True).decode()
        authority = name if port is None else f"{name}:{port}"
        address = canonical(f"{parts.scheme}://{authority}{parts.path or '/'}")
    except (AddressError, idna.IDNAError) as error:
        raise _refused(str(error)) from error
    if loopback:
        shown = f"[{host}]" if ":" in host else host
        authority = shown if port is None else f"{shown}:{port}"
        return f"{parts.scheme}://{authority}{address.path}".rstrip("/")
    try:
        return public_address(address.url, own_hosts).url.rstrip("/")
    except PublicAddressError as error:
        raise _refused(str(error)) from error


def _refused(why: str) -> BerthError:
    return because(ErrorCode.INVALID_REQUEST, "model_address_wrong", why=why)
