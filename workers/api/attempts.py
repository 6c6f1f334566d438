"""How often an address may try to get in: by the platform's own counter, `SIGN_IN_ATTEMPTS` of wrangler.toml.

Nothing that lets somebody in can be guessed; this is for what trying costs. So where the counter does not
answer nobody is kept out. Of IPv6 a network counts, for each of its hosts has more addresses than one can
count.
"""

import logging
from ipaddress import ip_address, ip_network
from typing import Any

from pyodide.ffi import JsException

from contracts.errors import ErrorCode
from contracts.limits import SIGN_IN_ATTEMPTS_SECONDS
from contracts.reasons import because
from durable_objects.shared.js import is_missing, js_object, raw

log = logging.getLogger(__name__)

ADDRESS = "cf-connecting-ip"
"""Cloudflare's own header, which no client can set. On one's own machine there is none, and one counter."""
NETWORK_BITS = 64


async def count_attempt(env: Any, address: str) -> None:
    """Count one more. Raises `too_many_attempts` where there were too many within a minute."""
    counter: Any = getattr(raw(env), "SIGN_IN_ATTEMPTS", None)
    if is_missing(counter):
        return
    try:
        counted = await counter.limit(js_object({"key": counted_as(address)}))
    except JsException as error:
        log.warning("attempts are not counted: %s", type(error).__name__)
        return
    if not counted.success:
        raise because(
            ErrorCode.TOO_MANY_ATTEMPTS, "attempts_many_address", retry_after_s=SIGN_IN_ATTEMPTS_SECONDS
        )


def counted_as(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return "here"
    return str(found) if found.version == 4 else str(ip_network((found, NETWORK_BITS), strict=False))
