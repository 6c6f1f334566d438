"""An authenticator in software: it makes a passkey and signs with it, also wrongly where a test says so."""

import json
import os
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def b64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def cbor(value: Any) -> bytes:
    """What an attestation is made of: maps, texts, bytes and small integers (RFC 8949)."""
    match value:
        case dict():
            return _head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in value.items())
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case bytes():
            return _head(2, len(value)) + value
        case int() if value >= 0:
            return _head(0, value)
        case int():
            return _head(1, -1 - value)
    raise TypeError(value)


def _head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    size = 1 if number < 256 else 2
    return bytes([kind << 5 | (23 + size)]) + number.to_bytes(size, "big")


@dataclass
class Authenticator:
    """One passkey of one site. What it says follows the options, unless a test says otherwise."""

    origin: str
    rp_id: str
    counter: int = 1
    flags: int = PRESENT | VERIFIED | ELIGIBLE | BACKED_UP
    client: dict[str, Any] = field(default_factory=dict)
    """Of the client data, what is to be said instead."""
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: bytes = field(default_factory=lambda: os.urandom(16))
    user: str = ""

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        self.user = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor(cose)
        data = self._data(ATTESTED) + credential
        attestation = cbor({"fmt": "none", "attStmt": {}, "authData": data})
        said = {
            "clientDataJSON": b64(self._client("webauthn.create", options)),
            "attestationObject": b64(attestation),
            "transports": ["internal"],
        }
        return self._answer(said)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        client, data = self._client("webauthn.get", options), self._data(0)
        signature = self.key.sign(data + sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        said = {
            "clientDataJSON": b64(client),
            "authenticatorData": b64(data),
            "signature": b64(signature),
            "userHandle": self.user,
        }
        return self._answer(said)

    def _answer(self, said: dict[str, Any]) -> dict[str, Any]:
        name = b64(self.id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "response": said,
            "clientExtensionResults": {},
        }

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(said | self.client).encode()

    def _data(self, more: int) -> bytes:
        flags = bytes([self.flags | more])
        return sha256(self.rp_id.encode()).digest() + flags + self.counter.to_bytes(4, "big")
