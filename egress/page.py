"""Prints the policy for people, as `docs/policy.md`: `python -m egress.page`.

Package registries are named by kind and never by address.
"""

import sys
from collections.abc import Iterable

from contracts.limits import (
    EGRESS_BODY_SECONDS,
    EGRESS_QUERY_BYTES_MAX,
    EGRESS_RULE_DAYS_MAX,
    EGRESS_RULES_MAX,
)
from egress.policy import REGISTRY_REASONS
from egress.rules import PARTS
from egress.tables import DENY, PUBLIC, VENUE_READS

HEAD = """# What a bot's computer can reach

This page is printed from `egress/tables.py` by `./berth generate`; a test keeps both the same.

A computer has one way out, and it says no first. A request is denied if a rule of the first table covers
it, whatever else allows it. It is sent if a rule of the second table, or one that its owner made, covers its
host, port, method and path. All others are denied. Each denial names its rule and its reason, to the program
in the computer and on the command's card.

IP addresses are denied in every spelling, names without a dot too, and so is every change of protocol
(WebSocket, HTTP/2 in clear text). A path that two programs might read differently is denied as
`ambiguous_path`. What is refused before it can be judged is counted as `mismatch`, `nameless` or
`unreadable`. Redirects are handed back to the program; one that it follows is a request of its own.

## Never
"""

OPEN = """
Each name stands for itself and everything below it. The venue's exception is `POST /info`, below.
Operators add the hosts from which they serve Berth as `BERTH_HOSTS`; they are denied as `berth`.

## Open to every bot

Only GET and HEAD without a body, over https, where the table says nothing else.
"""

REGISTRIES = """
The hosts of the registries are those that pip, npm and apt are set up to use where Berth is built. They are
read then, with their ports, and are in no file of the source.
"""

READING = """The JSON of a query has one `type` of this list, each name in it once; it is written
anew before it is sent.

"""

BODIES = f"""Denials of a body have rules of their own: `not_a_read` for another `type` or no plain JSON,
`body_too_large` for more than the rule takes, which for GET and HEAD is nothing, `body_too_slow` for one that
is not whole after {EGRESS_BODY_SECONDS} s. Of the headers of a query none are sent on.
"""

OWN = f"""## What an owner opens

An owner may open a host for GET and HEAD over https, at a path and below it, for at most
{EGRESS_RULE_DAYS_MAX} days and in at most {EGRESS_RULES_MAX} rules. Such a rule holds for commands that start
after it was made, and opens nothing that the first table closes. Making and removing one is in the record.
What a command knows it can tell to a host that is open: open only those you would give your files to.
"""


def rows(header: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    table = [header, tuple("---" for _ in header), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in table)


def render() -> str:
    denied = ((deny.name, ", ".join(f"`{host}`" for host in deny.hosts), deny.reason) for deny in DENY)
    kinds = ((f"registry:{kind}", "as set up", "all of the registry's", why)
             for kind, why in REGISTRY_REASONS.items())  # fmt: skip
    opened = (
        (
            allow.name,
            f"`{allow.host}`",
            ", ".join(f"`{path}`" for path in allow.paths)
            if allow.body == "none"
            else f"`POST {allow.paths[0]}`, a query of at most {EGRESS_QUERY_BYTES_MAX:,} bytes",
            allow.reason,
        )
        for allow in PUBLIC
    )
    return "\n".join(
        (
            HEAD,
            rows(("rule", "hosts", "why"), denied) + OPEN,
            rows(("rule", "host", "paths", "what for"), (*kinds, *opened)) + REGISTRIES,
            "Typed parts of a path:\n",
            rows(("part", "stands for"), ((f"`{{{name}}}`", f"`{form}`") for name, form in PARTS.items())),
            "## Reading the venue\n",
            READING + ", ".join(f"`{kind}`" for kind in sorted(VENUE_READS)) + ".\n",
            BODIES,
            OWN,
        )
    )


if __name__ == "__main__":
    sys.stdout.write(render())
