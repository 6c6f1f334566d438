"""A browser without a page: it keeps cookies, names its origin and holds a passkey."""

import itertools
from ipaddress import IPv4Address
from types import TracebackType
from typing import Any, Self

import httpx

from tests.identity.authenticator import Authenticator
from tests.integration.waiting import SECONDS

# Attempts are counted by address, and each guest comes from another one.
ADDRESSES = itertools.count(1)


class Guest:
    def __init__(self, url: str, **headers: str) -> None:
        self.origin = url.replace("127.0.0.1", "localhost")
        self.key = Authenticator(self.origin, "localhost")
        said = {"origin": self.origin, "cf-connecting-ip": str(IPv4Address(next(ADDRESSES))), **headers}
        self.client = httpx.Client(base_url=self.origin, headers=said, timeout=SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.client.close()

    def ask(self, method: str, path: str, body: Any = None, *, expect: int = 200) -> Any:
        answer = self.client.request(method, path, json={} if body is None and method != "GET" else body)
        assert answer.status_code == expect, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    def sign_up(self, name: str, code: str, *, expect: int = 200) -> Any:
        options = self.ask("POST", "/api/sign-up/passkey/options", {"name": name, "code": code})
        response = self.key.create(options["options"])
        return self.ask("POST", "/api/sign-up/passkey", {"response": response}, expect=expect)

    def sign_in(self, *, expect: int = 200) -> Any:
        options = self.ask("POST", "/api/sign-in/passkey/options")
        self.key.counter += 1
        response = self.key.get(options["options"])
        return self.ask("POST", "/api/sign-in/passkey", {"response": response}, expect=expect)

    def forget(self) -> None:
        """Be a browser in which nobody has signed in."""
        self.client.cookies.clear()

    @property
    def person_id(self) -> str:
        return str(self.ask("GET", "/api/me")["id"])
