"""Rules of an owner's own: reads of one host over https, below a path, until a date.

They stand behind the deny rules and can open nothing that those close.
"""

from collections.abc import Iterable

import idna

from egress.address import AddressError, canonical, canonical_host
from egress.policy import Verdict, decide, with_own_rules
from egress.rules import Allow, Policy, PolicyError

NAME = "owner"


def own_rule(owner: str, host: str, path: str, until_ms: int) -> Allow:
    """The rule as a record. Raises PolicyError for what is none."""
    if "{" in path or "}" in path:
        raise PolicyError(f"not a path: {path!r}")
    below = path.rstrip("/")
    paths = ("/{rest}",) if not below else (below, f"{below}/{{rest}}")
    return Allow(NAME, host, "allowed by its owner", paths, owners=frozenset({owner}), until_ms=until_ms)


def foreseen(
    policy: Policy, owner: str, rules: Iterable[Allow], url: str, now_ms: int
) -> tuple[Verdict, bool]:
    """What reading this address would meet, and whether a rule of the owner's own may open its host.

    Without a scheme the address is read as https.
    """
    url = url if "://" in url else f"https://{url}"

    def with_rules(allowing: Iterable[Allow]) -> Verdict:
        return decide(with_own_rules(policy, allowing), "GET", url, owner=owner, now_ms=now_ms)

    verdict = with_rules(rules)
    if verdict.allowed:
        return verdict, False
    try:
        return verdict, with_rules([proposed_rule(policy, owner, verdict.host, "/", now_ms + 1)]).allowed
    except PolicyError:
        return verdict, False


def proposed_rule(policy: Policy, owner: str, host: str, path: str, until_ms: int) -> Allow:
    """The rule that an owner asks for, checked. Raises PolicyError with a sentence for people."""
    try:
        name = canonical_host(idna.encode(host.strip().rstrip("."), uts46=True).decode())
        address = canonical(f"https://{name}{path if path.startswith('/') else f'/{path}'}")
    except (AddressError, idna.IDNAError) as error:
        raise PolicyError(f"This is not a host and a path: {error}.") from error
    if "?" in path or "#" in path:
        # A rule is for a path with every query: one that was asked for with its query would open more.
        raise PolicyError("This is not a host and a path: a rule has no query.")
    rule = own_rule(owner, address.host, address.path, until_ms)
    verdict = decide(policy, "GET", address.url)
    if not verdict.allowed and verdict.rule != "default":
        raise PolicyError(f"No rule can open this host: {verdict.reason}.")
    return rule
