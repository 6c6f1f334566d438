"""The views that other pages may hold in a frame: `/embed/…`, and nothing else of Berth.

The document is the page's own. It is served by the Worker and not as a file, because who may frame it is a
setting of the deployment. It holds nothing of anybody, so nobody has to have signed in to get it.
"""

import logging
from typing import Any
from urllib.parse import urlsplit

import js

from api.door import let_out
from api.frame_origins import EMBED_ORIGINS, frame_headers, origins_of, told
from durable_objects.shared.js import js_object, raw, setting_of

log = logging.getLogger(__name__)

PREFIX = "/embed/"


def is_frame(method: str, path: str) -> bool:
    return method in {"GET", "HEAD"} and path.startswith(PREFIX)


async def serve_frame(request: Any, env: Any) -> Any:
    """The page's document with the headers of a frame; a failure of the assets is an answer as any other."""
    bare, scheme = raw(env), urlsplit(request.url).scheme
    origins, wrong = origins_of(setting_of(bare, EMBED_ORIGINS))
    for one in wrong:
        log.error("%s names no exact origin: %r", EMBED_ORIGINS, one)
    page = await bare.ASSETS.fetch(js.URL.new("/", request.url).href)
    if not page.ok:
        # Headers of what another answers cannot be changed.
        return let_out(js.Response.new(page.body, page), scheme)
    document = told(await page.text(), origins)
    view = js.Response.new(document, js_object({"status": 200, "headers": dict(frame_headers(origins))}))
    return let_out(view, scheme)
