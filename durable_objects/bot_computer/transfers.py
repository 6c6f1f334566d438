"""Moving the pieces of backups between the computer and R2 as streams of the platform.

The object asks for each piece over the container's own port, so nothing of it passes the egress Worker,
and nothing inside the computer has a way to R2. R2 checks each piece's hash when it is put.
"""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import js
from pyodide.ffi import JsException, to_js

from durable_objects.bot_computer.answers import text
from durable_objects.bot_computer.cloudflare import ComputerdWire
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.pieces import Piece, StoreError
from durable_objects.shared.js import is_missing, js_object

# What R2 lists or deletes in one call.
NAMES_A_CALL = 1_000


class R2Pieces:
    """`PieceStore`, in the platform's bucket under the owner's own prefix."""

    def __init__(self, bucket: Any, owner_id: str, names_a_call: int = NAMES_A_CALL) -> None:
        self._bucket = bucket
        self._names_a_call = names_a_call
        self._prefix = f"backups/{quote(owner_id, safe='')}/"

    async def put(self, piece: Piece) -> None:
        try:
            await self._bucket.put(self._key(piece.sha256), piece.body, js_object({"sha256": piece.sha256}))
        except JsException as error:
            raise StoreError(str(error)) from error

    async def digest(self, sha256: str) -> str | None:
        body = await self.open(sha256)
        if body is None:
            return None
        digest = js.crypto.DigestStream.new("SHA-256")
        try:
            await body.pipeTo(digest)
            return bytes((await digest.digest).to_py()).hex()
        except JsException as error:
            raise StoreError(str(error)) from error

    async def open(self, sha256: str) -> Any | None:
        try:
            found = await self._bucket.get(self._key(sha256))
        except JsException as error:
            raise StoreError(str(error)) from error
        return None if is_missing(found) else found.body

    async def sizes(self) -> Mapping[str, int]:
        sizes: dict[str, int] = {}
        async for page in self._pages():
            for entry in page.objects:
                sizes[str(entry.key).removeprefix(self._prefix)] = int(entry.size)
        return sizes

    async def _pages(self) -> AsyncGenerator[Any, None]:
        cursor = None
        while True:
            options = {"prefix": self._prefix, "limit": self._names_a_call}
            if cursor:
                options["cursor"] = cursor
            try:
                page = await self._bucket.list(js_object(options))
            except JsException as error:
                raise StoreError(str(error)) from error
            yield page
            if not page.truncated:
                return
            cursor = page.cursor

    async def delete(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), self._names_a_call):
            keys = [self._key(name) for name in names[start : start + self._names_a_call]]
            try:
                await self._bucket.delete(to_js(keys))
            except JsException as error:
                raise StoreError(str(error)) from error

    def _key(self, sha256: str) -> str:
        return f"{self._prefix}{sha256}"


class ComputerdBackups:
    """`BackupWire`: computerd's calls for backups and restores."""

    def __init__(self, wire: ComputerdWire) -> None:
        self._wire = wire

    async def begin_backup(self, previous: str | None, *, tree_known: bool) -> tuple[str, bool]:
        order = json.dumps({"previous": previous, "tree_known": tree_known})
        answer = await self._wire.fetch_json("POST", "/backup", order)
        return text(answer, "backup"), answer.get("needs_manifest") is True

    async def give_manifest(self, token: str, body: Any) -> None:
        await self._put(f"/backup/{quote(token, safe='')}/manifest", body)

    async def piece(self, token: str, number: int) -> Piece | None:
        ending = js.AbortController.new()
        path = f"/backup/{quote(token, safe='')}/pieces/{number}"
        response = await self._wire.fetch("GET", path, signal=ending.signal)
        if response.status == HTTPStatus.ACCEPTED:
            ending.abort()
            return None
        kind = response.headers.get("x-berth-piece")
        length = str(response.headers.get("content-length") or "")
        if kind not in ("pack", "manifest") or not length.isdecimal() or is_missing(response.body):
            ending.abort()
            raise UnreachableError("the service did not say what the piece is")
        sha256 = str(response.headers.get("x-berth-sha256") or "")
        return Piece(kind, sha256, int(length), response.body, ending.abort)

    async def summary(self, token: str) -> Mapping[str, Any] | None:
        # An answer without fields says that there is none yet.
        return await self._wire.fetch_json("GET", f"/backup/{quote(token, safe='')}/summary") or None

    async def end_backup(self, token: str) -> None:
        await self._wire.fetch("DELETE", f"/backup/{quote(token, safe='')}")

    async def begin_restore(self, manifest: str) -> str:
        order = json.dumps({"manifest": manifest})
        return text(await self._wire.fetch_json("POST", "/restore", order), "restore")

    async def restore_manifest(self, token: str, body: Any) -> list[str]:
        answer = await self._put(f"/restore/{quote(token, safe='')}/manifest", body)
        packs = answer.get("packs")
        if not isinstance(packs, list) or not all(isinstance(pack, str) for pack in packs):
            raise UnreachableError("the service did not say which packs it needs")
        return packs

    async def restore_pack(self, token: str, sha256: str, body: Any) -> None:
        await self._put(f"/restore/{quote(token, safe='')}/packs/{sha256}", body)

    async def finish_restore(self, token: str) -> Mapping[str, Any] | None:
        return await self._wire.fetch_json("POST", f"/restore/{quote(token, safe='')}/finish") or None

    async def _put(self, path: str, body: Any) -> dict[str, Any]:
        return await self._wire.fetch_json("PUT", path, body)
