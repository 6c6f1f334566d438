"""A look at a deployed Berth from outside: does it answer, is it ours, and is it closed to strangers?"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

SECONDS = 10
# A new host takes a while until it is known everywhere.
PATIENCE_SECONDS = 120
PAUSE_SECONDS = 3


@dataclass(frozen=True)
class Look:
    path: str
    what: str
    good: Callable[[httpx.Response], bool]


def _json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except ValueError:
        return None


LOOKS = (
    Look(
        "/",
        "the page comes, under its policy",
        lambda a: a.is_success and "content-security-policy" in a.headers,
    ),
    Look("/healthz", "the Worker answers", lambda a: a.is_success),
    Look("/readyz", "its objects answer", lambda a: a.is_success),
    Look("/api/sign-in", "there is a way to sign in", lambda a: a.is_success and bool(_json(a))),
    Look(
        "/api/threads",
        "nobody gets in without signing in",
        lambda a: a.status_code == httpx.codes.UNAUTHORIZED,
    ),
)


def smoke(
    address: str,
    *,
    now: Callable[[], float] = time.monotonic,
    rest: Callable[[float], None] = time.sleep,
    transport: httpx.BaseTransport | None = None,
) -> Iterator[tuple[Look, str]]:
    """Each look with what is wrong, or nothing; the first may wait until the address is known."""
    until = now() + PATIENCE_SECONDS
    with httpx.Client(base_url=address, timeout=SECONDS, follow_redirects=False, transport=transport) as http:
        for look in LOOKS:
            wrong = _look(http, look)
            while wrong and now() < until:
                rest(PAUSE_SECONDS)
                wrong = _look(http, look)
            yield look, wrong


def _look(http: httpx.Client, look: Look) -> str:
    try:
        answer = http.get(look.path)
    except httpx.HTTPError as error:
        return f"no answer ({type(error).__name__})"
    return "" if look.good(answer) else f"answered {answer.status_code}"
