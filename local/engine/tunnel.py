"""The way out: a tunnel into workerd, where the egress Worker serves the requests in it.

workerd listens on a port that it tells the sidecar. It takes `CONNECT address:port` with the host
name in a header: 200 means that a Worker serves the tunnel, 202 that nothing intercepts it. A
computer has no direct way out, so 202 is a refusal here; the address is one that leads nowhere.
"""

import asyncio
import socket
from typing import Literal

from local.engine.destination import Destination
from local.engine.errors import EngineError

NOWHERE = "198.18.0.1"
HEAD_LIMIT = 8192
OPEN_SECONDS = 15.0

HostHeader = Literal["X-Tls-Sni", "X-Hostname"]


class NoWayOutError(EngineError):
    """The request cannot leave. The text goes to the program in the computer."""

    status = 502


async def open_tunnel(port: int | None, header: HostHeader, to: Destination) -> socket.socket:
    """Return a connected socket on which workerd expects HTTP/1.1 for `to`."""
    if port is None:
        raise NoWayOutError("this computer's egress is not connected")
    loop = asyncio.get_running_loop()
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = f"CONNECT {NOWHERE}:{to.port} HTTP/1.1\r\nHost: {NOWHERE}:{to.port}\r\n"
    request += f"{header}: {to.header}\r\n\r\n"
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            await loop.sock_connect(connection, ("127.0.0.1", port))
            await loop.sock_sendall(connection, request.encode())
            status = await _read_status(connection)
    except (OSError, TimeoutError) as error:
        connection.close()
        raise NoWayOutError(f"this computer's egress cannot be reached: {error}") from error
    except BaseException:
        connection.close()
        raise
    if status != b"200":
        connection.close()
        raise NoWayOutError(f"nothing serves port {to.port} of {to.host}; there is no direct way out")
    return connection


async def _read_status(connection: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    head = b""
    # workerd says nothing in the tunnel before it has a request: what comes is the head alone.
    while not head.endswith(b"\r\n\r\n"):
        part = await loop.sock_recv(connection, HEAD_LIMIT)
        head += part
        if not part or len(head) > HEAD_LIMIT:
            raise ConnectionError("no answer")
    return head.split(b" ")[1]
