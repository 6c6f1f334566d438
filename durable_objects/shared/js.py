"""The border to JavaScript: the only file beside the shells that knows Pyodide.

Everything is converted here once and in one direction, so that no proxy of a JavaScript object
gets deeper into our code, where it would leak.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, TypeVar

import js
from pyodide.ffi import JsException, create_once_callable, jsnull, to_js

from contracts.audit import AuditEntry
from contracts.people import Caller
from durable_objects.shared.audit_desk import RecordError, TellRecord
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, Value

T = TypeVar("T")

CHUNK_BYTES = 64 * 1024
PIECE_BYTES = 256 * 1024
CALLER_HEADER = "x-berth-caller"
# workerd looks for what else has come only once nothing is ready, and a stream that never runs dry always is:
# after so many bytes its reader rests, or no request is taken and no timer fires for as long as it lasts.
TURN_BYTES = PIECE_BYTES
TURN_SECONDS = 0.005
# What is poured costs Python nothing by the byte.
POUR_TURN_BYTES = 1024 * 1024


def js_object(fields: Mapping[str, Any]) -> Any:
    """A plain JavaScript object of a mapping; nested mappings and lists too."""
    return to_js(fields, dict_converter=js.Object.fromEntries)


def raw(value: Any) -> Any:
    """The JavaScript object behind one of the SDK's wrappers, or the value itself.

    The wrappers convert every argument and result by a deep walk; here that is done by hand, with
    text as the only thing that crosses.
    """
    for name in ("_ctx", "_env", "_binding"):
        inner = vars(value).get(name) if hasattr(value, "__dict__") else None
        if inner is not None:
            return inner
    return value


def is_missing(value: Any) -> bool:
    """Whether JavaScript said null or undefined.

    Truth does not tell: an object with a `size` of 0, such as an empty file of R2, is false in Python.
    """
    return value is None or value is jsnull


def setting_of(env: Any, name: str) -> str:
    """The text of one of the Worker's variables or secrets, empty where it is not set."""
    value = getattr(env, name, None)
    return "" if is_missing(value) else str(value)


def deployed_version(env: Any) -> str:
    """Cloudflare's id of this version of the Worker, empty where there is none."""
    about: Any = getattr(env, "CF_VERSION_METADATA", None)
    return "" if is_missing(about) else str(about.id)


def record_of(env: Any) -> TellRecord:
    """The way into the deployment's record. `env` is the JavaScript environment."""

    async def tell(entry: AuditEntry) -> None:
        try:
            await env.PLATFORM.getByName("platform").record(entry.model_dump_json())
        except JsException as error:
            raise RecordError(str(error)) from error

    return tell


def caller_of(request: Any) -> Caller:
    """Who makes a request to an object. Only the Worker makes one, with headers of its own alone."""
    return Caller.model_validate_json(str(request.headers.get(CALLER_HEADER)))


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class StorageSql:
    """Durable Object SQLite behind the `Sql` protocol. `storage` is the JavaScript `ctx.storage`.

    Every crossing of the border costs as much as the statement itself. So a result crosses once, as
    JSON, and the functions of JavaScript are looked up once.
    """

    def __init__(self, storage: Any) -> None:
        self._exec = storage.sql.exec
        self._transaction = storage.transactionSync
        self._array = getattr(js.Array, "from")
        self._stringify = js.JSON.stringify

    def run(self, query: str, *values: Value) -> None:
        self._exec(query, *[jsnull if value is None else value for value in values])

    def execute(self, query: str, *values: Value) -> list[Row]:
        cursor = self._exec(query, *[jsnull if value is None else value for value in values])
        text = self._stringify(self._array(cursor))
        rows: list[Row] = json.loads(text) if text != "[]" else []
        return rows

    def transaction(self, work: Callable[[], T]) -> T:
        results: list[T] = []
        self._transaction(create_once_callable(lambda: results.append(work())))
        return results[0]


def context(storage: Any) -> Context:
    """The context of a Durable Object; `storage` is the JavaScript `ctx.storage`."""
    return Context(sql=StorageSql(storage), now_ms=now_ms, entropy=os.urandom)


async def chunks(body: Any) -> AsyncGenerator[bytes, None]:
    """Read a JavaScript byte stream as it comes; closing the generator cancels the stream.

    Whoever may leave early closes it with `contextlib.aclosing`: collected garbage cannot await.
    """
    # With a buffer of ours: without one workerd gives 4 KB at a time.
    reader = body.getReader(js_object({"mode": "byob"}))
    finished, since_turn = False, 0
    try:
        while True:
            step = await reader.read(js.Uint8Array.new(CHUNK_BYTES))
            if step.done:
                finished = True
                return
            content: bytes = step.value.to_bytes()
            yield content
            since_turn += len(content)
            if since_turn >= TURN_BYTES:
                since_turn = 0
                await asyncio.sleep(TURN_SECONDS)
    finally:
        if not finished:
            await reader.cancel()


async def pour(body: Any, *targets: Any) -> None:
    """Write a JavaScript byte stream into writable streams, no faster than the slowest of them takes it.

    So no more than one piece is held; a `tee()` would keep all that the slower one has not taken yet. The
    bytes never enter Python. What goes wrong on one side ends the others.
    """
    reader = body.getReader(js_object({"mode": "byob"}))
    writers = [target.getWriter() for target in targets]
    since_turn = 0
    try:
        while not (step := await reader.read(js.Uint8Array.new(PIECE_BYTES))).done:
            since_turn += step.value.byteLength
            await asyncio.gather(*(writer.write(step.value) for writer in writers))
            if since_turn >= POUR_TURN_BYTES:
                since_turn = 0
                await asyncio.sleep(TURN_SECONDS)
        await asyncio.gather(*(writer.close() for writer in writers))
    except BaseException as error:
        reason = js.Error.new(f"the copy broke off: {error}")
        ends = [reader.cancel(reason), *(writer.abort(reason) for writer in writers)]
        await asyncio.gather(*ends, return_exceptions=True)
        raise
