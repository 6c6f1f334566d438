"""What to call a device in the list of sessions, by what its browser says of itself: a hint, no more."""

from collections.abc import Sequence

# The first that is named decides: browsers also name those that they want to be taken for.
BROWSERS = (
    ("Edg", "Edge"), ("OPR", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip
SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Mac OS X", "Mac"), ("Linux", "Linux"),
)  # fmt: skip


def device_of(user_agent: str) -> str:
    """`Firefox, Linux`; less of it, or nothing, where the browser does not say so."""
    return ", ".join(name for name in (_first(BROWSERS, user_agent), _first(SYSTEMS, user_agent)) if name)


def _first(known: Sequence[tuple[str, str]], text: str) -> str | None:
    return next((name for mark, name in known if mark in text), None)
