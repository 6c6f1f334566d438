"""The headers of security that every answer of the API has, whatever it is; those of the page are in
`web/public/_headers`.

What a route says itself stays: a file that may be shown says how.
"""

from collections.abc import Mapping

POLICY = "content-security-policy"
# An answer is data. Opened by its address, it loads nothing, runs nothing and is in nobody's frame.
DATA = {
    POLICY: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
}
ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
# Two years: long enough for the lists that browsers are shipped with. Not for hosts beside this one.
HTTPS = {"strict-transport-security": "max-age=63072000"}


def security_headers(scheme: str, *, has_policy: bool) -> Mapping[str, str]:
    """What is added where the answer does not say it itself."""
    return (ALWAYS if has_policy else {**ALWAYS, **DATA}) | (HTTPS if scheme == "https" else {})
