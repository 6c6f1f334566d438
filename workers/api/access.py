"""Where a request comes from, as far as its headers say: this address, and a page of it.

A browser's writes and socket upgrades must come from a page of the very same origin. With
`BERTH_SIGN_IN=local` a Berth answers on this machine only, as `localhost`: the Host header is checked
against rebinding. `NAME.localhost` is another person on the same machine, with bots, files and a computer
of their own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from contracts.errors import BerthError, ErrorCode
from durable_objects.shared.secret import LOCAL_PERSON, LOCAL_PERSON_ID

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
HOST = re.compile(r"(?P<name>\[::1\]|[a-z0-9.-]+)(:(?P<port>[0-9]{1,5}))?")
UNDER = ".localhost"
# What a form sends without asking anybody, an empty one too.
OF_FORMS = frozenset({"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True)
class Source:
    """A request as far as it says where it comes from. `headers` has lower-case names."""

    method: str
    scheme: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        return self.headers.get("host", "")

    @property
    def upgrade(self) -> bool:
        return self.headers.get("upgrade", "").lower() == "websocket"

    @property
    def changes(self) -> bool:
        """Whether it is a write, or opens a socket."""
        return self.method not in SAFE_METHODS or self.upgrade


def check_source(source: Source) -> None:
    """Raises `forbidden` for what a page of another origin asks for, but for a link that is followed.

    A client that is not a browser sends no Origin.
    """
    origin = source.headers.get("origin")
    if origin is not None and source.changes and origin != f"{source.scheme}://{source.host}":
        raise _from_elsewhere()
    if source.headers.get("sec-fetch-site") in {"cross-site", "same-site"} and not _is_a_look(source):
        raise _from_elsewhere()


def check_page(source: Source) -> None:
    """Of who is known by a cookie or by Access: raises `forbidden` for a write or socket that names no page.

    Every browser names the page with a write and with a socket; what does not may be no page at all.
    """
    if source.changes and "origin" not in source.headers:
        raise BerthError(
            ErrorCode.FORBIDDEN,
            "With a session a write needs the Origin of a page of this address; a program uses an API token.",
        )


def check_body(source: Source, *, takes_bytes: bool) -> None:
    """Raises `invalid_request` for a write whose body is not JSON, unless its route takes bytes.

    A form of another site cannot send JSON.
    """
    kind = source.headers.get("content-type", "").partition(";")[0].strip().lower()
    if takes_bytes or source.method in SAFE_METHODS or kind == "application/json":
        return
    body = source.headers.get("content-length", "0") != "0" or "transfer-encoding" in source.headers
    if body or kind in OF_FORMS:
        raise BerthError(ErrorCode.INVALID_REQUEST, "Send JSON (Content-Type: application/json).")


def _is_a_look(source: Source) -> bool:
    """Whether somebody follows a link: nothing of the answer gets to the page where it stood."""
    told = (source.headers.get("sec-fetch-mode"), source.headers.get("sec-fetch-dest"))
    return source.method in SAFE_METHODS and told == ("navigate", "document")


def local_person(host: str) -> str | None:
    """Whose name under localhost a Host header has; None for any other host."""
    name = host_name(host)
    if name in LOOPBACK:
        return LOCAL_PERSON
    person_id = f"{LOCAL_PERSON}-{name.removesuffix(UNDER)}"
    return person_id if name.endswith(UNDER) and re.fullmatch(LOCAL_PERSON_ID, person_id) else None


def host_name(host: str) -> str:
    """The name in a Host header, or nothing where it is not one name and one port."""
    found = HOST.fullmatch(host)
    return found["name"].strip("[]") if found and int(found["port"] or 0) < 65536 else ""


def _from_elsewhere() -> BerthError:
    return BerthError(ErrorCode.FORBIDDEN, "This request came from a page of another address.")
