"""A body is counted as it comes, and none is sent that its rule does not take."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from contracts.limits import EGRESS_QUERY_BYTES_MAX
from egress.bodies import BodyError, judged_body
from egress.rules import Allow
from egress.tables import PUBLIC

READ = Allow("r", "a.invalid", "why", ("/",))
QUERY = PUBLIC[0]


async def parts(*found: bytes) -> AsyncIterator[bytes]:
    for part in found:
        yield part


async def refused(allow: Allow, *found: bytes) -> str:
    with pytest.raises(BodyError) as caught:
        await judged_body(allow, parts(*found))
    return caught.value.rule


async def test_a_read_has_no_body() -> None:
    assert await judged_body(READ, parts()) is None
    assert await judged_body(READ, parts(b"")) is None
    assert await refused(READ, b"x") == "body_too_large"


async def test_a_query_may_be_as_long_as_the_limit_and_no_longer() -> None:
    start, end = b'{"type":"meta","dex":"', b'"}'
    filled = b"x" * (EGRESS_QUERY_BYTES_MAX - len(start) - len(end))
    assert await judged_body(QUERY, parts(start, filled, end)) == start + filled + end
    assert await refused(QUERY, start, filled, b"x", end) == "body_too_large"


async def test_reading_stops_at_the_limit() -> None:
    seen = []

    async def endless() -> AsyncIterator[bytes]:
        while True:
            seen.append(1)
            yield b"x" * 1024

    with pytest.raises(BodyError):
        await judged_body(QUERY, endless())
    assert len(seen) == EGRESS_QUERY_BYTES_MAX // 1024 + 1


async def test_a_query_that_does_not_read_is_refused() -> None:
    assert await refused(QUERY, b'{"type":"order"}') == "not_a_read"


@pytest.mark.parametrize("allow", [READ, QUERY])
async def test_a_body_that_does_not_come_to_its_end_is_refused(allow: Allow) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b""
        await asyncio.sleep(60)

    with pytest.raises(BodyError) as caught:
        await judged_body(allow, slow(), seconds=0.01)
    assert caught.value.rule == "body_too_slow"
