"""The records that a policy is made of. Each refuses a bad entry when it is made.

A deny rule closes hosts with everything below them and may spare exact requests; an allow rule opens one host
for named methods and paths. A path is exact, or has typed parts in braces; `{rest}` at its end takes all that
follows.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from egress.address import HOST, Address, AddressError, canonical_host

READS = frozenset({"GET", "HEAD"})
METHODS = READS | {"POST"}
EVERYONE: frozenset[str] = frozenset()
PARTS: Mapping[str, str] = {
    "name": r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    "symbol": r"[A-Za-z0-9]{1,20}(-[A-Za-z0-9]{1,20})?",
    "day": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "rest": r".*",
}
PART = re.compile(r"\{([a-z]+)\}")

Body = Literal["none", "venue_read"]
"""What a request may carry: nothing, or a query whose JSON `type` is one of the venue's reads."""


class PolicyError(ValueError):
    """An entry of the policy is not one. Nothing may be served with it."""


@dataclass(frozen=True)
class Spared:
    """One exact request that a deny rule does not cover, so that an allow rule may."""

    method: str
    host: str
    path: str

    def covers(self, method: str, address: Address) -> bool:
        return (
            (method, address.host, address.path, address.query) == (self.method, self.host, self.path, "")
            and address.scheme == "https"
            and address.port == 443
        )


@dataclass(frozen=True)
class Deny:
    name: str
    hosts: tuple[str, ...]
    reason: str
    spared: tuple[Spared, ...] = ()

    def __post_init__(self) -> None:
        if not self.name or not self.reason or not self.hosts:
            raise PolicyError(f"a deny rule needs a name, a reason and hosts: {self.name!r}")
        for host in self.hosts:
            _check_host(host)

    def covers(self, method: str, address: Address) -> bool:
        return below(address.host, self.hosts) and not any(
            spared.covers(method, address) for spared in self.spared
        )


@dataclass(frozen=True)
class Allow:
    name: str
    host: str
    """A name, or `*.` and a name for everything below it but not itself."""
    reason: str
    paths: tuple[str, ...]
    port: int = 443
    methods: frozenset[str] = READS
    body: Body = "none"
    body_bytes: int = 0
    encoded_slash: bool = False
    owners: frozenset[str] = EVERYONE
    """For whom: these owners, or everyone."""
    until_ms: int | None = None
    _patterns: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or not self.reason:
            raise PolicyError(f"an allow rule needs a name and a reason: {self.name!r}")
        _check_host(self.host.removeprefix("*."))
        if "." not in self.host.removeprefix("*."):
            raise PolicyError(f"not a host name that can be allowed: {self.host!r}")
        if not 0 < self.port < 65536 or not self.paths or not self.methods or self.methods - METHODS:
            raise PolicyError(f"not a port, methods and paths: {self.port} {self.methods} {self.paths}")
        if (self.body == "none") != (self.body_bytes == 0) or (self.body != "none" and self.methods & READS):
            raise PolicyError(f"a body needs a limit and a method that has one: {self.name!r}")
        object.__setattr__(self, "_patterns", tuple(map(path_pattern, self.paths)))

    def covers(self, method: str, address: Address, owner: str, now_ms: int) -> bool:
        return (
            method in self.methods
            and address.port == self.port
            and (self.port != 443 or address.scheme == "https")
            and self.opens(address.host, owner, now_ms)
            and (self.encoded_slash or not address.scoped)
            and any(pattern.fullmatch(address.path) for pattern in self._patterns)
        )

    def opens(self, host: str, owner: str, now_ms: int) -> bool:
        """Whether something may be asked of this host."""
        return (
            self._is_host(host)
            and (not self.owners or owner in self.owners)
            and (self.until_ms is None or now_ms < self.until_ms)
        )

    def _is_host(self, host: str) -> bool:
        if self.host.startswith("*."):
            return host.endswith(self.host[1:])
        return host == self.host


@dataclass(frozen=True)
class Policy:
    deny: tuple[Deny, ...] = ()
    allow: tuple[Allow, ...] = ()


def path_pattern(path: str) -> re.Pattern[str]:
    """Compile a path. Raises PolicyError for what is not one."""
    if not re.fullmatch(r"/[!-~]*", path) or "//" in path or "?" in path:
        raise PolicyError(f"not a path: {path!r}")
    found = PART.split(path)
    pieces = []
    for index, piece in enumerate(found):
        if index % 2 == 0:
            if "{" in piece or "}" in piece:
                raise PolicyError(f"not a typed part: {path!r}")
            pieces.append(re.escape(piece))
        elif piece not in PARTS or (piece == "rest" and "".join(found[index + 1 :])):
            raise PolicyError(f"no part is of the type {piece!r}, or it cannot stand there: {path!r}")
        else:
            pieces.append(PARTS[piece])
    return re.compile("".join(pieces))


def below(host: str, tops: Collection[str]) -> bool:
    """Whether a host is one of `tops` or lies below one, on the border of a label."""
    while host:
        if host in tops:
            return True
        host = host.partition(".")[2]
    return False


def _check_host(host: str) -> None:
    try:
        if canonical_host(host) == host and HOST.fullmatch(host):
            return
    except AddressError:
        pass  # said below, for both kinds of bad entry
    raise PolicyError(f"not a host name: {host!r}")
