"""What is fetched from when egress is measured, and a plain forward proxy to compare with.

`origin.py` answers every request with as many bytes as its head asks for in `bytes=`, `origin.py proxy` takes
CONNECT and copies both ways. Neither judges anything. Each prints its port.
"""

import asyncio
import re
import sys

PIECE = bytes(1 << 18)
WANTED = re.compile(rb"bytes=(\d+)")


async def origin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            wanted = WANTED.search(head)
            left = int(wanted[1]) if wanted else 0
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % left)
            while left:
                writer.write(PIECE[: min(left, len(PIECE))])
                left -= min(left, len(PIECE))
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        host, _, port = head.split()[1].decode().rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while part := await source.read(1 << 18):
        target.write(part)
        await target.drain()
    target.close()


async def main(serve: str) -> None:
    handler = proxy if serve == "proxy" else origin
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "origin"))
