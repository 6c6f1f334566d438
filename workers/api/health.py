"""`/healthz`: this process answers. `/readyz`: so do the deployment's object and the store of files.

For whoever watches, without signing in: they say yes or no and nothing else. What was found holds for some
seconds, so that asking often costs nothing.
"""

import asyncio
import logging
import time
from typing import Any
from urllib.parse import urlsplit

import js
from pyodide.ffi import JsException

from api.platform import PlatformObject
from api.readiness import Readiness
from contracts.errors import BerthError
from durable_objects.shared.js import js_object, raw

log = logging.getLogger(__name__)

PATHS = ("/healthz", "/readyz")
PATIENCE_SECONDS = 5.0
NOTHING = "health/nothing"


# Of this process.
_readiness = Readiness(time.monotonic, PATIENCE_SECONDS)


async def health_of(asked: Any, env: Any) -> Any | None:
    """The answer to one of the two; None for every other request."""
    path = urlsplit(asked.url).path
    if path not in PATHS or asked.method not in ("GET", "HEAD"):
        return None
    if path == "/healthz":
        return _said("ok", 200)
    ready = await _readiness.found(lambda: _ready(env))
    return _said("ready", 200) if ready else _said("not ready", 503)


async def _ready(env: Any) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await PlatformObject(env).ask("ready")
            await raw(env).BUCKET.head(NOTHING)
    except (BerthError, JsException, TimeoutError) as error:
        log.warning("not ready: %s", error)
        return False
    return True


def _said(text: str, status: int) -> Any:
    headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}
    return js.Response.new(f"{text}\n", js_object({"status": status, "headers": headers}))
