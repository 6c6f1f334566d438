"""The body of a request that a rule allows: nothing, or one small query that is judged and written anew.

It is counted as it comes, whatever length it declares, and reading stops at the rule's limit, of bytes and of
time: whoever sends slowly would hold what was read of it in the Worker's memory for as long as they like.
"""

import asyncio
from collections.abc import AsyncIterator

from contracts.limits import EGRESS_BODY_SECONDS
from egress.rules import Allow
from egress.venue import QueryError, read_query


class BodyError(Exception):
    """The body may not be sent. `rule` is the name people see."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason


async def judged_body(
    allow: Allow, parts: AsyncIterator[bytes], seconds: float = EGRESS_BODY_SECONDS
) -> bytes | None:
    """Return what to send as the body, None for nothing. Raises BodyError."""
    try:
        async with asyncio.timeout(seconds):
            body = await _read(allow.body_bytes, parts)
    except TimeoutError:
        raise BodyError("body_too_slow", f"a body must be whole within {seconds} s") from None
    if allow.body == "none":
        return None
    try:
        return read_query(body)
    except QueryError as error:
        raise BodyError("not_a_read", str(error)) from error


async def _read(limit: int, parts: AsyncIterator[bytes]) -> bytes:
    found = bytearray()
    async for part in parts:
        found += part
        if len(found) > limit:
            raise BodyError("body_too_large", f"this rule takes bodies of at most {limit} bytes")
    return bytes(found)
