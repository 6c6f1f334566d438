"""The program that tests run in a computer: a small server on port 8080, standard library only.

GET /boot says a number made at its start, POST /echo returns what it gets while it gets it, GET
/bytes/N sends N bytes, GET /ws is a WebSocket that answers `echo …`, GET /environment the variables
of the first process. SIGTERM ends it with code 7, POST /exit/N with code N.
"""

import asyncio
import base64
import hashlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator

BOOT = os.urandom(8).hex()


def answer(writer: asyncio.StreamWriter, body: bytes, kind: str = "application/json") -> None:
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)


async def parts(reader: asyncio.StreamReader, headers: dict[str, str]) -> AsyncIterator[bytes]:
    if "content-length" in headers:
        left = int(headers["content-length"])
        while left and (data := await reader.read(min(left, 65536))):
            left -= len(data)
            yield data
        return
    while size := int((await reader.readline()).strip() or b"0", 16):
        yield await reader.readexactly(size)
        await reader.readline()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: dict[str, str]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
    async for data in parts(reader, headers):
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await writer.drain()
    writer.write(b"0\r\n\r\n")


async def web_socket(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str) -> None:
    seed = (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
    accept = base64.b64encode(hashlib.sha1(seed).digest())  # noqa: S324 - as the protocol says
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
    writer.write(b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    while True:
        first, second = await reader.readexactly(2)
        size = second & 127
        if size == 126:
            size = int.from_bytes(await reader.readexactly(2), "big")
        mask = await reader.readexactly(4)
        text = bytes(b ^ mask[i % 4] for i, b in enumerate(await reader.readexactly(size)))
        if first & 15 == 8:
            writer.write(b"\x88" + bytes([len(text)]) + text)
            return
        text = b"echo " + text
        writer.write(b"\x81" + bytes([len(text)]) + text)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    _, path, _ = head[0].split(" ")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
    match path.strip("/").split("/"):
        case ["boot"]:
            answer(writer, json.dumps({"boot": BOOT, "pid": os.getpid()}).encode())
        case ["environment"]:
            answer(writer, json.dumps(dict(os.environ)).encode())
        case ["bytes", size]:
            answer(writer, bytes(int(size)), "application/octet-stream")
        case ["echo"]:
            await echo(reader, writer, headers)
        case ["ws"]:
            await web_socket(reader, writer, headers["sec-websocket-key"])
        case ["exit", code]:
            answer(writer, b"{}")
            await writer.drain()
            os._exit(int(code))
    await writer.drain()
    writer.close()


async def main() -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, os._exit, 7)
    port = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("BERTH_PORT", "8080"))
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main())
