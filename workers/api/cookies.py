"""The cookie that holds a session's secret. Over https it is `__Host-berth`, which no other host can set.

On this machine without https it has the port in its name: a browser gives cookies to all ports of a host,
and two Berths would sign each other out.
"""

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from api.access import HOST, local_person
from contracts.limits import SESSION_DAYS


@dataclass(frozen=True)
class Jar:
    """Where at an address the secret is kept."""

    name: str
    secure: bool

    def secret_in(self, header: str) -> str | None:
        """What a Cookie header has of it."""
        try:
            found = SimpleCookie(header).get(self.name)
        except CookieError:
            return None
        return found.value if found else None

    def kept(self, secret: str) -> str:
        """The Set-Cookie header that keeps it."""
        return self._written(secret, SESSION_DAYS * 24 * 3_600)

    def emptied(self) -> str:
        return self._written("", 0)

    def _written(self, value: str, seconds: int) -> str:
        secure = "; Secure" if self.secure else ""
        return f"{self.name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def jar_at(scheme: str, host: str) -> Jar | None:
    """None where nobody can be signed in by a cookie: without https, on another machine."""
    if scheme == "https":
        return Jar("__Host-berth", secure=True)
    if local_person(host) is None:
        return None
    found = HOST.fullmatch(host)
    return Jar(f"berth-local-{(found and found['port']) or '80'}", secure=False)
