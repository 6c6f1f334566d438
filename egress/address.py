"""The one canonical form of a URL: what is judged, counted, shown and sent.

The Worker's own URL parser has resolved dot segments and mapped the host before this module sees it.
Here the little freedom that it leaves is taken away: the case and the root dot of the host, the default
port, encodings of plain letters. Whatever two parsers might still read differently is refused.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from contracts.limits import EGRESS_URL_CHARACTERS_MAX

PORTS = {"http": 80, "https": 443}
LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
HOST = re.compile(rf"{LABEL}(\.{LABEL})*")
HOST_CHARACTERS_MAX = 253
# A last label of this kind makes the URL parser read the host as an IPv4 address.
ENDS_IN_NUMBER = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")
ENCODED = re.compile(r"%([0-9a-f]{2})", re.IGNORECASE)
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")
# An encoded dot, slash, backslash, percent sign or control character is how two parsers come to disagree.
AMBIGUOUS = re.compile(r"%(2E|2F|5C|25|[01][0-9A-F]|7F)|/\.{1,2}(/|$)|//|\\")
PLAIN = re.compile(r"[!-~]*")
# npm names a scoped package with an encoded slash, and only there is one let through.
SCOPED = re.compile(r"(/[\w.~-]+)*/@[\w.~-]+%2F[\w.~-]+", re.ASCII)


class AddressError(ValueError):
    """A URL that has no canonical form. `rule` is the name people see."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason


@dataclass(frozen=True)
class Address:
    scheme: str
    host: str
    """Lower case, without the root dot; international names as punycode."""
    port: int
    path: str
    query: str = ""

    @property
    def authority(self) -> str:
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}" + (f"?{self.query}" if self.query else "")

    @property
    def scoped(self) -> bool:
        """Whether its path has the encoded slash of a scoped package."""
        return "%2F" in self.path


def canonical(url: str) -> Address:
    """Return what will be sent for `url`. Raises AddressError where that is not beyond doubt."""
    if len(url) > EGRESS_URL_CHARACTERS_MAX:
        raise AddressError("malformed", f"the address is over {EGRESS_URL_CHARACTERS_MAX} characters")
    if not PLAIN.fullmatch(url):
        raise AddressError("malformed", "the address holds characters that must be encoded")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressError("malformed", "the address cannot be read") from None
    if parts.scheme not in PORTS or "@" in parts.netloc:
        raise AddressError("malformed", "only plain http and https addresses are sent")
    host = canonical_host(parts.hostname or "")
    if port == 0:
        raise AddressError("malformed", "there is no port 0")
    return Address(parts.scheme, host, port or PORTS[parts.scheme], _path(parts.path or "/"), parts.query)


def canonical_host(host: str) -> str:
    """Return the one spelling of a host name. Raises AddressError for addresses and what is no name."""
    name = host.lower().removesuffix(".")
    if is_literal(name):
        raise AddressError("address", "addresses of machines and networks are closed")
    if len(name) > HOST_CHARACTERS_MAX or not HOST.fullmatch(name):
        raise AddressError("malformed", "the host name cannot be read")
    return name


def is_literal(host: str) -> bool:
    """Whether a host is an IP address in any spelling that a client might understand."""
    if host.startswith("[") or ":" in host or ENDS_IN_NUMBER.fullmatch(host):
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _path(path: str) -> str:
    """Decode what needs no encoding, write the rest in capitals, and refuse what stays ambiguous."""
    if "%" in path:
        if path.count("%") != len(ENCODED.findall(path)):
            raise AddressError("malformed", "the path has a percent sign that encodes nothing")
        path = ENCODED.sub(_plainest, path)
    if AMBIGUOUS.search(path) and not SCOPED.fullmatch(path):
        raise AddressError("ambiguous_path", "the path can be read in more than one way")
    return path


def _plainest(encoded: re.Match[str]) -> str:
    letter = chr(int(encoded[1], 16))
    return letter if letter in UNRESERVED else encoded[0].upper()
