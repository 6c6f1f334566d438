"""Whoever vouches for people, as a server of the test's own: OpenID Connect's endpoints and Access's keys.

It speaks the real protocol, and lies, dawdles or falls silent where a test says so. The real provider that
sign-in is shown with is `provider.mjs`; this one is for what a real one never does.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from aiohttp import web
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.identity.authenticator import b64

CLIENT = "berth-test"
Says = Callable[[web.Request], Any]


@dataclass(frozen=True)
class SigningKey:
    name: str
    key: rsa.RSAPrivateKey

    @classmethod
    def new(cls, name: str) -> "SigningKey":
        return cls(name, rsa.generate_private_key(public_exponent=65537, key_size=2048))

    def jwk(self) -> dict[str, str]:
        numbers = self.key.public_key().public_numbers()
        return {
            "kty": "RSA", "kid": self.name, "alg": "RS256", "use": "sig",
            "n": b64(numbers.n.to_bytes(256, "big")), "e": b64(b"\1\0\1"),
        }  # fmt: skip

    def token(self, claims: dict[str, Any], **header: Any) -> str:
        """A JWT; `alg="none"` leaves the signature empty."""
        head = {"alg": "RS256", "kid": self.name, "typ": "JWT"} | header
        text = f"{b64(json.dumps(head).encode())}.{b64(json.dumps(claims).encode())}"
        if head["alg"] == "none":
            return f"{text}."
        return f"{text}.{b64(self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


@dataclass
class Pretender:
    url: str = ""
    key: SigningKey = field(default_factory=lambda: SigningKey.new("first"))
    claims: dict[str, Any] = field(default_factory=dict)
    """Of an ID token, what is to be said instead; None leaves it out."""
    header: dict[str, Any] = field(default_factory=dict)
    signer: SigningKey | None = None
    """Who signs instead of the key that is published."""
    metadata: dict[str, Any] = field(default_factory=dict)
    says: dict[str, Says] = field(default_factory=dict)
    """By path, what is answered instead."""
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    _nonces: dict[str, str] = field(default_factory=dict)

    def come_back(self, address: str) -> str:
        """What a person's browser brings back from this address of the provider, as a query."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = f"code-{len(self._nonces)}"
        self._nonces[code] = asked["nonce"]
        return f"code={code}&state={asked['state']}"

    def id_token(self, nonce: str = "") -> str:
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "sub": "ada-1", "name": "Ada", "nonce": nonce,
            "iat": now, "exp": now + 300,
        }  # fmt: skip
        said = {name: value for name, value in (claims | self.claims).items() if value is not None}
        return (self.signer or self.key).token(said, **self.header)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        if other := self.says.get(request.path):
            said = other(request)
            found: web.Response = await said if asyncio.iscoroutine(said) else said
            return found
        match request.path:
            case "/.well-known/openid-configuration":
                return web.json_response(self._discovery() | self.metadata)
            case "/jwks" | "/cdn-cgi/access/certs":
                return web.json_response({"keys": [self.key.jwk()]})
            case "/token":
                return await self._token(request)
        return web.Response(status=404)

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append(form)
        nonce = self._nonces.pop(form.get("code", ""), None)
        if nonce is None:
            return web.json_response({"error": "invalid_grant"}, status=400)
        said = {"access_token": "not-used", "token_type": "Bearer", "id_token": self.id_token(nonce)}
        return web.json_response(said)


@asynccontextmanager
async def pretender() -> AsyncIterator[Pretender]:
    made = Pretender()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    made.url = f"http://127.0.0.1:{port}"
    try:
        yield made
    finally:
        await runner.cleanup()
