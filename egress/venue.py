"""Reads of the trading venue are POSTs: what makes one a read is the `type` in its JSON.

The query is parsed here once and written anew, so that the venue cannot read another `type` out of the same
bytes than was judged.
"""

import json
from typing import NoReturn

from egress.tables import VENUE_READS

# No read nests deeper than two. In WebAssembly deep nesting does not raise: it ends the interpreter.
BRACKETS_MAX = 16


class QueryError(ValueError):
    """The body is not a query that only reads. The text is the reason that people see."""


def read_query(body: bytes) -> bytes:
    """Return the query to send. Raises QueryError where it is not one of the venue's reads."""
    if body.count(b"[") + body.count(b"{") > BRACKETS_MAX:
        raise QueryError("the body is not one plain JSON object")
    try:
        query = json.loads(
            body.decode(), object_pairs_hook=_once, parse_constant=_not_json, parse_float=_number
        )
    except ValueError as error:
        raise QueryError("the body is not one plain JSON object") from error
    if not isinstance(query, dict):
        raise QueryError("the body is not one plain JSON object")
    kind = query.get("type")
    if not isinstance(kind, str) or kind not in VENUE_READS:
        raise QueryError(f"{str(kind)[:40]!a} is not one of the venue's reads")
    return json.dumps(query, separators=(",", ":")).encode()


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Each name once, for readers too that take no notice of its case."""
    if len({name.casefold() for name, _ in pairs}) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _not_json(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> NoReturn:
    """No read of the venue has a broken number, and writing one anew could change it."""
    raise ValueError(f"a broken number: {text}")
