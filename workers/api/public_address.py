"""Addresses that the Worker itself asks for an owner: https to a public host by its name, in one spelling.

They are held to the rules of the egress. A name may still lead to an address inside a network: the Worker
looks up none, and on Cloudflare its fetch reaches no private one.
"""

import re
from collections.abc import Collection
from urllib.parse import urlsplit

import idna

from contracts.errors import ErrorCode
from contracts.reasons import because
from egress.address import Address, AddressError, canonical

# Names that are no public host's: of this machine, of a local network, of a cloud's inside.
PRIVATE = re.compile(
    r"[^.]+|(.+\.)?(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)"
)


class PublicAddressError(ValueError):
    """Why this is none that is asked, to stand behind a colon."""


def with_known_host(url: str) -> str:
    """The URL with its host as punycode and without the root dot. Raises PublicAddressError."""
    if not url.isprintable():
        raise PublicAddressError("it holds characters that cannot be seen")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        name = idna.encode(host.rstrip("."), uts46=True).decode()
    except idna.IDNAError as error:
        raise PublicAddressError(str(error)) from error
    except ValueError as error:
        raise PublicAddressError("it cannot be read") from error
    if "@" in parts.netloc or parts.fragment or "#" in url:
        raise PublicAddressError("it may hold no name and no fragment")
    authority = name if port is None else f"{name}:{port}"
    query = f"?{parts.query}" if "?" in url else ""
    return f"{parts.scheme}://{authority}{parts.path or '/'}{query}"


def public_address(url: str, own_hosts: Collection[str]) -> Address:
    """What may be asked, in its canonical form. Raises PublicAddressError."""
    try:
        address = canonical(url)
    except AddressError as error:
        raise PublicAddressError(str(error)) from error
    if address.scheme != "https":
        raise PublicAddressError("it must begin with https://")
    if PRIVATE.fullmatch(address.host):
        raise PublicAddressError("only public hosts are asked")
    if address.host in own_hosts:
        raise PublicAddressError("this is where Berth itself is served from")
    return address


def notice_url(text: str, own_hosts: Collection[str]) -> str:
    """The address of a webhook or of a browser's push service. Raises `invalid_request` with a sentence."""
    try:
        return public_address(with_known_host(text.strip()), own_hosts).url
    except PublicAddressError as error:
        raise because(ErrorCode.INVALID_REQUEST, "notice_address_wrong", why=str(error)) from error
