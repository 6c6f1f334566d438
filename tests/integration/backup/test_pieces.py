"""Pieces of backups in R2, on the real platform: what is stored, what is refused, and what is let go of."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from tests.integration.small_worker import small_worker
from tests.integration.waiting import SECONDS

WORKER = Path(__file__).parent / "worker"


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with small_worker(WORKER, tmp_path_factory.mktemp("pieces"), ("durable_objects", "contracts")) as url:
        yield url


async def ask(url: str, what: str, **query: str) -> Any:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/{what}", params=query) as response:
        text = await response.text()
        assert response.status == 200, text
        return await response.json(content_type=None)


async def test_a_piece_is_read_again_as_it_was_put(probe: str) -> None:
    assert await ask(probe, "round") == {"digest": True, "read": "kept", "missing": [None, None]}


async def test_bytes_of_another_hash_are_not_stored(probe: str) -> None:
    assert await ask(probe, "wrong") == {}


async def test_all_pieces_of_an_owner_are_listed_and_deleted_over_any_number_of_pages(probe: str) -> None:
    assert await ask(probe, "pages") == [[len("piece 0")] * 10, {}, 1]


async def test_a_piece_that_gets_stuck_is_let_go_of_and_not_stored(probe: str) -> None:
    gone = asyncio.Event()

    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-length": "100"})
        await response.prepare(request)
        try:
            await response.write(b"x")
            await asyncio.Event().wait()
        finally:
            gone.set()
        return response

    app = web.Application()
    app.router.add_get("/", half)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        assert await ask(probe, "stuck", **{"from": f"http://{host}:{port}/"}) == {}
        # The connection to where it came from is closed.
        await asyncio.wait_for(gone.wait(), SECONDS)
    finally:
        await runner.cleanup()
