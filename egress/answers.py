"""What a program in a computer is told when its request does not leave, and what is kept off the wire.

Every refusal is a code of the list with a sentence that says what to do, as JSON: a person, a model and a
script can all act on it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from contracts.errors import STATUS, BerthError, ErrorCode
from egress.policy import Verdict

# Headers that name a client, a route or a protocol of this hop, and none of the target's business.
REQUEST_DROPPED = frozenset(
    {
        "accept-encoding", "authorization", "base-url", "connection", "content-length", "cookie", "cookie2",
        "destination", "expect", "forwarded", "host", "http2-settings", "keep-alive", "max-forwards", "te",
        "trailer", "transfer-encoding", "upgrade", "via", "x-host", "x-method", "x-http-method", "x-real-ip",
    }
)  # fmt: skip
REQUEST_DROPPED_PREFIXES = ("cdn-", "cf-", "proxy-", "sec-", "x-berth-", "x-remote-")
# Servers invent ever new names for "it was another method, path, host or client".
OVERRIDES = re.compile(
    r"(^|-)(override|overwrite|rewrite|forwarded|original|originating|client-ip|destinationurl)(-|$)"
)
# Many servers read it as a hyphen, so that these would be any of the above.
UNDERSCORE = "_"
RANGES_MAX = 8
QUERY_HEADERS = {"content-type": "application/json", "accept": "application/json"}
UNENCODED = {"accept-encoding": "identity"}
# What would lead a client around the proxy, or belongs to the hop behind it.
RESPONSE_DROPPED = frozenset(
    {
        "alt-svc", "connection", "keep-alive", "nel", "proxy-authenticate", "proxy-connection", "report-to",
        "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
# How the local engine has a request counted that it refuses itself (`local/engine/refusals.py`). A program
# that sends this has its own request denied, and gains nothing.
REFUSED_HEADER = "x-berth-refused"
REFUSED = {
    "mismatch": "the proxy, TLS, the address and Host must name one place",
    "nameless": "TLS or Host must name the place that is asked",
    "unreadable": "the request cannot be read, or in two ways",
}
LOOK_UP = "lookup"
LOOKED_UP = "the name was looked up; nothing there may be asked"
# Ours alone: no other host may speak in our name.
RESPONSE_DROPPED_PREFIXES = ("x-berth-",)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str


def keeps_request_header(name: str) -> bool:
    return not (
        name in REQUEST_DROPPED
        or name.startswith(REQUEST_DROPPED_PREFIXES)
        or UNDERSCORE in name
        or OVERRIDES.search(name)
    )


def outgoing_headers(pairs: Iterable[list[str]], *, query: bool) -> dict[str, str]:
    """What is sent with a request. A query was written anew and speaks for itself.

    A charset or an encoding that the computer named could make another query of the same bytes.
    """
    if query:
        return {**QUERY_HEADERS, **UNENCODED}
    kept = {name: value for name, value in pairs if keeps_request_header(name)}
    if kept.get("range", "").count(",") >= RANGES_MAX:
        # A server may always answer with all of it; one that cuts it a thousand times is a victim.
        del kept["range"]
    return kept | UNENCODED


def sent_bytes(url: str, headers: Mapping[str, str], body: bytes | None) -> int:
    """What a request tells the other side: a name or a header can carry as much as a body."""
    return len(url) + sum(len(name) + len(value) for name, value in headers.items()) + len(body or b"")


def keeps_response_header(name: str) -> bool:
    return name not in RESPONSE_DROPPED and not name.startswith(RESPONSE_DROPPED_PREFIXES)


def refused_before(said: str) -> tuple[str, str]:
    """The rule and the reason of a request that was refused on its way here."""
    rule = said if said in REFUSED else "unreadable"
    return rule, REFUSED[rule]


def denied(verdict: Verdict) -> Answer:
    return refusal(
        BerthError(ErrorCode.EGRESS_DENIED, f"Denied: {verdict.reason}.", details={"rule": verdict.rule})
    )


def refusal(error: BerthError) -> Answer:
    """The answer for an error of the list, as the program sees it."""
    rule = (error.details or {}).get("rule")
    note = f"denied; rule={rule}" if rule else f"refused; code={error.code}"
    headers = {"content-type": "application/json", "cache-control": "no-store", "x-berth-egress": note}
    if error.retry_after_s is not None:
        headers["retry-after"] = str(max(1, ceil(error.retry_after_s)))
    return Answer(STATUS[error.code], headers, json.dumps(error.as_dict()) + "\n")
