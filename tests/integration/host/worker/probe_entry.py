"""A Worker that does, one path each, what the host must be able to run."""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import js
from fastapi import FastAPI
from probe import Probe
from pyodide.ffi import JsException, create_proxy, to_js
from workers import Response, WorkerEntrypoint, asgi

app = FastAPI()

__all__ = ["Default", "Probe", "Teller"]


@app.get("/api/app/async")
async def asynchronous() -> dict[str, str]:
    return {"way": "async"}


@app.get("/api/app/sync")
def synchronous() -> dict[str, str]:
    return {"way": "sync"}


def js_object(**fields: Any) -> Any:
    return to_js(fields, dict_converter=js.Object.fromEntries)


class Teller(WorkerEntrypoint):  # type: ignore[misc]
    """Reached only through `ctx.exports`, with properties that its caller has set."""

    async def tell(self, question: str) -> str:
        return f"{self.ctx.props.owner}: {question}"


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        url = urlsplit(request.url)
        if url.path.startswith("/api/app/"):
            return await asgi.fetch(app, request, self.env, self.ctx)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        handler = getattr(self, f"do_{url.path.removeprefix('/api/').replace('/', '_')}")
        answer = await handler(request, query)
        return answer if isinstance(answer, Response) else Response(json.dumps(answer))

    def probe(self, query: dict[str, str]) -> Any:
        return self.env.PROBE.getByName(query.get("name", "one"))

    async def do_hello(self, _request: Any, _query: dict[str, str]) -> Any:
        return self.env.GREETING

    async def do_count(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).count()

    async def do_echo(self, request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).echo(json.loads(await request.text()))

    async def do_bytes(self, _request: Any, query: dict[str, str]) -> Any:
        made = await self.probe(query).some_bytes(int(query["size"]))
        return [type(made).__name__, len(made)]

    async def do_raise(self, _request: Any, query: dict[str, str]) -> Any:
        try:
            await self.probe(query).fail(query["how"])
        except JsException as error:
            return [error.name, error.message]
        return None

    async def do_call(self, _request: Any, query: dict[str, str]) -> Any:
        try:
            return await getattr(self.probe(query), query["method"])()
        except JsException as error:
            return [error.name, error.message]

    async def do_die(self, _request: Any, _query: dict[str, str]) -> Any:
        """Go deeper than WebAssembly's stack, which no exception tells of."""
        return json.loads("[" * 20_000 + "]" * 20_000)

    async def do_crash(self, _request: Any, _query: dict[str, str]) -> Any:
        raise LookupError("nobody expected this")

    async def do_exports(self, _request: Any, query: dict[str, str]) -> Any:
        teller = self.ctx.exports.Teller(js_object(props=js_object(owner=query["owner"])))
        return await teller.tell("who asks?")

    async def do_alarm(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).ring_in(int(query["ms"]))

    async def do_notes(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).notes()

    async def do_socket(self, request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).fetch(request)

    async def do_later(self, _request: Any, query: dict[str, str]) -> Any:
        async def work() -> None:
            await self.probe(query).wait_for_release()
            await self.probe(query).note("after the answer")

        self.ctx.waitUntil(create_proxy(asyncio.ensure_future(work())))
        return "answered"

    async def do_release(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).release()

    async def do_say(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).say(query["line"])

    async def do_spin(self, _request: Any, query: dict[str, str]) -> Any:
        return await self.probe(query).spin_until_released()

    async def do_stream(self, _request: Any, query: dict[str, str]) -> Any:
        pipe = js.TransformStream.new()
        writer = pipe.writable.getWriter()
        encode = js.TextEncoder.new().encode

        async def write() -> None:
            await writer.write(encode("first\n"))
            await self.probe(query).wait_for_release()
            await writer.write(encode("second\n"))
            await writer.close()

        self.ctx.waitUntil(create_proxy(asyncio.ensure_future(write())))
        return Response(pipe.readable)

    async def do_upload(self, request: Any, query: dict[str, str]) -> Any:
        reader = request.js_object.body.getReader()
        sizes = []
        while not (chunk := await reader.read()).done:
            sizes.append(chunk.value.length)
            await self.probe(query).note(f"read {len(sizes)}")
        return sizes

    async def do_put(self, request: Any, query: dict[str, str]) -> Any:
        await self.env.BUCKET.put(query["key"], await request.text())
        return True

    async def do_get(self, _request: Any, query: dict[str, str]) -> Any:
        found = await self.env.BUCKET.get(query["key"])
        return None if found is None else await found.text()
