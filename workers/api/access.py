"""Who may call the API. Until there is sign-in, that is one person on this machine and nobody else.

`BERTH_SIGN_IN=local` lets the person at this machine in, by the name `localhost` only: the Host
header is checked against rebinding, the Origin header against other pages. `NAME.localhost` is
another owner on the same machine, with bots, files and a computer of its own. Any other setting
refuses every request, so a deployment without sign-in is closed and not open.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from contracts.errors import BerthError, ErrorCode

LOCAL_OWNER = "local"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HOST = re.compile(r"(?P<name>\[::1\]|[a-z0-9.-]+)(:(?P<port>[0-9]{1,5}))?")
NAMED_OWNER = re.compile(r"([a-z0-9][a-z0-9-]{0,30})\.localhost")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def owner_of(sign_in: str, method: str, headers: Mapping[str, str], *, upgrade: bool = False) -> str:
    """Return the id of the owner who calls. Raises `unauthenticated` or `forbidden`.

    `headers` has lower-case names. Writes and socket upgrades from a browser must come from a page
    of the same origin; a client that is not a browser sends no Origin.
    """
    if sign_in != "local":
        raise BerthError(ErrorCode.UNAUTHENTICATED, "Sign-in is not set up for this address.")
    host = headers.get("host", "")
    owner_id = _owner_at(_host_name(host))
    if owner_id is None:
        raise BerthError(ErrorCode.FORBIDDEN, "This Berth answers on this machine only, as localhost.")
    origin = headers.get("origin")
    if origin is not None and (method not in SAFE_METHODS or upgrade):
        parts = urlsplit(origin)
        if parts.scheme not in {"http", "https"} or parts.netloc != host:
            raise BerthError(ErrorCode.FORBIDDEN, "This request came from a page of another address.")
    if headers.get("sec-fetch-site") in {"cross-site", "same-site"} and method not in SAFE_METHODS:
        raise BerthError(ErrorCode.FORBIDDEN, "This request came from a page of another address.")
    return owner_id


def _owner_at(name: str) -> str | None:
    if name in LOOPBACK:
        return LOCAL_OWNER
    named = NAMED_OWNER.fullmatch(name)
    return f"{LOCAL_OWNER}-{named.group(1)}" if named else None


def _host_name(host: str) -> str:
    """The name in a Host header, or nothing where it is not one name and one port."""
    found = HOST.fullmatch(host)
    return found["name"].strip("[]") if found and int(found["port"] or 0) < 65536 else ""
