"""What is neither the API's nor a file: the page for who opens an address in an old browser, else 404.

Cloudflare looks for a file before it asks the Worker, and gives a navigation the page. So what comes here
is a part of an older build that is gone, something that nobody has, or a browser that does not say that it
navigates.
"""

from typing import Any
from urllib.parse import urlsplit

import js

from api.door import let_out, refusal
from contracts.errors import ErrorCode
from contracts.reasons import because
from durable_objects.shared.js import raw

API = "/api/"
PARTS = "/assets/"
NOTHING = because(ErrorCode.NOT_FOUND, "no_page")


def is_no_asset(path: str) -> bool:
    """Of a path for which there is no file: whether it is none of the API's either."""
    return not path.startswith(API)


async def page_or_nothing(request: Any, path: str, env: Any) -> Any:
    """The JavaScript response."""
    headers = request.headers
    opens = request.method in {"GET", "HEAD"} and "text/html" in str(headers.get("accept") or "")
    if opens and not headers.get("sec-fetch-mode") and not path.startswith(PARTS):
        return await raw(env).ASSETS.fetch(js.URL.new("/", request.url).href)
    return let_out(refusal(NOTHING), urlsplit(request.url).scheme)
