"""R2 as the archive uses it: pieces put, prefixes cleared, objects digested and poured beside Python."""

import logging
from collections.abc import Iterable
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from durable_objects.bot_owner.archive.builder import Member
from durable_objects.bot_owner.estate import purge
from durable_objects.shared.js import is_missing, pour

log = logging.getLogger(__name__)


class ArchiveStore:
    def __init__(self, bucket: Any) -> None:
        self._bucket = bucket

    async def put(self, key: str, content: bytes) -> None:
        try:
            await self._bucket.put(key, to_js(content))
        except JsException as error:
            raise _unanswered() from error

    async def digest(self, key: str) -> tuple[int, str] | None:
        try:
            found = await self._bucket.get(key)
            if is_missing(found):
                return None
            digest = js.crypto.DigestStream.new("SHA-256")
            await pour(found.body, digest)
            hashed = await digest.digest
        except JsException as error:
            raise _unanswered() from error
        return int(found.size), hashed.to_bytes().hex()

    async def clear(self, prefix: str) -> None:
        try:
            await purge(self._bucket, prefix)
        except JsException as error:
            raise _unanswered() from error

    async def pour(self, writable: Any, members: Iterable[Member]) -> None:
        """Write an archive as its reader takes it. What breaks off ends short of its length."""
        try:
            for member in members:
                await _write(writable, member.head)
                for key in member.keys:
                    found = await self._bucket.get(key)
                    if is_missing(found):
                        log.warning("a file of an archive is gone, so its download ends")
                        await writable.abort(js.Error.new("a file of the archive is gone"))
                        return
                    await found.body.pipeTo(writable, preventClose=True)
                await _write(writable, member.tail)
            await writable.close()
        except JsException:
            # The reader is gone, or an object is: either way the stream ends short of its length.
            return


async def _write(writable: Any, content: bytes) -> None:
    if content:
        writer = writable.getWriter()
        try:
            await writer.write(to_js(content))
        finally:
            writer.releaseLock()


def _unanswered() -> BerthError:
    return because(ErrorCode.INTERNAL, "store_silent")
