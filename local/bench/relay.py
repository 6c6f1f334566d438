"""The floor of runs, and the models that are asked when they are measured.

`POST /v1/chat/completions` answers as a provider does, in pieces that are each a line with the time at which
it was written, on the machine's monotonic clock. The model `heavy` asks for the largest file and for a long
output, and `stalls` says a word and then nothing for as long as it is listened to. `/stream` is a WebSocket
that gets every text that is held, and then whatever is published: the least that showing a thread to its
clients can cost in Python. It prints its port.
"""

import asyncio
import json
import sys
import time
from typing import Any

from aiohttp import web

PIECES = 100
PAUSE_SECONDS = 0.005
HEAVY = "heavy"
HEAVY_FILE_BYTES = 5 * 1024 * 1024 - 4
HEAVY_OUTPUT_BYTES = 10_000_000
CALL_PIECE = 1_000
# As Berth greets a client: it is heard from then on.
HELLO = '{"type":"hello","data":{}}'


class Relay:
    def __init__(self) -> None:
        self._held: list[str] = []
        self._watchers: set[web.WebSocketResponse] = set()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        model, last = asked.get("model"), (asked.get("messages") or [{}])[-1]
        if model == "stalls":
            await response.write(_chunk({"content": "Well"}))
            await asyncio.Event().wait()
        if model == "heavy" and last["content"] == HEAVY:
            await _heavy_calls(response)
            return response
        for _ in range(PIECES if model != "heavy" else 1):
            await asyncio.sleep(PAUSE_SECONDS)
            await response.write(_chunk({"content": f"{time.perf_counter():.6f}\n"}))
        await response.write(_chunk({}, "stop"))
        await response.write_eof(b"data: [DONE]\n\n")
        return response

    async def stream(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._watchers.add(socket)
        for text in (HELLO, *self._held):
            await socket.send_str(text)
        async for _ in socket:
            pass
        self._watchers.discard(socket)
        return socket

    async def hold(self, request: web.Request) -> web.Response:
        self._held = await request.json()
        return web.Response()

    async def publish(self, request: web.Request) -> web.Response:
        for text in await request.json():
            await asyncio.gather(*(watcher.send_str(text) for watcher in self._watchers))
        return web.Response()


async def _heavy_calls(response: web.StreamResponse) -> None:
    # One such character makes every other of its text four bytes wide in Python.
    content = "a line of the file\n" * (HEAVY_FILE_BYTES // 19) + "🙂"
    calls = (
        ("computer__write_file", {"path": "heavy", "content": content}),
        ("computer__exec", {"command": f"head -c {HEAVY_OUTPUT_BYTES} /dev/zero | tr '\\0' x"}),
    )
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        for start in range(0, len(text), CALL_PIECE):
            function = {"name": name if not start else "", "arguments": text[start : start + CALL_PIECE]}
            await response.write(_chunk({"tool_calls": [{"index": index, "function": function}]}))
    await response.write(_chunk({}, "tool_calls"))
    await response.write_eof(b"data: [DONE]\n\n")


def _chunk(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


async def main() -> None:
    relay, application = Relay(), web.Application(client_max_size=1 << 26)
    application.router.add_post("/v1/chat/completions", relay.answer)
    application.router.add_get("/stream", relay.stream)
    application.router.add_post("/hold", relay.hold)
    application.router.add_post("/publish", relay.publish)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
