"""What an owner has on the platform, taken apart by `deletion.py`: the border to R2, record and storage."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pyodide.ffi import JsException, to_js

from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.unfinished import UnfinishedUploads
from durable_objects.shared import js as border
from durable_objects.shared.reply import opened

PAGE = 1_000
"""As many keys as R2 lists and deletes in one call."""


class PlatformEstate:
    def __init__(
        self,
        owner_id: str,
        env: Any,
        *,
        unfinished: UnfinishedUploads,
        quiet: Callable[[], Awaitable[None]],
        tables: Callable[[], Awaitable[None]],
    ) -> None:
        self._owner_id = owner_id
        self._env = env
        self._unfinished = unfinished
        self._quiet = quiet
        self._tables = tables

    async def quiet(self) -> None:
        await self._quiet()

    async def record(self, kind: str, deletion_id: str) -> None:
        entry = {
            "id": f"{deletion_id}:{kind}",
            "owner_id": self._owner_id,
            "kind": kind,
            "at_ms": border.now_ms(),
            "details": {},
        }
        try:
            await self._env.PLATFORM.getByName("platform").record(json.dumps(entry))
        except JsException as error:
            raise _unanswered("The record") from error

    async def computer(self) -> None:
        try:
            opened(await self._env.BOT_COMPUTER.getByName(self._owner_id).call("delete", "{}"))
        except JsException as error:
            raise _unanswered("The computer") from error

    async def uploads(self) -> None:
        await self._unfinished.give_up_all()

    async def stored(self) -> None:
        for prefix in (f"owners/{self._owner_id}/", f"backups/{self._owner_id}/"):
            try:
                await _purge(self._env.BUCKET, prefix)
            except JsException as error:
                raise _unanswered("The store of files") from error

    async def tables(self) -> None:
        await self._tables()


async def _purge(bucket: Any, prefix: str) -> None:
    """Until a look finds nothing: something may have arrived meanwhile."""
    wanted = border.js_object({"prefix": prefix, "limit": PAGE})
    while keys := [str(found.key) for found in (await bucket.list(wanted)).objects]:
        await bucket.delete(to_js(keys))


def _unanswered(what: str) -> BerthError:
    return BerthError(ErrorCode.INTERNAL, f"{what} did not answer.")
