"""Where a program in a computer wants to go, read strictly from what it wrote.

A proxy request names its destination in the CONNECT line or in an absolute URL. Only plain host
names and IP literals pass: what is accepted here is copied into a header, so nothing that could
start a new line or confuse the next parser may get through.
"""

import ipaddress
import re
from dataclasses import dataclass

from local.engine.errors import MalformedRequestError

HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63})*\.?")
HOST_LIMIT = 253


@dataclass(frozen=True)
class Destination:
    host: str
    """A name in lower case, or an IP literal; IPv6 without brackets."""
    port: int

    @property
    def header(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    def authority(self, default_port: int) -> str:
        return self.header if self.port == default_port else f"{self.header}:{self.port}"


def parse_authority(text: str, default_port: int | None = None) -> Destination:
    """Read `host:port`, as in CONNECT and, with a default port, in the Host header."""
    host, colon, digits = text.rpartition(":")
    if not colon or digits.endswith("]"):
        host, digits = text, ""
    if not digits and default_port is not None:
        return Destination(parse_host(host), default_port)
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 0 < int(digits) < 65536:
        raise MalformedRequestError(f"not host:port: {text[:80]!r}")
    return Destination(parse_host(host), int(digits))


def parse_url(target: str) -> tuple[Destination, str]:
    """Read an absolute http URL; return its destination and what goes into the request line."""
    scheme, separator, rest = target.partition("://")
    if not separator or scheme.lower() != "http":
        raise MalformedRequestError("a proxy request needs an absolute http URL; use CONNECT for https")
    cut = next((i for i, letter in enumerate(rest) if letter in "/?#"), len(rest))
    authority, tail = rest[:cut], rest[cut:].partition("#")[0]
    if "@" in authority:
        raise MalformedRequestError("a proxy request may not carry a user name in its URL")
    path = tail if tail.startswith("/") else "/" + tail
    to = parse_authority(authority, 80)
    check_path(path, to)
    return to, path


def check_path(path: str, to: Destination) -> None:
    """Refuse a path that begins with two slashes of either kind: workerd would take a host from there."""
    if path[1:2] in ("/", "\\"):
        raise MalformedRequestError("the path begins as another host would", to.host)


def parse_host(text: str) -> str:
    """Read a name, or an address as it stands in a URL."""
    if text.startswith("[") and text.endswith("]") and "%" not in text:
        try:
            return str(ipaddress.IPv6Address(text[1:-1]))
        except ValueError as error:
            raise MalformedRequestError(f"not an IPv6 address: {text[:80]!r}") from error
    if len(text) > HOST_LIMIT or not HOST.fullmatch(text):
        raise MalformedRequestError(f"not a host name: {text[:80]!r}")
    return text.lower()
