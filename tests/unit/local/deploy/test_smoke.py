"""The look from outside: what passes, what does not, and how long it waits."""

from collections.abc import Callable

import httpx
import pytest

from local.deploy.smoke import LOOKS, PATIENCE_SECONDS, smoke

GOOD: dict[str, httpx.Response] = {
    "/": httpx.Response(200, headers={"content-security-policy": "default-src 'self'"}),
    "/healthz": httpx.Response(200, json={"ok": True}),
    "/readyz": httpx.Response(200, json={"ok": True}),
    "/api/sign-in": httpx.Response(200, json={"ways": ["passkey"]}),
    "/api/threads": httpx.Response(401, json={"code": "unauthenticated"}),
}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def rest(self, seconds: float) -> None:
        self.now += seconds


def look(handler: Callable[[httpx.Request], httpx.Response], clock: Clock | None = None) -> dict[str, str]:
    clock = clock or Clock()
    transport = httpx.MockTransport(handler)
    found = smoke("https://bot.example.com", now=lambda: clock.now, rest=clock.rest, transport=transport)
    return {one.path: wrong for one, wrong in found}


def test_a_berth_that_answers() -> None:
    assert look(lambda request: GOOD[request.url.path]) == {one.path: "" for one in LOOKS}


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/", httpx.Response(200)),
        ("/healthz", httpx.Response(503)),
        ("/readyz", httpx.Response(503)),
        ("/api/sign-in", httpx.Response(200, text="<html>")),
        ("/api/threads", httpx.Response(200, json={"items": []})),
        ("/api/threads", httpx.Response(302, headers={"location": "/"})),
    ],
)
def test_each_thing_that_may_be_wrong_is_found(path: str, answer: httpx.Response) -> None:
    found = look(lambda request: answer if request.url.path == path else GOOD[request.url.path])
    assert [one for one, wrong in found.items() if wrong] == [path]


def test_a_new_address_is_waited_for() -> None:
    clock = Clock()

    def handler(request: httpx.Request) -> httpx.Response:
        if clock.now < 60:
            raise httpx.ConnectError("no such host")
        return GOOD[request.url.path]

    assert not any(look(handler, clock).values())
    assert clock.now >= 60


def test_it_does_not_wait_for_ever() -> None:
    clock = Clock()

    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no such host")

    assert set(look(handler, clock).values()) == {"no answer (ConnectError)"}
    assert clock.now < PATIENCE_SECONDS + 10
