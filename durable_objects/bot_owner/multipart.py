"""R2's multipart uploads behind the `Multipart` protocol of `unfinished.py`."""

from typing import Any

from pyodide.ffi import JsException

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from durable_objects.shared.js import is_missing, js_object

# R2's numbers for these errors; its messages end in them.
NO_SUCH_UPLOAD = "(10024)"
INVALID_PART = "(10025)"


class R2Multipart:
    def __init__(self, bucket: Any) -> None:
        self._bucket = bucket

    async def begin(self, key: str) -> str:
        try:
            return str((await self._bucket.createMultipartUpload(key)).uploadId)
        except JsException as error:
            raise store_error(error) from error

    async def complete(self, key: str, multipart_id: str, parts: list[tuple[int, str]]) -> int | None:
        known = [{"partNumber": number, "etag": etag} for number, etag in parts]
        try:
            upload = self._bucket.resumeMultipartUpload(key, multipart_id)
            return int((await upload.complete(js_object({"parts": known}).parts)).size)
        except JsException as error:
            size = await self._size(key)
            if size is None and INVALID_PART not in str(error):
                raise store_error(error) from error
            return size

    async def abort(self, key: str, multipart_id: str) -> None:
        try:
            if multipart_id:
                await self._bucket.resumeMultipartUpload(key, multipart_id).abort()
        except JsException as error:
            if NO_SUCH_UPLOAD not in str(error):
                raise store_error(error) from error
        try:
            await self._bucket.delete(key)
        except JsException as error:
            raise store_error(error) from error

    async def _size(self, key: str) -> int | None:
        try:
            found = await self._bucket.head(key)
        except JsException as error:
            raise store_error(error) from error
        return None if is_missing(found) else int(found.size)


def store_error(error: JsException) -> BerthError:
    """What R2's refusal means to whoever sends a part."""
    if NO_SUCH_UPLOAD in str(error):
        return because(ErrorCode.NOT_FOUND, "upload_gone")
    return because(ErrorCode.INTERNAL, "file_not_stored")
