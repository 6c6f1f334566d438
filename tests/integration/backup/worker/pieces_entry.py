"""A Worker around the real store of pieces: one path each, what a save asks of it."""

import asyncio
import hashlib
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import js
from pyodide.ffi import to_js
from workers import Response, WorkerEntrypoint

from durable_objects.bot_computer.pieces import Piece, StoreError
from durable_objects.bot_computer.transfers import R2Pieces
from durable_objects.shared.js import js_object, raw

STUCK_SECONDS = 0.3


def piece(content: bytes, sha256: str | None = None) -> Piece:
    body = js.Response.new(to_js(content)).body
    name = sha256 or hashlib.sha256(content).hexdigest()
    return Piece("pack", name, len(content), body, lambda: None)


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        url = urlsplit(str(request.url))
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        return Response(json.dumps(await getattr(self, f"do_{url.path[1:]}")(query)))

    def store(self, owner: str, names_a_call: int = 3) -> R2Pieces:
        return R2Pieces(raw(self.env).BUCKET, owner, names_a_call)

    async def do_round(self, _query: dict[str, str]) -> Any:
        store, kept = self.store("round"), piece(b"kept")
        await store.put(kept)
        missing = "0" * 64
        return {
            "digest": await store.digest(kept.sha256) == kept.sha256,
            "read": await js.Response.new(await store.open(kept.sha256)).text(),
            "missing": [await store.digest(missing), await store.open(missing)],
        }

    async def do_wrong(self, _query: dict[str, str]) -> Any:
        store = self.store("wrong")
        try:
            await store.put(piece(b"other bytes", "0" * 64))
        except StoreError:
            return dict(await store.sizes())
        return "taken"

    async def do_pages(self, _query: dict[str, str]) -> Any:
        mine, others = self.store("one"), self.store("one/two")
        for number in range(10):
            await mine.put(piece(f"piece {number}".encode()))
        await others.put(piece(b"not mine"))
        found = dict(await mine.sizes())
        await mine.delete(list(found))
        return [sorted(found.values()), dict(await mine.sizes()), len(await others.sizes())]

    async def do_stuck(self, query: dict[str, str]) -> Any:
        """A body of which only a part comes is let go of, where nobody waits for it any more."""
        store, ending = self.store("stuck"), js.AbortController.new()
        response = await js.fetch(query["from"], js_object({"signal": ending.signal}))
        found = Piece("pack", "0" * 64, 100, response.body, ending.abort)
        try:
            async with asyncio.timeout(STUCK_SECONDS):
                await store.put(found)
        except TimeoutError:
            found.drop()
            return dict(await store.sizes())
        return "ended by itself"
