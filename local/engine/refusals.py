"""Has a request that the engine refuses itself counted: on the command's receipt, and in its owner's bucket.

The egress Worker is asked for the place that the request was for, with a header that makes it deny. A program
that sends this header has its own request denied and nothing else, so nobody needs to take it off.
"""

import asyncio
import logging

from local.engine.destination import Destination
from local.engine.errors import EngineError, MalformedRequestError
from local.engine.tunnel import open_tunnel

log = logging.getLogger(__name__)

HEADER = "X-Berth-Refused"
LOOK_UP = "lookup"
UNKNOWN = "unreadable.invalid"
COUNT_SECONDS = 15.0


async def count_refusal(port: int | None, error: Exception, *, host: str = "", secure: bool = False) -> None:
    """Wait until the refusal stands on the receipt; what cannot be counted is logged."""
    known = error if isinstance(error, MalformedRequestError) else MalformedRequestError(str(error))
    to = Destination(known.host or host or UNKNOWN, 443 if secure else 80)
    log.info("refused a request to %s: %s", to.host, error)
    await _count(port, to, known.rule)


async def count_look_up(port: int | None, name: str) -> None:
    """Wait until a name that was looked up stands on the receipt, if nothing there may be reached."""
    await _count(port, Destination(name, 443), LOOK_UP)


async def _count(port: int | None, to: Destination, rule: str) -> None:
    secure = to.port == 443
    request = f"GET / HTTP/1.1\r\nHost: {to.header}\r\n{HEADER}: {rule}\r\nConnection: close\r\n\r\n"
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(COUNT_SECONDS):
            tunnel = await open_tunnel(port, "X-Tls-Sni" if secure else "X-Hostname", to)
            try:
                await loop.sock_sendall(tunnel, request.encode())
                await loop.sock_recv(tunnel, 1)
            finally:
                tunnel.close()
    except (EngineError, OSError, TimeoutError) as failure:
        log.warning("a refusal was not counted: %s", failure)
