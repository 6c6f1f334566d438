"""Which requests a computer may make: deny rules first, then allow rules, and silence means no.

The rules are data and `decide` is the only code that reads them. It takes an address in its canonical form,
the very form in which it is sent on. Every verdict says why, because a person and a model will read it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from egress.address import AddressError, canonical
from egress.registries import Registry
from egress.rules import Allow, Deny, Policy, PolicyError
from egress.tables import CLOSED, DENY, PUBLIC, VENUE_HOSTS

REGISTRY_REASONS = {
    "pip-index": "the index of Python packages",
    "pip-files": "the files of Python packages",
    "npm": "packages of npm",
    "apt": "packages of the system",
}


@dataclass(frozen=True)
class Verdict:
    allowed: bool
    rule: str
    """The rule's name, stable: people and models see it."""
    reason: str
    host: str
    """As it is shown: canonical where the address could be read."""
    url: str = ""
    """What to send, and nothing else, where it is allowed."""
    allow: Allow | None = None


def registry_rule(registry: Registry) -> Allow:
    return Allow(
        f"registry:{registry.kind}",
        registry.host,
        REGISTRY_REASONS[registry.kind],
        tuple(f"{path}{{rest}}" for path in registry.paths),
        port=registry.port,
        encoded_slash=registry.kind == "npm",
    )


def policy_for(registries: Iterable[Registry], own_hosts: Iterable[str] = ()) -> Policy:
    """The policy of a bundle built with these registries and served from these hosts.

    Raises PolicyError where an entry is bad, or where what must be denied is not.
    """
    own = tuple(own_hosts)
    mine = (Deny("berth", own, "Berth's own addresses are closed to computers"),) if own else ()
    return checked(Policy(mine + DENY, tuple(map(registry_rule, registries)) + PUBLIC))


def checked(policy: Policy) -> Policy:
    """Refuse a policy that is empty or would let a computer write to the venue."""
    if not policy.deny or not policy.allow:
        raise PolicyError("the policy is empty")
    for host in VENUE_HOSTS:
        for method in ("GET", "POST"):
            if decide(policy, method, f"https://{host}/exchange").rule != "venue":
                raise PolicyError(f"{method} https://{host}/exchange is not denied")
    return policy


def with_own_rules(policy: Policy, rules: Iterable[Allow]) -> Policy:
    """The same policy with what its owner allows. The deny rules stay in front of it."""
    return replace(policy, allow=policy.allow + tuple(rules))


def decide(policy: Policy, method: str, url: str, *, owner: str = "", now_ms: int = 0) -> Verdict:
    """Judge a request by the URL that will be sent."""
    try:
        address = canonical(url)
    except AddressError as error:
        return Verdict(False, error.rule, error.reason, _shown(url))
    method, host = method.upper(), address.authority
    for deny in policy.deny:
        if deny.covers(method, address):
            return Verdict(False, deny.name, deny.reason, host)
    if "." not in address.host:
        return Verdict(False, "local", CLOSED, host)
    for allow in policy.allow:
        if allow.covers(method, address, owner, now_ms):
            return Verdict(True, allow.name, allow.reason, host, address.url, allow)
    return Verdict(False, "default", f"no rule allows {method} {host}{address.path}", host)


def opens(policy: Policy, host: str, owner: str, now_ms: int) -> bool:
    """Whether a computer may ask anything of this host."""
    return any(allow.opens(host, owner, now_ms) for allow in policy.allow)


def _shown(url: str) -> str:
    """The host of an address that could not be read, for the receipt."""
    rest = url.partition("://")[2]
    host = rest.split("/", 1)[0].split("?", 1)[0].rpartition("@")[2]
    return "".join(letter if "!" <= letter <= "~" else "?" for letter in host)[:100] or "(unreadable)"
