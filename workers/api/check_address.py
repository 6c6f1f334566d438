"""The address that a routine's check looks at: what may be asked, in one spelling.

The Worker asks it itself, so it is held to the rules of the egress: https to a public host by its name, in
the canonical form. Only where one person serves Berth on their own machine may it be that machine.
"""

from urllib.parse import urlsplit

import idna

from api.model_address import LOOPBACK
from api.public_address import PublicAddressError, public_address
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from egress.address import AddressError, canonical


def checked_address(text: str, *, local: bool, own_hosts: list[str]) -> str:
    """Return the address to ask. Raises `invalid_request` with a sentence for what may not be asked."""
    given = text.strip()
    try:
        parts = urlsplit(given)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _refused("it cannot be read") from error
    if "@" in parts.netloc or "#" in given:
        raise _refused("it may hold no name and no fragment")
    loopback = local and host in LOOPBACK and parts.scheme in ("http", "https")
    try:
        name = "localhost" if loopback else idna.encode(host.rstrip("."), uts46=True).decode()
        authority = name if port is None else f"{name}:{port}"
        query = f"?{parts.query}" if parts.query else ""
        address = canonical(f"{parts.scheme}://{authority}{parts.path or '/'}{query}")
    except (AddressError, idna.IDNAError) as error:
        raise _refused(str(error)) from error
    if loopback:
        shown = f"[{host}]" if ":" in host else host
        return address.url.replace("localhost", shown, 1)
    try:
        return public_address(address.url, own_hosts).url
    except PublicAddressError as error:
        raise _refused(str(error)) from error


def _refused(why: str) -> BerthError:
    return because(ErrorCode.INVALID_REQUEST, "check_address_wrong", why=why)
