"""Which other pages may hold a view of Berth in a frame, and the headers that hold them to it.

`BERTH_EMBED_ORIGINS` lists them, with spaces between: exact origins, as a browser compares them. Nothing is
allowed by default, and what is no exact origin allows nobody.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape

EMBED_ORIGINS = "BERTH_EMBED_ORIGINS"
# Everything but the frame's parent is as for every page: `web/public/_headers`.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; frame-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "frame-ancestors {}; form-action 'self'"
)
PAGE = {"content-type": "text/html; charset=utf-8", "cache-control": "no-cache"}
ISOLATED = {
    "cross-origin-resource-policy": "cross-origin",
    "cross-origin-embedder-policy": "require-corp",
}
# No wildcard, no path, no capitals, no port that the scheme has anyway. Plain http is this machine's only.
ORIGIN = re.compile(
    r"https://[a-z0-9-]+(\.[a-z0-9-]+)*(:(?!443\b)[1-9][0-9]{0,4})?"
    r"|http://(([a-z0-9-]+\.)*localhost|127\.0\.0\.1)(:(?!80\b)[1-9][0-9]{0,4})?"
)


def origins_of(setting: str) -> tuple[list[str], list[str]]:
    """The origins of the setting, and what in it is none."""
    named = list(dict.fromkeys(setting.split()))
    exact = [one for one in named if ORIGIN.fullmatch(one)]
    return exact, [one for one in named if one not in exact]


def frame_headers(origins: Iterable[str]) -> Mapping[str, str]:
    """Headers of a view under `/embed/`, beside those of every answer. With no origin it can be opened, but
    not framed.
    """
    allowed = " ".join(origins)
    if not allowed:
        # For browsers too old to know `frame-ancestors`, which the newer header cannot be said to.
        return {**PAGE, "content-security-policy": POLICY.format("'none'"), "x-frame-options": "DENY"}
    # A parent that isolates itself loads nothing of another origin that does not say both.
    return {**PAGE, **ISOLATED, "content-security-policy": POLICY.format(allowed)}


def told(document: str, origins: Iterable[str]) -> str:
    """The page's document with the origins in it, for the page to compare a message's with."""
    meta = f'<meta name="berth-embed" content="{escape(" ".join(origins), quote=True)}" />'
    return document.replace("<head>", f"<head>\n    {meta}", 1)
